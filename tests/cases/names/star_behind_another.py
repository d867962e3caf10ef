from numpy import *
from tilelang.language import *


def body(A, B, blk):
    for i in Parallel(blk, coalesced_width=4):  # expect: TLC001
        B[i] = A[i]
    for i in Parallel(blk, coalesced_width=WIDTH):  # expect: TLC002
        B[i] = A[i]
