import enum
import math
import operator
import os

import numpy as np
import tilelang.language as T
from tilelang import tvm


class Width(enum.IntEnum):
    TWO = 2
    FOUR = 4


class Plain(enum.Enum):
    FOUR = 4


class Config:
    VEC = 4
    WRAPPED = T.int32(4)
    HALF = VEC // 2


SIZES = (2, 4)
BY_NAME = {"float32": 4, "float16": 8}
VEC = 128 // 32
WIDTH = T.IntImm("int32", 4)


def four():
    return 4


def declared() -> int:
    return os.getpid() % 2


def body(blk, count, path):
    for i in T.Parallel(blk, coalesced_width=0x4):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=(4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=2 * 2):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=1 << 2):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=-(-4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=8 / 2):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=int(path)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=len(SIZES)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=max(1, 4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=abs(-4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=sum((2, 2))):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=pow(2, 2)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=round(4.2)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=math.gcd(8, 12)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=operator.mul(2, 2)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=np.int64(4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=np.bool_(1)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=Width.FOUR):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=Plain.FOUR):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=Plain.FOUR.value):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=Config.VEC):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=Config.HALF):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=Config.WRAPPED):
        pass
    for i in T.Parallel(blk, coalesced_width=SIZES[1]):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=BY_NAME["float32"]):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=VEC):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=WIDTH):
        pass
    for i in T.Parallel(blk, coalesced_width=four()):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=declared()):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=(w := 4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=w):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=f"{4}"):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=(2, 2)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=blk > 4):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=2 > 1):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=not blk):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=count):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=count.width):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=count.width()):  # expect: TLC002
        pass
    for i in T.Parallel(blk, coalesced_width=count // 2):  # expect: TLC002
        pass
    for v in (2, 4):
        for i in T.Parallel(blk, coalesced_width=v):  # expect: TLC001
            pass
    for v in SIZES:
        for i in T.Parallel(blk, coalesced_width=v):  # expect: TLC001
            pass
    for v in range(4, 5):
        for i in T.Parallel(blk, coalesced_width=v):  # expect: TLC001
            pass
    for index, (name, v) in enumerate([("a", 2), ("b", 4)]):
        for i in T.Parallel(blk, coalesced_width=v):  # expect: TLC001
            pass
    for v in count:
        for i in T.Parallel(blk, coalesced_width=v):  # expect: TLC002
            pass
    a, b = 4, T.int32(4)
    for i in T.Parallel(blk, coalesced_width=a):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=b):
        pass
    c = d = 4
    for i in T.Parallel(blk, coalesced_width=c):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.int32(count)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.IntImm("int32", count)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.min(4, 8)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.min(count, 8)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.ceildiv(8, 2)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.int32(2) * 2):
        pass
    for i in T.Parallel(blk, coalesced_width=4 * T.int32(1)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.cast(4, "int32")):
        pass
    for i in T.Parallel(blk, coalesced_width=T.cast(4, T.int64)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.cast(4, "float32")):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.int32(None)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.int32x4(4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.const("n")):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.symbolic("n")):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.int32(4) * 1.0):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=~T.int32(-5)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.ceildiv(T.dynamic("n"), 2)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=tvm.tirx.IntImm("int32", 4)):
        pass
    for i in T.Parallel(blk, coalesced_width=tvm.tir.const(4)):
        pass
    for i in T.Parallel(blk, coalesced_width=None if count is None else T.int32(count)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.bool(True)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.int(4)):
        pass
    for i in T.Parallel(blk, coalesced_width=T.Cast("int32", 4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.bitwise_not(4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=T.int32(4).value):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=max(T.int32(2), 4)):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=max(T.int32(4), T.int32(2))):
        pass
    for i in T.Parallel(blk, coalesced_width=T.int32):  # expect: TLC001
        pass
    for i in T.Parallel(blk, coalesced_width=tvm.tirx.const(4.0)):  # expect: TLC001
        pass
