from typing import Literal, Optional, Union

import tilelang
import tilelang.language as T


def annotated(blk, vec: int):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def in_quotes(blk, vec: "int"):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def by_default(blk, vec=4):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def by_bad_default(blk, vec=3):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001 TLC003
        pass


def keyword_only(blk, *, vec: int = 2):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def literal(blk, vec: Literal[2, 4]):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def wrapped_by_default(blk, vec=T.int32(4)):
    for i in T.Parallel(blk, coalesced_width=vec):
        pass


def wrapped_by_annotation(blk, vec: T.IntImm):
    for i in T.Parallel(blk, coalesced_width=vec):
        pass


def optional(blk, vec: Optional[int] = None):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def optional_union(blk, vec: Union[int, None]):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def optional_bar(blk, vec: int | None):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def optional_int(blk, vec: int = None):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def only_none(blk, vec=None):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC002
        pass


def unknown(blk, vec):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC002
        pass


def a_float(blk, vec: float):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def called_with_int(blk, vec):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def called_with_int_imm(blk, vec):
    for i in T.Parallel(blk, coalesced_width=vec):
        pass


def called_with_both(blk, vec=None):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def called_with_none(blk, vec=None):
    for i in T.Parallel(blk, coalesced_width=vec):
        pass


def called_with_stars(blk, vec):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC002
        pass


called_with_int(256, 4)
called_with_int_imm(256, vec=T.int32(4))
called_with_both(256, 4)
called_with_both(256, vec=T.int32(4))
called_with_none(256)
called_with_none(256, None)
called_with_stars(*(256, 4))


def tested(blk, vec: Optional[int] = None):
    if vec is None:
        return None
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def tested_around(blk, vec: Optional[int] = None):
    if vec is not None:
        for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
            pass


def filled_in(blk, vec=None):
    if vec is None:
        vec = T.int32(4)
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC002
        pass


def tested_in_place(blk, vec: Optional[int] = None):
    for i in T.Parallel(blk, coalesced_width=vec if vec is not None else None):  # expect: TLC001
        pass


def rebound(blk, vec: int):
    vec = T.int32(vec)
    for i in T.Parallel(blk, coalesced_width=vec):
        pass


def rebound_later(blk, vec: int):
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass
    vec = T.int32(vec)


def rebound_on_one_branch(blk, vec: int, flag):
    if flag:
        vec = T.int32(vec)
    for i in T.Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def rebound_on_both(blk, vec: int, flag):
    if flag:
        vec = T.int32(vec)
    else:
        vec = T.int32(2)
    for i in T.Parallel(blk, coalesced_width=vec):
        pass


def either(blk, vec, use: bool):
    for i in T.Parallel(blk, coalesced_width=4 if use else vec):  # expect: TLC001 TLC002
        pass


def or_else(blk, vec: Optional[int] = None):
    for i in T.Parallel(blk, coalesced_width=vec or 4):  # expect: TLC001
        pass


@tilelang.jit
def eager(A: T.Tensor((1024,), "float32"), vec: int, width=T.int32(4)):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(256, coalesced_width=vec):  # expect: TLC001
            A[i] = 0.0
        for i in T.Parallel(256, coalesced_width=width):
            A[i] = 0.0
