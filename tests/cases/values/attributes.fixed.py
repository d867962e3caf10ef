import functools

import tilelang.language as T


class Plan:
    lanes = 4
    shared = T.int32(4)

    @property
    def width(self):
        return T.int32(4)

    @functools.cached_property
    def cached(self):
        return T.int32(4)

    @staticmethod
    def static():
        return T.int32(4)

    def loops(self, blk):
        for i in T.Parallel(blk, coalesced_width=self.width):  # expect: TLC002
            pass
        for i in T.Parallel(blk, coalesced_width=self.cached):  # expect: TLC002
            pass
        for i in T.Parallel(blk, coalesced_width=self.static()):  # expect: TLC002
            pass
        for i in T.Parallel(blk, coalesced_width=T.int32(self.lanes)):  # expect: TLC001
            pass
        for i in T.Parallel(blk, coalesced_width=self.shared):
            pass
        for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", Plan.lanes)):  # expect: TLC001
            pass


@functools.cache
def decorated():
    return 4


@unknown  # noqa: F821
def value():
    return 4


def body(blk):
    for i in T.Parallel(blk, coalesced_width=value):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=body):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=decorated()):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=T.int32(T.float32(4))):
        pass
    for i in T.Parallel(blk, coalesced_width=T.float32(4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=1 << 40):  # expect: TLC001
        pass


@T.prim_func
def extents(A: T.Tensor((256, 64), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(256, coalesced_width=A.shape[1] // 16):
            A[i, 0] = 0.0
