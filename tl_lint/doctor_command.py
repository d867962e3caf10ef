"""`tl-lint doctor`: examines the environment and writes the report in the wanted format."""

from __future__ import annotations

import argparse
import sys

from tl_lint.config import ConfigError
from tl_lint.output.doctor_json import as_json
from tl_lint.output.doctor_text import as_text
from tl_lint.registry import RegistryError
from tl_lint.verify.doctor import examine

__all__ = ["doctor"]


def doctor(arguments: argparse.Namespace) -> int:
    """Print the report as `arguments.output_format` says ("text" or "json"), and return the exit status.

    0: nothing serious was found; 1: something was. Raises ConfigError where it could not work.
    """
    try:
        report = examine()
    except (RegistryError, RuntimeError) as error:  # the latter is tl-lint's own failure in a child
        raise ConfigError(str(error)) from None
    sys.stdout.write(as_json(report) if arguments.output_format == "json" else as_text(report))
    return int(not report.healthy)
