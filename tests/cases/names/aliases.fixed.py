import functools
import importlib
from functools import partial

import tilelang
import tilelang.cuda.language as cuda
import tilelang.language as T
import tilelang.language.loop as loop
from tilelang.rocm import language as rocm

P = T.Parallel
Q = P
language = tilelang.language
L = importlib.import_module("tilelang.language")
R, S = T.Parallel, T.serial


def body(blk, other):
    for i in P(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in Q(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in language.Parallel(blk, coalesced_width=language.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in L.Parallel(blk, coalesced_width=L.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in R(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in S(blk, coalesced_width=4):
        pass
    for i in cuda.Parallel(blk, coalesced_width=cuda.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in rocm.Parallel(blk, coalesced_width=rocm.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in loop.Parallel(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in getattr(T, "Parallel")(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in (T.Parallel)(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in (T).Parallel(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    wide = functools.partial(T.Parallel, coalesced_width=T.IntImm("int32", 4))  # expect: TLC001
    also_wide = partial(P, coalesced_width=T.IntImm("int32", 4))  # expect: TLC001
    plain = partial(T.Parallel, blk)
    for i in wide(blk):
        pass
    for i in also_wide(blk):
        pass
    for i in plain(coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in other.Parallel(blk, coalesced_width=4):
        pass
    for i in T.other.Parallel(blk, coalesced_width=4):
        pass
    for i in tilelang.Parallel(blk, coalesced_width=4):
        pass
    overridden = partial(T.Parallel, coalesced_width=4)
    for i in overridden(blk, coalesced_width=T.int32(4)):
        pass
    for i in T.parallel(blk, annotations={"coalesced_width": T.IntImm("int32", 4)}):  # expect: TLC001
        pass
