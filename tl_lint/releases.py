"""TileLang releases: which ones a project targets, and whether a rule holds for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import metadata
from itertools import compress

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

__all__ = ["KNOWN", "ReleaseError", "Target", "installed_release", "resolve"]

KNOWN: tuple[Version, ...] = tuple(Version(f"0.1.{patch}") for patch in range(8, 16))
"""The releases that the rules were measured on, oldest first."""


class ReleaseError(ValueError):
    """The text names no release of TileLang that can be targeted; its message is one line."""


@dataclass(frozen=True)
class Target:
    """The releases that the linted code has to compile with, and how a message calls them."""

    releases: tuple[Version, ...]
    described: str
    """Such as "TileLang 0.1.13" or "TileLang 0.1.8 to 0.1.15"."""

    @classmethod
    def parse(cls, text: str) -> Target:
        """Return what `text` targets: a version, a PEP 440 specifier, "all" or "installed".

        A version is taken as given, known or not; a specifier selects among `KNOWN`. Raises ReleaseError if the text
        is none of these, if no known release satisfies it, or if TileLang is asked for as installed and is not.
        """
        wanted = text.strip()
        if wanted == "all":
            return cls._of(KNOWN)
        if wanted == "installed":
            release = installed_release()
            if release is None:
                raise ReleaseError("tilelang-version is 'installed', but TileLang is not installed in this environment")
            return cls._of((release,))
        try:
            return cls._of((Version(wanted),))
        except InvalidVersion:
            return cls._of(_satisfying(wanted))

    @classmethod
    def _of(cls, releases: tuple[Version, ...]) -> Target:
        return cls(releases, _described(releases))

    def holds(self, specifier: str) -> bool:
        """Return whether any targeted release satisfies the PEP 440 `specifier`."""
        return any(_accepted(specifier, self.releases))

    def every(self, specifier: str) -> bool:
        """Return whether every targeted release satisfies the PEP 440 `specifier`."""
        return all(_accepted(specifier, self.releases))


def installed_release() -> Version | None:
    """Return the version in the metadata of the installed `tilelang` distribution, None if there is none to read.

    TileLang itself is never imported.
    """
    try:
        return Version(metadata.version("tilelang"))
    except metadata.PackageNotFoundError:
        return None
    except (InvalidVersion, KeyError, TypeError):  # metadata without a version, or with one outside PEP 440
        return None


def resolve(option: str | None, configured: str | None) -> Target:
    """Return the target: the command line's `option`, else the `configured` one, else the installed release, else all.

    Raises ReleaseError as `Target.parse` does.
    """
    given = option if option is not None else configured
    if given is not None:
        return Target.parse(given)
    return Target.parse("all" if installed_release() is None else "installed")


@cache  # asked for every rule and file
def _accepted(specifier: str, releases: tuple[Version, ...]) -> tuple[bool, ...]:
    """Return for each of `releases` whether the PEP 440 `specifier` accepts it, unfinished releases included."""
    accepted = SpecifierSet(specifier)
    return tuple(accepted.contains(release, prereleases=True) for release in releases)


def _satisfying(specifier: str) -> tuple[Version, ...]:
    """Return the known releases that satisfy `specifier`; raise ReleaseError if it is none or none does."""
    expected = "a version such as 0.1.15, a specifier such as '>=0.1.13', 'all' or 'installed'"
    if not specifier:
        raise ReleaseError(f"no TileLang version given: expected {expected}")
    try:
        accepted = _accepted(specifier, KNOWN)
    except InvalidSpecifier:
        raise ReleaseError(f"not a TileLang version: {specifier!r}; expected {expected}") from None
    found = tuple(compress(KNOWN, accepted))
    if not found:
        raise ReleaseError(f"no known TileLang release satisfies {specifier!r}: known are {KNOWN[0]} to {KNOWN[-1]}")
    return found


def _described(releases: tuple[Version, ...]) -> str:
    first, last = releases[0], releases[-1]
    between = tuple(release for release in KNOWN if first <= release <= last)
    if len(releases) > 2 and releases == between:
        return f"TileLang {first} to {last}"
    *others, final = map(str, releases)
    return f"TileLang {', '.join(others)} and {final}" if others else f"TileLang {final}"
