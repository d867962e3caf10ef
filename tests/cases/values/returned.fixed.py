import contextlib

import tilelang.language as T


def may_fall_off(n):
    if n > 4:
        return 4


def never_returns_int():
    return T.int32(4)
    return 4


def overruled():
    try:
        return 4
    finally:
        return T.int32(4)


def on_both(n):
    if n > 4:
        return 4
    else:
        return 2


def raising(n):
    if n > 4:
        return 4
    raise ValueError(n)


def body(blk, flag, width=0):
    w = may_fall_off(2)
    for i in T.Parallel(blk, coalesced_width=w):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=never_returns_int()):
        pass
    for i in T.Parallel(blk, coalesced_width=overruled()):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", on_both(blk))):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", raising(blk))):  # expect: TLC001
        pass
    v = T.int32(4)
    with contextlib.suppress(ZeroDivisionError):
        1 // 0
        v = 4
    for i in T.Parallel(blk, coalesced_width=T.int32(v)):  # expect: TLC001
        pass
    chosen = bool(flag) and T.int32(4) or T.int32(2)
    for i in T.Parallel(blk, coalesced_width=chosen):
        pass
    for i in T.Parallel(blk, coalesced_width=T.int32(width) if width else None):
        pass
    if width:
        for i in T.Parallel(blk, coalesced_width=T.int32(width)):
            pass
