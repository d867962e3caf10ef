import tilelang
import tilelang.language as T


@T.macro
def by_macro(A, B, vec):
    for i in T.Parallel(256, coalesced_width=vec):  # expect: TLC001
        B[i] = A[i]
    for i in T.Parallel(256, coalesced_width=T.int32(vec)):
        B[i] = A[i]


@T.macro
def by_macro_with_none(A, B, vec=None):
    for i in T.Parallel(256, coalesced_width=vec):
        B[i] = A[i]


@T.prim_func
def calls_macro(A: T.Tensor((256,), "float32"), B: T.Tensor((256,), "float32")):
    with T.Kernel(1, threads=64):
        by_macro(A, B, T.int32(4))
        by_macro_with_none(A, B, None)


@T.prim_func
def parameters(A: T.Tensor((256,), "float32"), n: T.int32, m=4):
    with T.Kernel(1, threads=64) as bx:
        for i in T.Parallel(256, coalesced_width=n):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=m):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=bx):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=T.int32(bx)):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=4 if bx > 1 else 2):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=T.int32(4) or 2):  # expect: TLC001
            A[i] = 0.0


@T.prim_func
def before_the_launch(A: T.Tensor((256,), "float32")):
    width = T.int32(4)
    lanes = 4
    with T.Kernel(1, threads=64):
        inner = T.int32(4)
        wide = T.int64(4)
        for i in T.Parallel(256, coalesced_width=width):
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=lanes):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=inner):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=wide):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=(walrus := T.int32(4))):
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=walrus):
            A[i] = 0.0
        for v in T.serial(4):
            for i in T.Parallel(256, coalesced_width=v):  # expect: TLC001
                A[i] = 0.0
        for v in (T.int32(2), 4):
            for i in T.Parallel(256, coalesced_width=v):  # expect: TLC001
                A[i] = 0.0


@tilelang.jit
def eager(A: T.Tensor((256,), "float32"), n: T.int32, vec):
    width = T.int32(4)
    with T.Kernel(1, threads=64):
        inner = T.int32(4)
        for i in T.Parallel(256, coalesced_width=n):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=vec):  # expect: TLC002
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=width):
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=inner):  # expect: TLC001
            A[i] = 0.0


@tilelang.jit(out_idx=[-1])
def lazy(blk):
    width = T.int32(4)

    @T.prim_func
    def main(A: T.Tensor((256,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(blk, coalesced_width=width):
                A[i] = 0.0

    return main


def helper(A):
    width = T.int32(4)
    for v in range(4, 5):
        for i in T.Parallel(256, coalesced_width=v):  # expect: TLC001
            A[i] = 0.0
    for i in T.Parallel(256, coalesced_width=width):
        A[i] = 0.0


@tilelang.jit
def declared_in_the_body(A, n, vec=4):
    A: T.Tensor[[256], T.float32]
    n: T.int32
    with T.Kernel(1, threads=64):
        for i in T.Parallel(256, coalesced_width=n):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=vec):  # expect: TLC001
            A[i] = 0.0
