from tilelang.language import *


def body(A, B, blk):
    for i in Parallel(blk, coalesced_width=IntImm("int32", 4)):  # expect: TLC001
        B[i] = A[i]
    for i in Parallel(blk, coalesced_width=IntImm("int32", 4)):
        B[i] = A[i]
    for i in Parallel(blk, coalesced_width=min(4, 8)):
        B[i] = A[i]
    for i in Parallel(blk, coalesced_width=IntImm("int32", len((4, 8)))):  # expect: TLC001
        B[i] = A[i]
