import sys

import tilelang.language as T

replaced = 4
globals()["replaced"] = T.int32(4)
updated = 4
globals().update(updated=T.int32(4))
of_the_module = 4
setattr(sys.modules[__name__], "of_the_module", T.int32(4))
generated_first = 4
for number in range(2):
    globals()[f"generated_{number}"] = number
kept = 4
print(globals()["kept"])


def body(blk):
    for i in T.Parallel(blk, coalesced_width=replaced):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=updated):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=of_the_module):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=generated_first):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", kept)):  # expect: TLC001
        pass
