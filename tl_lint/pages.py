"""The page of TLC000, which is no rule and so has no folder to keep it in."""

__all__ = ["CANNOT_ANALYSE_PAGE"]

CANNOT_ANALYSE_PAGE = """\
# cannot-analyse (TLC000)

## What it does

Says that a file was not checked, and why: it cannot be read, its bytes are not text in the encoding that it declares,
it is not valid Python, it is nested too deeply to be parsed safely, or tl-lint itself failed on it.

## Why it matters

A file that was not checked may hold any of the mistakes that tl-lint looks for. So `tl-lint check` ends with status 2,
the other files are checked all the same, and no selection, `--exit-zero` or `ignore` takes the message away.

A file that cannot be parsed is only reported if its bytes could be a TileLang kernel: other Python files are none of
tl-lint's business.

## What to do

- Repair the file, or leave it out: `exclude = ["path/to/file.py"]` in `[tool.tl-lint]` of pyproject.toml.
- If the message says "internal error", please report it, with the file.

## Under flake8

flake8 says E999 or E902 itself about most of these files; TLC000 is reported where it does not. There it is a code like
any other, and flake8 decides whether it is selected.
"""
