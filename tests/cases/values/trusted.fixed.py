import enum

import tilelang.language as T

aliased = [4, 8]
alias = aliased
alias[0] = T.int32(4)
passed = [4, 8]
unknown(passed)  # noqa: F821
only_read = [4, 8]
print(only_read, len(only_read))


class Width(int, enum.Enum):
    FOUR = 4


class Config:
    set_by_name = 4
    looped = 4
    kept = 4


setattr(Config, "set_by_name", T.int32(4))
for Config.looped in (T.int32(4),):
    pass


@unknown  # noqa: F821
class Decorated:
    lanes = 4


class Derived(unknown.Base, Config):  # noqa: F821
    pass


def outer():
    w = 4

    def mid():
        def inner():
            nonlocal w
            w = T.int32(4)

        inner()

    mid()
    for i in T.Parallel(64, coalesced_width=T.int32(w)):  # expect: TLC001
        pass


def body(blk):
    for i in T.Parallel(blk, coalesced_width=aliased[0]):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=passed[0]):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", only_read[0])):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", Width.FOUR)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=Config.set_by_name):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=Config.looped):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", Config.kept)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=Decorated.lanes):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=Derived.kept):  # expect: TLC002
        pass
