from numpy import *
from tilelang.language import Parallel


def body(blk, width: int):
    for i in Parallel(blk, coalesced_width=width):  # expect: TLC001
        pass


x = int32(4)
