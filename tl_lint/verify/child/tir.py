"""What a prim_func says in TIR about its loops: their annotations, the widths asked for, and how two of them differ."""

# No `from __future__ import annotations`: a function of that name is here.
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Place",
    "annotations",
    "namespace",
    "requested_widths",
    "same",
    "type_key",
    "width_holders",
    "with_widths",
    "without_widths",
]

_WIDTH = "coalesced_width"
_LAYOUT = "parallel_loop_layout"

# The annotations of a For that C++ reads as an IntImm and that a Python int fails: with each of some twenty others that
# are read at all, a raw value gave the same CUDA source as a boxed one. Measured on 0.1.13 and 0.1.15.
_READ_AS_INTIMM = frozenset({_WIDTH, "num_stages"})


@dataclass(frozen=True)
class Place:
    """Where the user's code made the loop whose outermost variable is `variable`: the lines of the call, from 1.

    `end_line` is the last line of the call, or None before Python 3.11, which does not keep it.
    """

    variable: Any
    file: str
    line: int
    end_line: int | None = None


def namespace() -> Any:
    """Return TVM's module of TIR: `tvm.tir` up to TileLang 0.1.9, `tvm.tirx` from 0.1.10."""
    import tilelang

    found = getattr(tilelang.tvm, "tirx", None)
    return tilelang.tvm.tir if found is None else found


def annotations(prim_func: Any, places: Sequence[Place] = ()) -> list[dict[str, Any]]:
    """Return every annotation of every loop, outer loops first, in the order of the code.

    Of each: `key`; `value` as text; `type`, its Python type's name; `kind` of the loop ("parallel", "serial",
    "vectorized", "unrolled", "thread_binding"); `raw`, whether C++ reads that key as an IntImm and this is none;
    `read`, whether it is looked at: a width only is on the outermost loop of a parallel nest that has no layout of its
    own. That the layout of a fragment overrules a width shows in lowering alone; `fragment` is whether the loop touches
    one. `file`, `line` and `end_line` say
    where the loop was made, from 1, as `places` has it (`boundary.installed`) or else the TIR's own spans; None if
    neither does.
    """
    known = {place.variable: place for place in places}
    found: list[dict[str, Any]] = []

    def visit(loop: Any, nested: bool) -> None:
        for key, value in loop.annotations.items():
            found.append(_annotation(loop, str(key), value, nested) | _location(loop, known))

    _each_loop(prim_func.body, visit)
    return found


def _annotation(loop: Any, key: str, value: Any, nested: bool) -> dict[str, Any]:
    kind = _kind(loop)
    constant = isinstance(value, namespace().IntImm)
    return {
        "key": key,
        "value": str(value.value if constant else value),
        "type": type(value).__name__,
        "kind": kind,
        "raw": key in _READ_AS_INTIMM and not constant,
        "read": key != _WIDTH or (kind == "parallel" and not nested and _LAYOUT not in loop.annotations),
        "fragment": touches_fragment(loop.body),
    }


def touches_fragment(body: Any) -> bool:
    """Return whether a statement reads or writes a fragment."""
    found: list[Any] = []

    def visit(node: Any) -> None:
        buffer = getattr(node, "buffer", None)
        if buffer is not None and buffer.scope() == "local.fragment":
            found.append(buffer)

    namespace().stmt_functor.post_order_visit(body, visit)
    return bool(found)


def _location(loop: Any, known: dict[Any, Place]) -> dict[str, Any]:
    place = known.get(loop.loop_var)
    if place is not None:
        return {"file": place.file, "line": place.line, "end_line": place.end_line}
    span = _span(loop)
    if span is None:
        return {"file": None, "line": None, "end_line": None}
    return {"file": str(span.source_name.name), "line": int(span.line), "end_line": None}


def _span(statement: Any) -> Any:
    """Return where TIR says that a statement comes from, or None; releases before 0.1.13 do not say."""
    import tilelang.ir

    get_span = getattr(tilelang.ir, "get_stmt_span", None)
    return None if get_span is None else get_span(statement)


def _kind(loop: Any) -> str:
    kinds = namespace().ForKind
    names = {"PARALLEL": "parallel", "SERIAL": "serial", "VECTORIZED": "vectorized", "UNROLLED": "unrolled"}
    for name, text in names.items():
        if int(loop.kind) == int(getattr(kinds, name)):
            return text
    return "thread_binding"


def _each_loop(body: Any, visit: Callable[[Any, bool], None]) -> None:
    """Call visit(loop, whether it is inside a parallel loop) for every For, outer loops first."""
    tir = namespace()
    outside: list[Any] = []

    def enter(loop: Any) -> None:
        visit(loop, bool(outside))
        if _kind(loop) == "parallel":
            outside.append(loop)

    def leave(loop: Any) -> None:
        if _kind(loop) == "parallel":
            outside.pop()

    tir.stmt_functor.ir_transform(body, enter, leave, [type_key("For")])


def type_key(name: str) -> str:
    """Return the name that TVM's registry has for a class of the TIR module: "tir.For" or "tirx.For"."""
    return f"{namespace().__name__.rpartition('.')[2]}.{name}"


def requested_widths(prim_func: Any) -> list[int]:
    """Return each coalesced_width that a parallel loop or a copy asks for, in elements, in the order of the code.

    Values that are no integers are left out; one that a layout overrules is in.
    """
    return [width for _, width in width_holders(prim_func)]


def width_holders(prim_func: Any) -> list[tuple[Any, int]]:
    """Return each loop (For) or copy (Call) that asks for a width, and the width in elements, outer ones first."""
    tir = namespace()
    found: list[tuple[Any, int]] = []

    def visit(node: Any) -> None:
        if not isinstance(node, (tir.For, tir.Call)) or (isinstance(node, tir.For) and _kind(node) != "parallel"):
            return
        width = (getattr(node, "annotations", None) or {}).get(_WIDTH)
        value = getattr(width, "value", width)
        if isinstance(value, int):
            found.append((node, int(value)))

    tir.stmt_functor.ir_transform(prim_func.body, visit, None, [type_key("For"), type_key("Call")])
    return found


def without_widths(prim_func: Any) -> Any:
    """Return `prim_func` with no coalesced_width on any loop or copy, and nothing else changed: the control."""
    return with_widths(prim_func, lambda _, width: None)


def with_widths(prim_func: Any, choose: Callable[[Any, Any], Any]) -> Any:
    """Return `prim_func` with each coalesced_width replaced by choose(loop or copy, width); None takes it out."""
    tir = namespace()
    originals: list[Any] = []  # what `leave` gets may be a copy, since something inside was changed

    def enter(node: Any) -> None:
        originals.append(node)

    def leave(node: Any) -> Any:
        original = originals.pop()
        if _WIDTH not in (getattr(node, "annotations", None) or {}):
            return None
        kept = dict(node.annotations.items())
        chosen = choose(original, kept.pop(_WIDTH))
        if chosen is not None:
            kept[_WIDTH] = chosen
        return _with_annotations(node, kept)

    keys = [type_key("For"), type_key("Call")]
    changed = prim_func.with_body(tir.stmt_functor.ir_transform(prim_func.body, enter, leave, keys))
    for name, value in getattr(prim_func, "__dict__", {}).items():
        setattr(changed, name, value)  # what TileLang keeps in Python beside the TIR, such as orig_func
    return changed


def _with_annotations(node: Any, kept: dict[str, Any]) -> Any:
    tir = namespace()
    if isinstance(node, tir.Call):
        return tir.Call(node.dtype, node.op, node.args, annotations=kept, span=node.span)
    step = getattr(node, "step", None)
    more = {} if step is None else {"step": step}
    parts = node.loop_var, node.min, node.extent, node.kind, node.body, node.thread_binding
    return tir.For(*parts, annotations=kept, span=_span(node), **more)


def same(first: Any, second: Any) -> tuple[bool, str]:
    """Return whether two prim_funcs are structurally equal, and "" or one line on where they first differ.

    Names of variables, buffers and of the function itself do not count.
    """
    import tilelang

    first, second = (item.without_attr("global_symbol") for item in (first, second))
    try:
        tilelang.tvm.ir.assert_structural_equal(first, second, map_free_vars=True)
    except ValueError as error:
        return False, _first_difference(str(error))
    return True, ""


def _first_difference(report: str) -> str:
    """Return one line of TVM's report, which prints both functions and underlines where they differ."""
    where = re.search(r"at (<root>\S*)", report)
    underlined = re.findall(r"^ *(\S.*)\n *\^+ *$", report, re.MULTILINE)
    lines = dict.fromkeys(line.strip() for line in underlined)
    return ": ".join(filter(None, [where[1].rstrip(":") if where else "they differ", " / ".join(lines)]))
