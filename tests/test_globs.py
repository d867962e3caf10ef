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


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("*{abcd,b}*cd", "abcd", "acd"),  # the first place of the first alternative is not the one
        ("*{a,ab}{c,bc}*{x,}y", "abcdy", "cay"),
        ("{sub/**/,x*}a.py", "sub/x/a.py", "sub/xa.py"),
        ("**/b/**/c/**", "a/b/c/d.py", "a/b/xc/d.py"),
        ("*a?*[bc]**", "xaxxc", "xac"),
        ("{" * 9000 + "a" + "}" * 9000, "a", "aa"),
    ],
)
def test_gaps_and_alternatives_together(pattern: str, matching: str, other: str) -> None:
    assert matches(pattern, matching)
    assert not matches(pattern, other)


@pytest.mark.parametrize("pattern", ["*a" * 14 + "*b", "**/a/" * 14 + "b", "{a*,*a}" * 6 + "b", "{a,aa}" * 9 + "b"])
def test_no_pattern_is_tried_in_ever_more_ways(pattern: str) -> None:
    """Backtracking would take years for these names: that the tests come to an end is the proof."""
    assert not matches(pattern, "a" * 1000)
    assert not matches(pattern, "a/" * 1000 + "c")


def test_too_many_alternatives_are_an_error() -> None:
    with pytest.raises(GlobError, match="more than 1000 alternatives"):
        FilePattern("{a,aa}" * 30, ROOT).check()


def test_a_pattern_that_leaves_its_folder_starts_at_the_folder_above() -> None:
    assert FilePattern("../other/*.py", "/project/sub").matches("/project/other/a.py", "a.py")
    assert not FilePattern("../other/*.py", "/project/sub").matches("/project/sub/other/a.py", "a.py")


@pytest.mark.parametrize("pattern", ["[a", "{a,b", "[b-a]", "{" * 9000])
def test_a_malformed_pattern_is_an_error_on_one_line(pattern: str) -> None:
    with pytest.raises(GlobError, match="malformed pattern") as caught:
        FilePattern(pattern, ROOT).check()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200
