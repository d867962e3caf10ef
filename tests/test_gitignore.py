"""What is ignored, held against the real `git check-ignore`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tl_lint.gitignore import Ignored, entering, rules_above

_ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(repository: Path, *arguments: str, given_input: bytes = b"") -> bytes:
    done = subprocess.run(
        ["git", *arguments], cwd=repository, env=_ENVIRONMENT, input=given_input, capture_output=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def kept(folder: Path, rules: Ignored | None) -> Iterator[str]:
    """Yield the files that a walk of `folder` reaches."""
    has_file, is_repository = (folder / ".gitignore").exists(), (folder / ".git").exists()
    rules = entering(str(folder), rules, has_file, is_repository)
    for entry in sorted(folder.iterdir()):
        if entry.name == ".git" or (rules is not None and rules.covers(str(entry), entry.is_dir())):
            continue
        if entry.is_dir():
            yield from kept(entry, rules)
        else:
            yield str(entry)


def kept_by_git(repository: Path) -> set[str]:
    files = [str(file) for file in repository.rglob("*") if file.is_file() and ".git" not in file.parts]
    ignored = git(repository, "check-ignore", "--no-index", "-z", "--stdin", given_input="\0".join(files).encode())
    return set(files) - set(ignored.decode().split("\0"))


_FILES = ("a.py", "b.py", "a/a.py", "a/b/c.py", "b/a.py", "b/b/a.py", "a b/c.py", "a/#c.py", "b/!a.py")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q")
    for name in _FILES:
        (root / name).parent.mkdir(exist_ok=True, parents=True)
        (root / name).touch()
    return root


def check_against_git(repository: Path, contents: dict[str, str]) -> None:
    for name, text in contents.items():
        (repository / name).write_bytes(text.encode())
    try:
        assert set(kept(repository, None)) == kept_by_git(repository)
    finally:
        for name in contents:
            (repository / name).unlink()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "*.py",
        "/a.py",
        "a/",
        "a.py/",
        "b/b",
        "**/b",
        "a/**",
        "a/**/c.py",
        "*\n!a.py",
        "*\n!*/\n!a.py",
        "a/*\n!a/b/",
        "a/\n!a/a.py",
        "a\\ b",
        "a b",
        "a b   ",
        "a b\\ ",
        "\\#c.py",
        "#c.py",
        "\\!a.py",
        "[ab].py",
        "[!a].py",
        "[a",
        "!",
        "/",
        "a.py\r\nb\r\n",
        "\ufeffa.py\n",
        "a.py",
        "b/*/a.py",
        "\\",
        "a?py",
        "**",
        "**/",
        "/**",
        "a**",
        "[]a].py",
        "[a-]*",
        "[\\a].py",
        "a[/]b",
        "a\\\\ ",
        "b\\*",
    ],
)
def test_the_root_file_means_what_git_makes_of_it(repository: Path, text: str) -> None:
    check_against_git(repository, {".gitignore": text})


def test_a_deeper_file_wins_and_info_exclude_comes_last(repository: Path) -> None:
    check_against_git(repository, {".gitignore": "a.py\n/b/b/", "a/.gitignore": "!a.py\n/b/*", "b/.gitignore": "!b/"})
    check_against_git(repository, {".git/info/exclude": "*.py", ".gitignore": "!c.py", "b/.gitignore": "!a.py"})


_PART = st.sampled_from(["a", "b", "c", "*", "?", "a.py", "*.py", "[ab]", "b*", " ", "a b"])
_PATTERNS = st.lists(
    st.tuples(
        st.sampled_from(["", "", "!"]),
        st.sampled_from(["", "", "/"]),
        st.lists(_PART, min_size=1, max_size=3).map("/".join),
        st.sampled_from(["", "/"]),
    ).map("".join),
    max_size=4,
).map("\n".join)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(root=_PATTERNS, inner=_PATTERNS)
def test_any_patterns_mean_what_git_makes_of_them(repository: Path, root: str, inner: str) -> None:
    check_against_git(repository, {".gitignore": root, "a/.gitignore": inner})


def test_the_folders_above_count_up_to_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repository" / "src" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("outside.py\n")
    (tmp_path / "repository" / ".gitignore").write_text("built.py\n")
    (tmp_path / "repository" / "src" / ".gitignore").write_text("made.py\n")
    assert rules_above(str(inner)) is None  # no repository
    git(tmp_path / "repository", "init", "-q")
    rules = rules_above(str(inner))
    assert rules is not None
    assert [rules.covers(str(inner / name), False) for name in ("built.py", "made.py", "outside.py")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("pattern", ["deep/", "src", "/src/*", "*"])
def test_a_folder_that_is_ignored_itself_is_not_bound_by_the_folders_above(tmp_path: Path, pattern: str) -> None:
    inner = tmp_path / "src" / "deep"
    inner.mkdir(parents=True)
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text(f"{pattern}\nbuilt.py\n")
    assert rules_above(str(inner)) is None


def test_a_named_folder_that_ignores_all_of_itself_is_read_all_the_same(tmp_path: Path) -> None:
    folder = str(tmp_path)
    (tmp_path / ".gitignore").write_text("# made by venv\n*\n")
    assert entering(folder, None, True, False, named=True) is None
    assert entering(folder, None, True, False, named=False) is not None
    (tmp_path / ".gitignore").write_text("*\n!keep.py\n")
    assert entering(folder, None, True, False, named=True) is not None
    (tmp_path / ".gitignore").write_text("built.py\n")
    assert entering(folder, None, True, False, named=True) is not None


def test_a_repository_within_knows_nothing_of_the_rules_around_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".gitignore").write_text("a.py\n")
    outer = entering(str(tmp_path), None, True, True)
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    assert outer is not None
    assert outer.covers(str(inner / "a.py"), False)
    found = entering(str(inner), outer, False, True)
    assert found is None or not found.covers(str(inner / "a.py"), False)


def test_the_exclude_file_of_a_worktree_is_the_repository_s(tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "start")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    (main / ".git" / "info").mkdir(exist_ok=True)
    (main / ".git" / "info" / "exclude").write_text("built.py\n")
    rules = entering(str(tmp_path / "tree"), None, False, True)
    assert rules is not None
    assert rules.covers(str(tmp_path / "tree" / "built.py"), False)
