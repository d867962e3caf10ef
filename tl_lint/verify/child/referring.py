"""Compares a kernel with a reference that the user wrote.

A reference is named "module:function", the module as Python would import it, or "path/to/file.py:function". It is
called with copies of the kernel's inputs: one value for each parameter, in order, tensors for buffers (those that are
outputs too) and numbers for scalars. It returns nothing, having written into those tensors as the kernel would, or a
tensor, or a sequence of tensors: the contents of the buffers that the kernel writes, in the order of its parameters.
They are converted to the buffers' types. Floats may differ by 1e-2, relative and absolute, or by one step of the type
where that is more; integers must be equal.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tl_lint.verify.child.cases import Case, Launch, left_by, written_by
from tl_lint.verify.child.comparing import compared, tolerance
from tl_lint.verify.child.inputs import Argument

__all__ = ["BadReference", "against_reference", "loaded"]

_ALLOWED = 1e-2


class BadReference(Exception):
    """A reference can't be found, raises, or does not return what it has to; it says nothing of the kernel."""


def loaded(name: str) -> Callable[..., Any]:
    """Return what "module:function" or "file.py:function" names. Raises BadReference, and what the module raises."""
    place, _, function = name.rpartition(":")
    if not place or not function:
        raise BadReference(f"{name} is not of the form module:function")
    try:
        module = _of_file(place) if place.endswith(".py") else importlib.import_module(place)
        found: Callable[..., Any] = getattr(module, function)
    except (ModuleNotFoundError, FileNotFoundError, AttributeError) as error:
        raise BadReference(f"{name}: {error}") from error
    return found


def _of_file(path: str) -> Any:
    specification = importlib.util.spec_from_file_location(f"reference_{Path(path).stem}", path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def against_reference(
    launch: Launch, reference: Callable[..., Any], inputs: Sequence[Argument], sizes: Mapping[str, int] | None = None
) -> Case:
    """Run a kernel and its reference on copies of `inputs` and compare what they leave. Raises BadReference."""
    found = left_by(launch, inputs)
    written = written_by(inputs, found)
    copies = [argument.copy() for argument in inputs]
    try:
        returned = reference(*(argument.value for argument in copies))
    except Exception as error:
        raise BadReference(f"the reference raises {type(error).__name__}: {error}") from error
    if returned is None:
        expected = {argument.name: argument.value for argument in copies if argument.memory is not None}
    else:
        expected = _named(returned, written)
    results = []
    for argument in found:
        if argument.name in expected:
            results.append(_compared(argument, expected[argument.name]))
    message = next((f"{result.name}: {result.message}" for result in results if not result.equal), "")
    return Case(dict(sizes or {}), not message, tuple(results), tuple(written), message)


def _named(returned: Any, written: Sequence[str]) -> dict[str, Any]:
    tensors = [returned] if hasattr(returned, "dtype") else list(returned)
    if len(tensors) != len(written):
        raise BadReference(
            f"the reference returns {len(tensors)} tensors, the kernel writes {', '.join(written) or 'none'}"
        )
    return dict(zip(written, tensors, strict=True))


def _compared(argument: Argument, expected: Any) -> Any:
    value = argument.value
    if tuple(expected.shape) != tuple(value.shape):
        raise BadReference(f"{argument.name} is {tuple(value.shape)}, the reference's {tuple(expected.shape)}")
    flat = expected.to(device=value.device, dtype=value.dtype).reshape(-1)
    relative, absolute = tolerance(argument.dtype)
    allowed = max(_ALLOWED, relative), max(_ALLOWED, absolute)
    return compared(argument.name, argument.dtype, argument.shape, [flat], value.reshape(-1), allowed)
