"""Guesses an argument by the name and the annotation of its parameter: deterministic, and without running anything.

There are a few sets of values, the rungs of a ladder, to be tried in turn until a kernel traces: what public kernels
are mostly called with; the same, small; large; and those of latent attention with one head of keys, in float32.
A value is that of the first line of the table with a pattern that matches the whole name, lower-cased and without
underscores around it, and that the annotation allows; else the annotation's; else the size of a block.
"""

from __future__ import annotations

import re

from tl_lint.verify.model import Parameter

__all__ = ["RUNGS", "guess"]

RUNGS = 4
"""How many sets of values there are."""

# Values of the four rungs, or one for all of them; patterns of names.
_TABLE: tuple[tuple[str, str], ...] = (
    # dtypes
    ("'float32'", r"(.*_)?(accum|acc|accumulator|scales?|sf|gate|g|state|lse|beta|a_log|dt|stats)_?dtype"),
    ("'int32'", r"(.*_)?(ind(ex|ices)|idx|offsets?|tokens?|seqlens?|seq|topk|mask|cu_seqlens?)_?dtype"),
    ("'float8_e4m3fn'", r"(.*_)?(fp8|e4m3|quant|quantized)_?dtype"),
    ("'uint8'", r"(storage|store|packed)_?dtype"),
    ("'float16' 'float16' 'bfloat16' 'float32'", r".*d_?type(_.*)? .*_type"),
    # schedules
    ("128 128 256 256", r"(num_?|n_?)?threads?(_num|_arg|_cnt|_count|s)? n_?thr .*_threads thread_num"),
    ("2 1 3 0", r"(num_?|n_?)?(pipeline_?)?stages? .*_stages?"),
    ("4 4 8 4", r"(.*_|num|n)?warps?(_.*)?"),
    ("132 108 132 64", r"(num_?)?(sms?|cores|persistent_blocks|ctas|blocks) sm_num"),
    (
        "8 4 8 4",
        r"(num_?)?per_thread npt(_arg)? num_per_thread vec(tor)?(_?(size|len|width))? .*coalesced_width .*_vec",
    ),
    ("10", r"panel_?size"),
    ("1", r"k_?pack .*_pack"),
    ("4 2 8 1", r"(num_?|n_?)?(kv_?)?splits?(_?[kq]|s|_num|_kv)? split_?[knq]?(_factor)? ctx_splits"),
    # tiles
    ("32 16 32 32", r"reduce_?threads"),
    ("32 32 64 32", r"(.*_)?(block|blk|tile|bs|size)_?(size_?)?k\d? b_?k"),
    ("64 16 64 32", r"(.*_)?(block|blk|tile|bs|size)_?(size_?)?(h|heads?)"),
    ("128 64 128 64", r"(.*_)?(block|blk|tile|bs|size)_?(size_?)?[mnqcvdt]\d? b_?[mncqvd]"),
    (
        "64 64 128 64",
        r"(block|blk|tile|chunk)s? (block|blk|tile|chunk|page|group|bucket|.*_chunk|.*_block)_?(size|len)",
    ),
    ("64 32 128 64", r"(block|blk|tile)_?.* .*_(block|blk|tile)(_size)?"),
    # attention
    ("1 2 8 1", r"batch(_?size)?(_q|_kv)? bsz? b n_?batch num_?batch(es)? z"),
    ("4 1 8 1", r"(num_?|n_?)?(kv_?|k_?v_?)(heads?|h)(_num)? (num_?|n_?)?heads?_(kv|k|v) hkv h_kv"),
    ("16 16 32 128", r"(num_?|n_?)?(q_?|query_?)?(heads?|h)(_num|_q|_qo|_cnt)? hq nheads?"),
    ("1 4 4 1", r"(kv_?)?groups? (num_?|n_?)groups? gqa(_.*)? g group_?num rep n_rep kv_group(_num)?"),
    ("64", r"(tail|rope|pe|qk_?rope|rotary|rot)_?(head_?)?dim dpe d_?tail"),
    ("512", r"(kv_?)?lora_?(rank|dim) dim_?c"),
    ("128 64 128 512", r"(head_?)?dims?(_?(q|k|v|qk|kv|vo|o))? (qk?|k|v|kv|vo|qk_?nope)_?(head_?)?dim .*head_?dim.*"),
    ("128 64 128 512", r"d(_?head|k|v|_?model|_?state)? d_?[kv]"),
    ("1024 256 4096 2048", r"(max_?|num_?)?(seq|ctx|context|kv|q|s)_?(len|length|seqlen)s?(_.*)? s(q|k|kv|_?len)?"),
    ("1024 256 4096 2048", r".*seq_?len.* n_?ctx seq_?(q|kv|k) l|t ctx_?len len_?.* .*_len(gth)?"),
    ("128 64 256 128", r"window(_?size)?(_left|_right)? bandwidth"),
    # experts and hyper-connections
    ("64 128 512 2", r"(num_?|n_?)?top_?k(_num|_indices)? (num_?)?selected(_.*)? select(ed)?_?k"),
    ("64 8 256 16", r"(num_?|n_?)?(routed_?|local_?|shared_?|global_?)?experts?(_.*)? e n_?exp"),
    ("1024 256 4096 2048", r"(num_?|n_?|total_?|max_?)*tokens?(_.*)? numel total(_.*)? n_?elements? n_?total"),
    ("4", r"(hc|mhc)(_mult)? n_?streams? n_?hc .*mult"),
    ("4096 1024 7168 2048", r"(hidden|inter(mediate)?|in|out|ffn|embed|model|inner|expert)_?(size|dim|features?)?s?"),
    ("4096 1024 7168 2048", r"d_?(expert|hidden) d_?ff vocab(_size)?"),
    # convolution and pooling
    ("3 1 3 2", r"kernel_?(size|h|w)? k_?[hw] pool(_kernel)?(_size)?"),
    ("1", r"stride(_[hwd])? dilations?(_[hwd])? s_?[hw] d_?[hw] dilate .*stride(_.*)?"),
    ("1 0 1 0", r"pad(ding)?s?(_[hwd])? p_?[hw] p"),
    ("128 64 256 128", r"c c_?(in|out) f (in_|out_)?channels?"),
    ("64 32 64 64", r"(h|w|height|width|depth)(_in|_out)?"),
    # switches
    ("False False True False", r"(is|has|use|using|with|enable|do|need|apply|return|save|store|write|read)(_.*)?"),
    ("False False True False", r"(allow|fuse|should|inplace|in_place|reverse|causal|varlen|keep|round|trans.*)(_.*)?"),
    ("False False True False", r".*(_flag|causal|enabled?|varlen|bias|_first|_last|_only|transposed)"),
    # functions and shapes
    ("(lambda*values:values[0])", r"(.*_)?(func|fn|function|callback)"),
    ("(64,64) (32,32) (128,128) (64,)", r"(.*_)?(shape|strides|sizes|dims)"),
    # numbers that are no sizes
    ("1e-6", r"(.*_)?(eps|epsilon)"),
    ("1.0", r"(.*_)?(scale|scalar|alpha|beta|gamma|scaling|factor|value|limit|prob|momentum|lr|theta|base|slope|cap)"),
    ("1.0", r"(.*_)?(softcap|temperature|dropout(_p)?)"),
    ("4 8 4 2", r"(num_?)?(bits?|nbits?|w_?bits?) .*_bits?"),
    ("4 2 8 1", r"(num_?|n_?)?(iters?|iterations?|repeats?|rounds|steps) .*_(iters?|repeats?|steps?)"),
    ("448.0", r"(.*_)?(fp8|f8|q)_?max"),
    ("-448.0", r"(.*_)?(fp8|f8|q)_?min"),
    ("0", r"start begin offset .*_start(_.*)? .*_offset rank .*_rank axis .*_idx .*_index"),
    ("8", r"(num_?|n_?)?ranks? world_?size"),
    ("'cuda'", r"target(_host)?"),
    ("None", r"(.*_)?(mode|direction|op|op_?name|kind|format)"),
    # matrices
    ("1024 256 8192 2048", r"[mnk]_?(size|total|dim|padded|max)? max_?[mnk] (num_?|n_?)?(rows?|cols?|columns?) x y"),
    ("1024 256 8192 2048", r"length size"),
)
_ANNOTATIONS: tuple[tuple[str, str], ...] = (
    ("False False True False", r"(\w+\.)*bool"),
    ("1.0", r"(\w+\.)*float"),
    ("None", r"Optional\[.* .*\|\s*None"),
    ("(lambda*values:values[0])", r"(\w+\.)*[Cc]allable(\[.*)?"),
    ("(1,1)", r"[Tt]uple\[int,\s*int\]"),
    ("(64,64) (32,32) (128,128) (64,)", r"([Tt]uple|[Ll]ist|Sequence)(\[.*)?"),
    ("'float16' 'float16' 'bfloat16' 'float32'", r"str"),
)
_Compiled = tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]


def _compiled(table: tuple[tuple[str, str], ...]) -> _Compiled:
    rows = ((values.split(), "|".join(patterns.split())) for values, patterns in table)
    return tuple((re.compile(pattern), tuple(values * (RUNGS // len(values)))) for values, pattern in rows)


_BY_NAME = _compiled(_TABLE)
_BY_ANNOTATION = _compiled(_ANNOTATIONS)
_OTHERS = ("64", "32", "128", "64")


def guess(parameter: Parameter, rung: int) -> str:
    """Return the source of the value that one rung, from 0 up to RUNGS, gives a parameter."""
    annotation = (parameter.annotation or "").strip("\"' ")
    name = parameter.name.lower().strip("_")
    named = (values[rung] for pattern, values in _BY_NAME if pattern.fullmatch(name))
    annotated = (values[rung] for pattern, values in _BY_ANNOTATION if pattern.fullmatch(annotation))
    value = next((item for item in named if _fits(item, annotation)), None) or next(annotated, _OTHERS[rung])
    if annotation.endswith("torch.dtype"):  # a name of the module, as the annotation is
        return f"{annotation.removesuffix('dtype')}{value.strip(chr(39)) if value.startswith(chr(39)) else 'float16'}"
    return value


def _fits(value: str, annotation: str) -> bool:
    """Whether a value is of the annotated type; any is, where the annotation is none of these."""
    if annotation == "int":
        return re.fullmatch(r"-?\d+", value) is not None
    if annotation == "float":
        return re.fullmatch(r"-?[\d.]+(e-?\d+)?", value) is not None
    if annotation == "bool":
        return value in ("True", "False")
    if annotation == "str" or annotation.endswith("dtype"):
        return value.startswith("'")
    return True
