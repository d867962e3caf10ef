"""The import that bound the callee gets the wrapper, wherever it stands."""


def in_a_function(blk, vec: int):
    from tilelang.language import (
        Parallel,  # the loop
        serial,
    )

    for i in Parallel(blk, coalesced_width=4):  # expect: TLC001
        pass
    for i in Parallel(blk, coalesced_width=vec):  # expect: TLC001
        pass


def in_a_try(blk):
    try:
        from tilelang.language import Parallel as Par
    except ImportError:
        Par = None
    for i in Par(blk, coalesced_width=2):  # expect: TLC001
        pass


def taken(blk, IntImm):
    from tilelang.language import Parallel

    for i in Parallel(blk, coalesced_width=4):  # expect: TLC001
        pass


def imported_under_another_name(blk):
    from tilelang.language import IntImm as Imm, Parallel

    for i in Parallel(blk, coalesced_width=4):  # expect: TLC001
        pass
