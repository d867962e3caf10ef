"""Writes down every PrimFunc that reaches TileLang's compiler, and every jit factory that fails before it has one.

Seen from 0.1.8 to 0.1.15: whatever compiles a kernel for use (tilelang.compile, a call of a jit factory, par_compile,
the autotuner, the caches) constructs a JITKernel, and what only lowers calls tilelang.lower. stand_ins.py wraps those
two; here the jit decorator's class is wrapped, to know whose PrimFunc it is and what it was made with.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["capture", "install"]

_MOST_OF_A_KERNEL = 64
"""A script that tries many sizes or configurations of one kernel has its first ones captured, the others counted."""


@dataclass(frozen=True)
class _Origin:
    """The function that made a PrimFunc: where it stands, its dotted name, and its arguments as in a call."""

    path: str
    name: str
    line: int
    arguments: str = ""


@dataclass
class _Call:
    """A call of a jit factory that is going on; `done` once anything was written down for it."""

    origin: _Origin
    done: bool = False


@dataclass
class _State:
    """What this process has seen."""

    spool: Path
    calls: threading.local = field(default_factory=threading.local)
    made: list[tuple[Any, _Origin]] = field(default_factory=list)
    count: int = 0
    known: set[str] = field(default_factory=set)
    of_kernel: Counter[tuple[str, str]] = field(default_factory=Counter)
    left_out: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)


_state: _State | None = None


def install(spool: Path) -> None:
    """Write captures to the folder `spool` from now on. TileLang has to be imported."""
    global _state
    from tilelang.jit import JITImpl

    _state = _State(spool)
    for name in ("__call__", "compile", "get_tir"):
        setattr(JITImpl, name, _watched(getattr(JITImpl, name)))


def capture(prim_func: Any, pass_configs: Mapping[Any, Any] | None = None) -> None:
    """Write down a PrimFunc, with the pass configurations that it is to be lowered under as an attribute of it.

    The file holds one JSON object: `path`, `name`, `line` (from 1) and `arguments` (as in a call; "" if not known) of
    the function that made it, `tir` (JSON of the PrimFunc), `error` "". A PrimFunc seen before is not written again.
    """
    if _state is None:
        return
    call = _current_call()
    if call is not None:
        call.done = True
    origin = _made_by(prim_func) or (call.origin if call is not None else _origin_of(_function_of(prim_func)))
    _write(origin, _json(prim_func, pass_configs or {}), "")


@contextmanager
def _in_call(origin: _Origin) -> Iterator[_Call]:
    assert _state is not None
    stack: list[_Call] = _state.calls.__dict__.setdefault("stack", [])
    # A jit factory's own methods call each other: one call, named by the outermost, which has all arguments.
    call = stack[-1] if stack and (stack[-1].origin.path, stack[-1].origin.line) == (origin.path, origin.line) else None
    call = call or _Call(origin)
    stack.append(call)
    try:
        yield call
    finally:
        stack.pop()


def _current_call() -> _Call | None:
    stack: list[_Call] = _state.calls.__dict__.get("stack", []) if _state is not None else []
    return stack[-1] if stack else None


def _watched(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method of a jit factory, so that it is known while it runs, what it makes, and that it fails."""

    @functools.wraps(method)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        assert _state is not None
        function = getattr(self.func, "orig_func", self.func)
        with _in_call(_origin_of(function, args, kwargs)) as call:
            try:
                result = method(self, *args, **kwargs)
            except Exception as error:
                if not call.done:
                    call.done = True
                    _write(call.origin, None, f"{type(error).__name__}: {error}")
                raise
            if method.__name__ == "get_tir":
                _state.made.append((result, call.origin))
            return result

    return wrapper


def _made_by(prim_func: Any) -> _Origin | None:
    """Return who made a PrimFunc: par_compile and the autotuner compile in threads that know of no call."""
    made = _state.made if _state is not None else []
    return next((origin for known, origin in reversed(made) if known is prim_func), None)


def _function_of(prim_func: Any) -> Callable[..., Any] | None:
    """Return the Python function that a PrimFunc was traced from, if it still carries it."""
    function: Callable[..., Any] | None = getattr(prim_func, "orig_func", None)
    return function


def _origin_of(
    function: Callable[..., Any] | None, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
) -> _Origin:
    if function is None:
        return _caller()
    function = inspect.unwrap(function)
    code = function.__code__
    name = function.__qualname__.partition(".<locals>")[0]
    return _Origin(
        os.path.realpath(code.co_filename), name, code.co_firstlineno, _shown_call(function, args, kwargs or {})
    )


def _caller() -> _Origin:
    """Return the innermost place of code that is neither TileLang's nor ours, for a PrimFunc from nowhere."""
    own = str(Path(__file__).parent)
    frame = sys._getframe(1)
    while frame.f_back is not None:
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package not in ("tilelang", "tvm", "tvm_ffi") and not frame.f_code.co_filename.startswith(own):
            break
        frame = frame.f_back
    code = frame.f_code
    return _Origin(os.path.realpath(code.co_filename), code.co_name, frame.f_lineno)


def _shown_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Return arguments as in a call, by name where a signature gives names: "M=1024, dtype='float16'"."""
    plain = {key: value for key, value in kwargs.items() if not key.startswith("__")}
    plain.update(kwargs.get("__tune_params", {}))
    try:
        bound: Mapping[str, Any] = inspect.signature(function).bind_partial(*args, **plain).arguments
    except (TypeError, ValueError):
        return ", ".join([*map(_shown, args), *(f"{key}={_shown(value)}" for key, value in plain.items())])
    return ", ".join(f"{key}={_shown(value)}" for key, value in bound.items())


def _shown(value: Any) -> str:
    """Return a value as source text; a tensor, which has none, as "float16[64, 64]"."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(_shown, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    if torch is not None and isinstance(value, torch.dtype):
        return str(value)
    if type(value).__name__ in ("dtype", "DataType"):  # of TileLang and TVM, which take its name as well
        return repr(str(value))
    if type(value).__name__ == "IntImm":
        return str(int(value))  # as it was before a fix made it one
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


def _json(prim_func: Any, pass_configs: Mapping[Any, Any]) -> str:
    import tilelang

    plain = {str(getattr(key, "value", key)): value for key, value in pass_configs.items()}
    attributes = prim_func.attrs
    if attributes and "tilelang_pass_configs" in attributes:
        plain = {**dict(attributes["tilelang_pass_configs"]), **plain}
    if plain:
        prim_func = prim_func.with_attr("tilelang_pass_configs", plain)
    text: str = tilelang.tvm.ir.save_json(prim_func)
    return text


def _write(origin: _Origin, tir: str | None, error: str) -> None:
    assert _state is not None
    captured = {**asdict(origin), "tir": tir, "error": error}
    key = hashlib.sha256(json.dumps(captured, sort_keys=True).encode()).hexdigest()
    with _state.lock:
        of_kernel = (origin.path, origin.name)
        if key in _state.known:
            return
        _state.known.add(key)
        if _state.of_kernel[of_kernel] >= _MOST_OF_A_KERNEL:
            _leave_out(_state, origin)
            return
        _state.of_kernel[of_kernel] += 1
        _state.count += 1
        # Its name gives its place in the order, over all processes of the command.
        target = _state.spool / f"{time.time_ns():020d}-{os.getpid()}-{_state.count:06d}.json"
    _put(target, captured)


def _leave_out(state: _State, origin: _Origin) -> None:
    """Count a kernel that is not written down, in the file `left-PID`: a list of [path, name, count]."""
    own = os.getpid()  # a forked process has the counts of the one it was forked from, which are told by that one
    state.left_out[own, origin.path, origin.name] += 1
    counts = [[path, name, count] for (pid, path, name), count in state.left_out.items() if pid == own]
    _put(state.spool / f"left-{own}", counts)


def _put(target: Path, data: Any) -> None:
    """Write JSON to a file, all of it or nothing."""
    temporary = target.with_suffix(".part")
    temporary.write_text(json.dumps(data), encoding="utf-8")
    temporary.replace(target)
