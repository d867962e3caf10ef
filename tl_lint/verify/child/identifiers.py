"""Functions that emitted CUDA source calls and that no compiler knows."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from tl_lint.verify.model import Check

__all__ = ["called_in", "check"]

_NAME = "unknown identifier"

_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^[ \t]*#(?:\\\n|[^\n])*', re.DOTALL | re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]", re.MULTILINE)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_CALLED = re.compile(r"(?<![\w.])(?<!->)(?:\w+::)*([A-Za-z_]\w*)[ \t]*\(")
_QUALIFIED = re.compile(r"\b\w+::(?:\w+::)*([A-Za-z_]\w*)")
# A name after a type: a function, or an object made with parentheses.
_NO_TYPE = r"(?!(?:return|else|throw|new|delete|case|do|goto)\b)"
_DECLARED = re.compile(rf"\b{_NO_TYPE}[A-Za-z_]\w*[ \t]*[>*&]*[ \t]+[*&]*([A-Za-z_]\w*)[ \t]*\(")
_TYPE = re.compile(r"\b(?:struct|class|using|typename|enum|namespace)[ \t]+([A-Za-z_]\w*)")

_OF_THE_LANGUAGE = frozenset(
    re.findall(
        r"\S+",
        """
        if for while switch return sizeof alignof alignas decltype asm volatile typeid noexcept static_assert catch new
        delete throw int float double bool char short long unsigned signed void auto operator defined and or not const
        __asm__ __attribute__ __declspec __align__
        """,
    )
)
# Names in capitals are macros, which the command line or a tool of TileLang's may define.
_OF_THE_COMPILER = re.compile(r"__builtin_|__nv|[A-Z][A-Z0-9_]*$")
_BOUNDS = re.compile(r"__(?:launch_bounds|cluster_dims|maxnreg|block_size)__[ \t]*\([^()]*\)")

# What TileLang's code generator makes of a function of floats that is called with an int, and of one that only its host
# code has. They are known to be wrong where CUDA's headers are not at hand, and need no looking up where they are.
_KNOWN_WRONG = re.compile(
    r"__(?:r?sqrt|exp2|exp10|log|log2|log10|log1p|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|pow|erf)(?:ll)?$|TVM\w+$"
)


def check(source: str) -> list[Check]:
    """Return a failure for each function that CUDA source calls and that neither it nor any header so much as names.

    The headers are CUDA's, CUTLASS's and TileLang's own. Without CUDA's, only names that are known to be wrong count.
    Source that includes further files is not judged.
    """
    names = called_in(source)
    unknown = {name for name in names if _KNOWN_WRONG.match(name)}
    headers = _Headers()
    if headers.complete:
        if headers.lack_one_of(source):
            return []
        unknown |= headers.without(names - unknown)
    return [Check(_NAME, "fails", f"the CUDA source calls {name}, which no compiler knows") for name in sorted(unknown)]


def called_in(source: str) -> set[str]:
    """Return the functions that CUDA source calls, without namespaces and without what it declares itself."""
    defined = set(_DEFINED.findall(source))
    code = _BOUNDS.sub("", _NO_CODE.sub(" ", source))
    names = {*_CALLED.findall(code), *_QUALIFIED.findall(code)}
    names -= {*_DECLARED.findall(code), *_TYPE.findall(code), *defined, *_OF_THE_LANGUAGE}
    return {name for name in names if not _OF_THE_COMPILER.match(name)}


class _Headers:
    """The headers that emitted source may use, as far as they are on this machine."""

    def __init__(self) -> None:
        import tilelang

        package = Path(tilelang.__file__).parent
        templates = Path(os.environ.get("TL_TEMPLATE_PATH") or package / "src")
        cutlass = Path(os.environ.get("TL_CUTLASS_PATH") or package / "3rdparty" / "cutlass" / "include")
        cuda = next((folder for folder in _cuda_folders() if (folder / "cuda_runtime.h").exists()), None)
        self._roots = [templates, cutlass, *([cuda] if cuda else [])]
        self._read = [templates / "tl_templates" / "cuda", *([cuda] if cuda else []), cutlass]
        self.complete = cuda is not None and all(folder.is_dir() for folder in self._read)
        """Whether a name that none of them has is one that no compiler knows."""

    def without(self, names: set[str]) -> set[str]:
        """Return the names that stand in no header; the likeliest headers are read first."""
        left = set(names)
        for header in self._files():
            if not left:
                break
            words = header.read_bytes()
            left -= {name for name in left if name.encode() in words and _is_word(name, words)}
        return left

    def lack_one_of(self, source: str) -> bool:
        """Whether `source` includes a file that is not here; those without an ending are standard C++."""
        named = [name for name in _INCLUDE.findall(source) if "." in name]
        return not all(any((root / name).exists() for root in self._roots) for name in named)

    def _files(self) -> Iterator[Path]:
        for folder in self._read:
            yield from (path for path in folder.iterdir() if path.is_file())
            yield from (path for path in folder.rglob("*") if path.parent != folder and path.is_file())


def _is_word(name: str, words: bytes) -> bool:
    return re.search(rb"\b%b\b" % name.encode(), words) is not None


def _cuda_folders() -> Iterator[Path]:
    """Yield where CUDA's headers may be: beside nvcc, where the environment says, or in Python packages."""
    from tilelang import env

    nvcc = shutil.which("nvcc")
    if nvcc:
        yield Path(nvcc).resolve().parent.parent / "include"
    homes = (getattr(env, "CUDA_HOME", None), os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"))
    yield from (Path(home) / "include" for home in homes if home)
    yield Path("/usr/local/cuda/include")
    packages = importlib.util.find_spec("nvidia")
    for folder in (packages.submodule_search_locations or []) if packages else []:
        yield from sorted(Path(folder).glob("*/include"))
