from numpy import *
from tilelang.language import *
from unknown_constants import *


def body(A, B, blk):
    for i in Parallel(blk, coalesced_width=4):
        B[i] = A[i]
    for i in Parallel(blk, coalesced_width=WIDTH):
        B[i] = A[i]
