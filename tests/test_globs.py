"""Patterns of exclude and per-file-ignores: the meanings below were read off ruff 0.17 with the same patterns."""

from __future__ import annotations

import posixpath

import pytest

from tl_lint.globs import FilePattern, GlobError

ROOT = "/project [x]/{a}"


def matches(pattern: str, relative: str) -> bool:
    return FilePattern(pattern, ROOT).matches(f"{ROOT}/{relative}", posixpath.basename(relative))


@pytest.mark.parametrize(
    ("pattern", "relative"),
    [
        ("sub", "subs"),
        ("sub", "sub/a.py"),  # a walk never gets there: it does not enter sub
        ("sub/*.py", "other/sub/a.py"),
        ("sub/**", "sub"),
        ("*.py", "a.pyw"),
        ("[!a].py", "a.py"),
        ("a?.py", "a.py"),
        ("{a,b}.py", "c.py"),
        ("./sub", "a/sub"),
        ("../{a}/x.py", "y.py"),
        (r"\*.py", "a.py"),
        (".", "a.py"),
        ("[a-c].py", "d.py"),
    ],
)
def test_does_not_match(pattern: str, relative: str) -> None:
    assert not matches(pattern, relative)


@pytest.mark.parametrize(
    ("pattern", "relative"),
    [
        ("sub", "sub"),
        ("sub", "deep/er/sub"),
        ("sub/", "sub"),
        ("./sub", "sub"),
        ("../[{]a}/sub", "sub"),
        ("a.py", "deep/a.py"),
        ("*.py", "deep/a.py"),
        ("sub/*.py", "sub/a.py"),
        ("sub/*.py", "sub/deep/a.py"),  # a star crosses separators
        ("sub/**/a.py", "sub/a.py"),
        ("sub/**/a.py", "sub/x/y/a.py"),
        ("**/a.py", "a.py"),
        ("sub/**", "sub/a.py"),
        ("sub/d?ep", "sub/deep"),
        ("{a,b{c,d}}.py", "bd.py"),
        ("[!a].py", "b.py"),
        ("[]].py", "].py"),
        ("[a-c].py", "b.py"),
        (r"\[x].py", "[x].py"),
        ("}.py", "}.py"),
        (f"{ROOT[:1]}**/a.py", "deep/a.py"),
    ],
)
def test_matches(pattern: str, relative: str) -> None:
    assert matches(pattern, relative)


def test_a_pattern_that_leaves_its_folder_starts_at_the_folder_above() -> None:
    assert FilePattern("../other/*.py", "/project/sub").matches("/project/other/a.py", "a.py")
    assert not FilePattern("../other/*.py", "/project/sub").matches("/project/sub/other/a.py", "a.py")


@pytest.mark.parametrize("pattern", ["[a", "{a,b", "[b-a]"])
def test_a_malformed_pattern_is_an_error_on_one_line(pattern: str) -> None:
    with pytest.raises(GlobError, match="malformed pattern") as caught:
        FilePattern(pattern, ROOT).check()
    assert "\n" not in str(caught.value)
