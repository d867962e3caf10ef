try:
    import tilelang.language as T
except ImportError:
    T = None

try:
    from tilelang.language import Parallel
except ImportError:
    Parallel = None

try:
    from tilelang import language as lang
except ImportError:
    from somewhere import lang


def body(blk):
    for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in Parallel(blk, coalesced_width=T.IntImm("int32", 4)):  # expect: TLC001
        pass
    for i in lang.Parallel(blk, coalesced_width=4):
        pass
