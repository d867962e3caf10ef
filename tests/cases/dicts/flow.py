import tilelang.language as T

SHARED = {"coalesced_width": 4}
ALSO_PRINTED = {"coalesced_width": 4}
print(ALSO_PRINTED)


def literal(blk):
    for i in T.Parallel(blk, annotations={"coalesced_width": 4}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations=dict(coalesced_width=4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations={"coalesced_width": None}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations={"coalesced" "_width": 4, "other": 4}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations={"other": 4}):
        pass
    for i in T.Parallel(blk, annotations={**{"coalesced_width": 4}}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations={"coalesced_width": 4, **{"coalesced_width": T.int32(4)}}):
        pass
    for i in T.Parallel(blk, annotations={"other": 1} | {"coalesced_width": 4}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations={"coalesced_width": 4} if blk else None):  # expect: TLC001
        pass


def named(blk):
    ann = {"coalesced_width": 4}
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass
    for i in T.Parallel(2 * blk, annotations=ann):  # expect: TLC001
        pass


def filled_later(blk):
    ann = {}
    ann["coalesced_width"] = 4
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass


def filled_after(blk):
    ann = {}
    for i in T.Parallel(blk, annotations=ann):
        pass
    ann["coalesced_width"] = 4
    return blk


def replaced(blk):
    ann = {"coalesced_width": 4}
    ann["coalesced_width"] = T.int32(4)
    for i in T.Parallel(blk, annotations=ann):
        pass


def updated(blk):
    ann = dict(other=1)
    ann.update(coalesced_width=4)
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass


def starred(blk):
    opts = {"coalesced_width": 4}
    for i in T.Parallel(blk, **opts):  # expect: TLC001
        pass
    for i in T.Parallel(blk, **{"coalesced_width": 4}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, **dict(coalesced_width=4)):  # expect: TLC001
        pass
    outer = {"annotations": {"coalesced_width": 4}}
    for i in T.Parallel(blk, **outer):  # expect: TLC001
        pass


def module_level(blk):
    for i in T.Parallel(blk, annotations=SHARED):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations=ALSO_PRINTED):  # expect: TLC001
        pass


def shared_with_copy(blk, A, B):
    ann = {"coalesced_width": 4}
    T.copy(A, B, annotations=ann)
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass


def shared_with_another(blk, other):
    ann = {"coalesced_width": 4}
    other(ann)
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass


def unknown(blk, ann, opts):
    for i in T.Parallel(blk, annotations=ann):
        pass
    for i in T.Parallel(blk, **opts):
        pass


def which_is_read(blk, A, B, layout, use):
    for i in T.Parallel(blk, coalesced_width=T.int32(4), annotations={"coalesced_width": 4}):
        pass
    for i in T.Parallel(blk, coalesced_width=None, annotations={"coalesced_width": 4}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=4, annotations={"coalesced_width": T.int32(4)}):  # expect: TLC001
        pass
    T.copy(A, B, coalesced_width=3, annotations={"coalesced_width": 4})
    T.copy(A, B, coalesced_width=4, annotations={"coalesced_width": 3})  # expect: TLC003
    for i in T.Parallel(blk, coalesced_width=4, loop_layout=layout):
        pass
    for i in T.Parallel(blk, coalesced_width=3, loop_layout=T.Fragment([blk])):
        pass
    for i in T.Parallel(blk, coalesced_width=4, loop_layout=None):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=4, annotations={"parallel_loop_layout": layout}):
        pass
    T.async_copy(A, B, coalesced_width=12)  # expect: TLC003
    T.copy_cluster(A, B, coalesced_width=0)  # expect: TLC003
    T.copy(A, B, coalesced_width=True)
    T.gemm(A, B, coalesced_width=3)
