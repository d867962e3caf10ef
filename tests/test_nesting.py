"""No input may end the process or keep it busy for minutes: what is too deep is refused, what is not is parsed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from tl_lint.nesting import MOST_BRACKETS, MOST_LEVELS
from tl_lint.source import Source, SourceError
from tl_lint.stack import with_deep_stack

CHAINS: dict[str, Callable[[int], str]] = {
    "sum": lambda n: "x = " + " + ".join(["a"] * n),
    "and": lambda n: "x = " + " and ".join(["a"] * n),
    "attributes": lambda n: "x = a" + ".b" * n,
    "calls": lambda n: "x = a" + "()" * n,
    "subscripts": lambda n: "x = a" + "[0]" * n,
    "elif": lambda n: "if a:\n  pass\n" + "elif a:\n  pass\n" * n,
    "not": lambda n: "x = " + "not " * n + "a",
    "minus": lambda n: "x = " + "-" * n + "a",
    "lambda": lambda n: "x = " + "lambda a=1: " * n + "a",
    "power": lambda n: "x = " + "a ** " * n + "a",
    "conditional": lambda n: "x = " + "a if b else " * n + "a",
    "strings": lambda n: "x = " + "'a' " * n,
    "byte strings": lambda n: "x = " + "b'a' " * n,
    "strings on lines": lambda n: '"""\x0c\x1c\u2028\n\x0b"""\nx = (\n' + "'a'  # it's\n" * n + ")\n",
    "f-strings": lambda n: "x = " + "f'{a}' " * n,
    "import": lambda n: "import a" + ".b" * n,
    "import from": lambda n: "from a" + ".b" * n + " import c",
    "loops of a comprehension": lambda n: "x = [a " + "for a in b " * n + "]",
    "alternatives": lambda n: "x: " + " | ".join(["a"] * n) + " = 1",
    "dotted pattern": lambda n: "match a:\n  case a" + ".b" * n + ": pass\n",
    "brackets": lambda n: "x = " + "(" * n + "a" + ")" * n,
    "lists": lambda n: "x = " + "[" * n + "a" + "]" * n,
    "nested calls": lambda n: "x = " + "f(" * n + "a" + ")" * n,
    "blocks": lambda n: "".join(" " * i + "if a:\n" for i in range(n)) + " " * n + "pass\n",
    "functions": lambda n: "".join(" " * i + "def f(a, b=1):\n" for i in range(n)) + " " * n + "pass\n",
}
FLAT: dict[str, Callable[[int], str]] = {
    "comparisons": lambda n: "x = a" + " < a" * n,
    "targets": lambda n: "a = " * n + "b",
    "with": lambda n: "with " + ", ".join(["a"] * n) + ": pass",
    "decorators": lambda n: "@a\n" * n + "def f(): pass\n",
    "arguments": lambda n: "f(" + ", ".join(["a"] * n) + ")",
    "statements": lambda n: "a; " * n + "a",
    "quotes in a string": lambda n: "x = '''" + '{"a": "b"}\n' * n + "'''",
    "one string a line": lambda n: "x = [\n" + "'a',\n" * n + "]",
    "brackets in a comment": lambda n: "match a:\n  # " + "(" * n + "\n  case '" + "(" * n + "': pass\n",
}
PATTERNS: dict[str, Callable[[int], str]] = {
    "tuples": lambda n: "match a:\n  case " + "(" * n + "a" + ",)" * n + ": pass\n",
    "brackets": lambda n: "match a:\n  case 1: pass\n  case " + "(" * n + "a" + ")" * n + ":\n    pass\n",
    "mappings": lambda n: "match a:\n  case " + "{1: " * n + "a" + "}" * n + ": pass\n",
    "classes": lambda n: "match a:\n  case " + "A(b=" * n + "a" + ")" * n + ": pass\n",
    "del": lambda n: "del " + "(" * n + "a" + ",)" * n,
}


def parsed(text: str) -> str:
    """Return "parsed" or the message of the refusal."""
    source = Source("x.py", text.encode())
    try:
        module = with_deep_stack(source.parse)
        with_deep_stack(source.spans, {module})
    except SourceError as error:
        return error.message
    return "parsed"


@pytest.mark.parametrize("name", list(CHAINS))
def test_thirty_levels_of_anything_parse(name: str) -> None:
    assert parsed(CHAINS[name](30)) == "parsed"


@pytest.mark.parametrize("name", FLAT)
def test_what_is_only_long_parses(name: str) -> None:
    assert parsed(FLAT[name](2 * MOST_LEVELS)) == "parsed"


@pytest.mark.parametrize("name", CHAINS)
def test_twenty_thousand_levels_of_anything_are_refused(name: str) -> None:
    levels = 300 if name in ("blocks", "functions") else 20_000
    assert parsed(CHAINS[name](levels)) != "parsed"


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_and_deletions_are_bounded_by_their_brackets(name: str) -> None:
    assert parsed(PATTERNS[name](MOST_BRACKETS - 1)) == "parsed"
    assert parsed(PATTERNS[name](MOST_BRACKETS + 1)).startswith(f"brackets nested more than {MOST_BRACKETS} levels")


def test_a_chain_of_large_calls_is_refused_for_the_time_it_would_take() -> None:
    argument = ", ".join(["a"] * 100)
    assert parsed("x = a" + f" + f({argument})" * 800) == "too large for its nesting"
    assert parsed("x = a" + f" + f({argument})" * 20) == "parsed"


def test_the_refusal_names_the_line() -> None:
    source = Source("x.py", b"a = 1\r\n\r\nx = a" + b" and b" * 2 * MOST_LEVELS)
    with pytest.raises(SourceError) as refused:
        with_deep_stack(source.parse)
    assert source.position(refused.value.offset).line == 3


SCRIPT = """
import sys
sys.path[:0] = ["tests", "."]
from test_nesting import CHAINS, parsed
from tl_lint.nesting import MOST_LEVELS
weight = {"calls": 3, "subscripts": 3, "lambda": 2}
for name, make in CHAINS.items():
    if name in sys.argv[1:]:
        print(name, parsed(make((MOST_LEVELS - 10) // weight.get(name, 1))))
"""


@pytest.mark.long
@pytest.mark.parametrize("name", CHAINS)
def test_the_process_survives_the_deepest_that_is_allowed(name: str) -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT, name], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(name)
