"""Dicts that are changed, shared under other names, or held by partials."""

from functools import partial

import tilelang.language as T

KEY = "coalesced_width"


def another_name(blk):
    ann = {}
    ann["coalesced_width"] = n = 4
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass
    first = second = {"coalesced_width": 4}
    for i in T.Parallel(blk, annotations=first):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations=(walrus := {"coalesced_width": 4})):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations=(alone := {"coalesced_width": T.IntImm("int32", 4)})):  # expect: TLC001
        pass
    a = b = T.Parallel(blk, coalesced_width=T.IntImm("int32", 4))  # expect: TLC001
    return n, second, walrus


def keys(blk, key):
    for i in T.Parallel(blk, annotations={KEY: T.IntImm("int32", 4)}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations={KEY: 4, key: 4}):
        pass
    for i in T.Parallel(blk, annotations={key: 4, KEY: T.IntImm("int32", 4)}):  # expect: TLC001
        pass
    ann = {KEY: T.IntImm("int32", 4)}
    ann[0] = 1
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass
    ann[key] = T.int32(4)
    for i in T.Parallel(blk, annotations=ann):
        pass
    ann[KEY] = T.IntImm("int32", 4)
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass
    del ann[key]
    for i in T.Parallel(blk, annotations=ann):
        pass


def merged(blk, over):
    ann = {"coalesced_width": 4}
    for i in T.Parallel(blk, annotations={**ann, **over}):
        pass
    for i in T.Parallel(blk, annotations={**over, **ann}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations=ann | over):
        pass
    for i in T.Parallel(blk, annotations=ann | {}):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations=dict(ann, **over)):
        pass
    ann |= {}
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass
    ann |= over
    for i in T.Parallel(blk, annotations=ann):
        pass


def other_names(blk):
    ann = {"coalesced_width": 4}
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass
    again = ann
    for i in T.Parallel(blk, annotations=again):  # expect: TLC001
        pass
    again["coalesced_width"] = T.int32(4)
    for i in T.Parallel(blk, annotations=ann):
        pass


def other_ways(blk):
    ann = {}
    ann.setdefault("coalesced_width", 4)
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass
    for i in T.Parallel(blk, annotations=dict([("coalesced_width", T.IntImm("int32", 4))])):  # expect: TLC001
        pass
    ann["coalesced_width"], q = 4, 5
    for i in T.Parallel(blk, annotations=ann):  # expect: TLC001
        pass
    return q


def partials(blk, layout):
    laid_out = partial(T.Parallel, loop_layout=layout)
    for i in laid_out(blk, coalesced_width=4):
        pass
    wide = partial(T.Parallel, coalesced_width=T.int32(2))
    for i in wide(blk, annotations={"coalesced_width": 4}):
        pass
    replaced = partial(T.Parallel, coalesced_width=4)
    for i in replaced(blk, **{"coalesced_width": T.int32(4)}):
        pass
    held = partial(T.Parallel, coalesced_width=4)
    outer = partial(held, coalesced_width=T.int32(4))
    for i in outer(blk):
        pass
    read = partial(T.Parallel, coalesced_width=T.IntImm("int32", 4))  # expect: TLC001
    for i in read(blk):
        pass
