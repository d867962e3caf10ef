"""guesses.guess: the table of names, what annotations allow, and that the ladder is one."""

from __future__ import annotations

import ast

import pytest

from tl_lint.verify.guesses import RUNGS, guess
from tl_lint.verify.model import Parameter


@pytest.mark.parametrize(
    ("name", "annotation", "expected"),
    [
        ("M", None, "1024"),
        ("K", "int", "1024"),
        ("block_M", None, "128"),
        ("BLOCK_K", None, "32"),
        ("blk_m", None, "128"),
        ("store_block_N", None, "128"),
        ("threads", None, "128"),
        ("threads_arg", "int", "128"),
        ("num_stages", None, "2"),
        ("heads", None, "16"),
        ("head_kv", None, "4"),
        ("groups", None, "1"),
        ("group_size", None, "64"),
        ("dim", None, "128"),
        ("head_dim", "int", "128"),
        ("batch", None, "1"),
        ("seq_len", None, "1024"),
        ("seqlen_kv", None, "1024"),
        ("hidden_size", None, "4096"),
        ("num_experts", None, "64"),
        ("topk", None, "64"),
        ("dtype", None, "'float16'"),
        ("in_dtype", "str", "'float16'"),
        ("accum_dtype", None, "'float32'"),
        ("dtype", "torch.dtype", "torch.float16"),
        ("out_dtype", "T.dtype", "'float16'"),
        ("is_causal", None, "False"),
        ("trans_A", None, "False"),
        ("causal", "bool", "False"),
        ("eps", "float", "1e-6"),
        ("sm_scale", None, "1.0"),
        ("something", "bool", "False"),
        ("something", "float", "1.0"),
        ("something", "int", "64"),
        ("something", "Optional[int]", "None"),
        ("something", "int | None", "None"),
        ("something", None, "64"),
        # A name that means a number, annotated as something else.
        ("scale", "bool", "False"),
        ("is_causal", "float", "1.0"),
        ("use_bias", "int", "64"),
    ],
)
def test_a_parameter_is_guessed_by_its_name_and_annotation(name: str, annotation: str | None, expected: str) -> None:
    assert guess(Parameter(name, annotation), 0) == expected


@pytest.mark.parametrize("name", ["M", "block_M", "dtype", "is_causal", "op_func", "shape", "eps", "unheard_of"])
def test_every_rung_gives_an_expression_and_the_same_one_each_time(name: str) -> None:
    parameter = Parameter(name)
    values = [guess(parameter, rung) for rung in range(RUNGS)]
    for value in values:
        ast.parse(value, mode="eval")
    assert values == [guess(parameter, rung) for rung in range(RUNGS)]


def test_sizes_are_multiples_of_their_blocks_on_every_rung() -> None:
    for rung in range(RUNGS):
        for size, block in (("M", "block_M"), ("N", "block_N"), ("K", "block_K"), ("seq_len", "block_size")):
            assert int(guess(Parameter(size), rung)) % int(guess(Parameter(block), rung)) == 0
        assert int(guess(Parameter("heads"), rung)) % int(guess(Parameter("heads_kv"), rung)) == 0
