"""What a kernel can be called with, from what somebody wrote down to what is guessed.

Sources, in this order: `--call`, pyproject, an in-file line `# tl-lint: verify NAME(M=1024)`, the defaults, the file's
own calls, the autotuner's configurations, a guess. Each call of the first three is verified for itself, as it is
written. All the others are alternatives: tried in turn until one traces. Where one source leaves parameters open, a
weaker one fills them, and the attempt is called after the weakest that had a say. A value that the function itself
asserts goes before a guess, and counts as one.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from tl_lint.verify.closing import Closing
from tl_lint.verify.guesses import RUNGS, guess
from tl_lint.verify.model import Attempt, FoundKernel, Parameter
from tl_lint.verify.own_calls import Bound, own_calls
from tl_lint.verify.reading import File, Function, opened
from tl_lint.verify.stages import Stage, stages
from tl_lint.verify.tuning import tuned
from tl_lint.verify_config import kernel_call

__all__ = ["attempts", "comments", "unreadable_comments"]

_COMMENT = re.compile(r"# tl-lint: verify +(.*\S)")
_NAME = re.compile(r"\w+(\.\w+)*")
_MOST_CALLS = 4
_SOURCES = ("defaults", "file", "autotune", "guess")


def attempts(
    text: str, kernel: FoundKernel, calls: Sequence[str] = (), configured: Sequence[tuple[str, str]] = ()
) -> list[list[Attempt]]:
    """Return what to call a kernel with: one inner list for each row to verify, of alternatives in the order to try.

    `calls` are the texts of --call, `configured` (name, arguments) from pyproject; those of other kernels are passed
    over. Raises ValueError if a call can't be read, as `kernel_call` says.
    """
    named = [kernel_call(call) for call in calls]
    for source, pairs in (("call", named), ("pyproject", configured), ("comment", comments(text))):
        mine = [arguments for name, arguments in pairs if name == kernel.name]
        if mine:
            return [[Attempt(arguments, source)] for arguments in dict.fromkeys(mine)]
    if kernel.form == "prim_func":
        return [[Attempt("", "defaults")]]
    file = opened(text)
    function = file.function(kernel.name)
    if function is None:
        return [[Attempt("", "defaults")]]
    return [_unique(_alternatives(file, _closing(text), function))]


def comments(text: str) -> list[tuple[str, str]]:
    """Return (name, arguments) of each line `# tl-lint: verify NAME(M=1024)` of a file, in order; NAME is NAME().

    Lines that hold no call are left out; `unreadable_comments` has them.
    """
    return [call for call in map(_call_of, _written(text)) if call is not None]


def unreadable_comments(text: str) -> list[str]:
    """Return what stands behind `# tl-lint: verify` in a file where it is no call of a kernel."""
    return [written for written in _written(text) if _call_of(written) is None]


def _call_of(written: str) -> tuple[str, str] | None:
    try:
        return kernel_call(f"{written}()" if _NAME.fullmatch(written) else written)
    except ValueError:
        return None


def _written(text: str) -> list[str]:
    """Return what stands behind `# tl-lint: verify`, in order."""
    if "tl-lint: verify" not in text:
        return []
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = (_COMMENT.fullmatch(token.string.strip()) for token in tokens if token.type == tokenize.COMMENT)
    return [match[1] for match in found if match]


def _unique(found: Iterable[Attempt]) -> list[Attempt]:
    """Return attempts by source, the surest first, those with the same arguments once."""
    unique: dict[str, Attempt] = {}
    for attempt in sorted(found, key=lambda item: _SOURCES.index(item.source)):
        unique.setdefault(attempt.arguments, attempt)
    return list(unique.values())


@lru_cache(maxsize=8)
def _closing(text: str) -> Closing:
    """Return the Closing of a file, once for all its kernels: else the time grows with the square of their number."""
    return Closing(opened(text))


def _alternatives(file: File, closing: Closing, function: Function) -> Iterator[Attempt]:
    steps = stages(file, function)
    nothing: Bound = [{} for _ in steps]
    if _is_complete(steps, nothing):
        yield _attempt(steps, nothing, "defaults")
    bounds = own_calls(file, closing, steps)[:_MOST_CALLS]
    yield from (_attempt(steps, bound, "file") for bound in bounds if _is_complete(steps, bound))
    partial = [bound for bound in bounds if not _is_complete(steps, bound)]
    for bound in [*partial, nothing]:
        yield from (_attempt(steps, filled, "autotune") for filled in tuned(file, closing, steps, bound))
    for bound in [*partial[:2], nothing]:
        yield from (_attempt(steps, bound, "guess", rung) for rung in range(RUNGS))


def _is_complete(steps: Sequence[Stage], bound: Bound) -> bool:
    return all(step.required <= set(values) for step, values in zip(steps, bound, strict=True))


def _attempt(steps: Sequence[Stage], bound: Bound, source: str, rung: int = 0) -> Attempt:
    """Write out the arguments of all stages; what `bound` leaves open is guessed."""
    written = []
    for step, values in zip(steps, bound, strict=True):
        parts = []
        if step.instance is not None:
            parts.append(f"self={step.instance(rung)}")
            source = "guess"
        for parameter in step.parameters:
            value = values.get(parameter.name)
            if value is None and parameter.name in step.required:
                value, source = _guess(step, parameter, values, rung), "guess"
            if value:
                parts.append(f"{parameter.name}={value}")
        if "**" in values:
            parts.append(f"**{values['**']}")
        written.append(", ".join(parts))
    return Attempt(")(".join(written), source)


def _guess(step: Stage, parameter: Parameter, values: Mapping[str, str], rung: int) -> str:
    """Return what the function insists on for a parameter, else a guess."""
    value = step.demanded.get(parameter.name)
    if value is None:
        return guess(parameter, rung)
    other = next((item for item in step.parameters if item.name == value), None)
    if other is None:
        return value
    return values.get(other.name) or other.default or _guess(step, other, values, rung)
