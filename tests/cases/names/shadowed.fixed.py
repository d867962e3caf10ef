"""Names that look like the language and are not, or not for sure."""

import tilelang.language as T
from tilelang.language import Parallel


class Model:
    def Parallel(self, n, coalesced_width):
        return range(n)

    def forward(self, T):
        B, T, C = self.shape
        for i in T.Parallel(4, coalesced_width=4):
            pass
        for i in self.Parallel(4, coalesced_width=4):
            pass


def parameter(T, blk):
    for i in T.Parallel(blk, coalesced_width=4):
        pass


def assigned(blk, make):
    T = make()
    for i in T.Parallel(blk, coalesced_width=4):
        pass


def looped(blk, modules):
    for T in modules:
        for i in T.Parallel(blk, coalesced_width=4):
            pass


def nested(blk):
    def Parallel(n, coalesced_width):
        return range(n)

    for i in Parallel(blk, coalesced_width=4):
        pass


def in_a_comprehension(blk, modules):
    return [T.Parallel(blk, coalesced_width=4) for T in modules]


def first_iterable_is_outside(blk):
    return [T for T in T.Parallel(blk, coalesced_width=T.IntImm("int32", 4))]  # expect: TLC001


def in_a_lambda(blk):
    return (lambda T: T.Parallel(blk, coalesced_width=4)), (lambda n: T.Parallel(n, coalesced_width=T.IntImm("int32", 4)))  # expect: TLC001


def on_two_branches(blk, flag):
    if flag:
        import numpy as T
    else:
        import tilelang.language as T
    for i in T.Parallel(blk, coalesced_width=4):
        pass


def imported_here(blk):
    import tilelang.language as inner

    for i in inner.Parallel(blk, coalesced_width=inner.IntImm("int32", 4)):  # expect: TLC001
        pass


def deleted_and_bound_again(blk, other):
    P = Parallel
    for i in P(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    P = other
    for i in P(blk, coalesced_width=4):
        pass


class Holder:
    T = None

    def method(self, blk):
        for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
            pass


def declared_global(blk):
    global U
    import tilelang.language as U

    for i in U.Parallel(blk, coalesced_width=U.IntImm("int32", 4)):  # expect: TLC001
        pass


def uses_global(blk):
    for i in U.Parallel(blk, coalesced_width=U.IntImm("int32", 4)):  # expect: TLC001
        pass
