"""python -m tl_lint."""

from tl_lint.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
