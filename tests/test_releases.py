"""Which releases of TileLang a project targets."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.version import Version

from tl_lint.releases import KNOWN, ReleaseError, Target, installed_release, resolve

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that lays the metadata of a TileLang of some version on an import path that holds no other."""
    library = sysconfig.get_path("stdlib")
    kept = [entry for entry in sys.path if entry.startswith(library) and "site-packages" not in entry]
    monkeypatch.setattr(sys, "path", [str(tmp_path), *kept])

    def lay(version_line: str) -> None:
        folder = tmp_path / "tilelang-0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: tilelang\n{version_line}")

    return lay


def versions(*texts: str) -> tuple[Version, ...]:
    return tuple(map(Version, texts))


def test_known_releases_are_sorted_and_unique() -> None:
    assert list(KNOWN) == sorted(set(KNOWN))


@pytest.mark.parametrize(
    ("text", "expected", "described"),
    [
        ("all", KNOWN, "TileLang 0.1.8 to 0.1.15"),
        ("0.1.13", versions("0.1.13"), "TileLang 0.1.13"),
        (" 0.1.13 ", versions("0.1.13"), "TileLang 0.1.13"),
        (">=0.1.13", versions("0.1.13", "0.1.14", "0.1.15"), "TileLang 0.1.13 to 0.1.15"),
        ("<0.1.10", versions("0.1.8", "0.1.9"), "TileLang 0.1.8 and 0.1.9"),
        ("!=0.1.9,<0.1.12", versions("0.1.8", "0.1.10", "0.1.11"), "TileLang 0.1.8, 0.1.10 and 0.1.11"),
        ("==0.1.15", versions("0.1.15"), "TileLang 0.1.15"),
        # not in KNOWN, and taken as given
        ("0.1.16", versions("0.1.16"), "TileLang 0.1.16"),
        ("0.1.7.post3", versions("0.1.7.post3"), "TileLang 0.1.7.post3"),
        ("0.2.0rc1", versions("0.2.0rc1"), "TileLang 0.2.0rc1"),
    ],
)
def test_parse(text: str, expected: tuple[Version, ...], described: str) -> None:
    target = Target.parse(text)
    assert target.releases == expected
    assert target.described == described


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no TileLang version given"),
        ("  ", "no TileLang version given"),
        ("newest", "not a TileLang version: 'newest'"),
        ("0.1.x", "not a TileLang version: '0.1.x'"),
        ("ALL", "not a TileLang version: 'ALL'"),
        (">=0.2", "no known TileLang release satisfies '>=0.2': known are 0.1.8 to 0.1.15"),
    ],
)
def test_parse_refuses_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ReleaseError) as caught:
        Target.parse(text)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "specifier", "holds", "every"),
    [
        ("0.1.13", ">=0.1.8", True, True),
        ("0.1.13", ">=0.1.14", False, False),
        ("all", ">=0.1.14", True, False),
        ("all", ">=0.1.8", True, True),
        ("all", "<0.1.8", False, False),
        ("all", "", True, True),
        # a release candidate, a post release and a build of one's own are releases too
        ("0.1.16rc1", ">=0.1.8", True, True),
        ("0.1.7.post3", ">=0.1.8", False, False),
        ("0.1.15+cu128", "<=0.1.15", True, True),
        ("0.1.16.dev0+gabcdef", ">=0.1.15", True, True),
    ],
)
def test_holds_and_every(text: str, specifier: str, holds: bool, every: bool) -> None:
    target = Target.parse(text)
    assert target.holds(specifier) is holds
    assert target.every(specifier) is every


def test_nothing_installed(install: Install) -> None:
    assert installed_release() is None
    with pytest.raises(ReleaseError, match="TileLang is not installed in this environment"):
        Target.parse("installed")


def test_installed(install: Install) -> None:
    install("Version: 0.1.13+cu121\n")
    assert installed_release() == Version("0.1.13+cu121")
    assert Target.parse("installed").described == "TileLang 0.1.13+cu121"
    assert "tilelang" not in sys.modules


@pytest.mark.parametrize("line", ["", "Version: nightly\n"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # importlib.metadata, of the missing key
def test_metadata_without_a_usable_version_counts_as_not_installed(install: Install, line: str) -> None:
    install(line)
    assert installed_release() is None


@pytest.mark.parametrize(
    ("option", "configured", "installed", "expected"),
    [
        (None, None, None, "TileLang 0.1.8 to 0.1.15"),
        (None, None, "0.1.14", "TileLang 0.1.14"),
        (None, "0.1.13", "0.1.14", "TileLang 0.1.13"),
        (None, "installed", "0.1.14", "TileLang 0.1.14"),
        (None, "all", "0.1.14", "TileLang 0.1.8 to 0.1.15"),
        ("0.1.12", "0.1.13", "0.1.14", "TileLang 0.1.12"),
        ("all", "0.1.13", "0.1.14", "TileLang 0.1.8 to 0.1.15"),
    ],
)
def test_the_command_line_wins_then_the_configuration_then_what_is_installed(
    install: Install, option: str | None, configured: str | None, installed: str | None, expected: str
) -> None:
    if installed is not None:
        install(f"Version: {installed}\n")
    assert resolve(option, configured).described == expected


@pytest.mark.parametrize(("option", "configured"), [("", "all"), (None, "")])
def test_an_empty_version_is_refused_and_not_skipped(option: str | None, configured: str | None) -> None:
    with pytest.raises(ReleaseError):
        resolve(option, configured)
