"""[tool.tl-lint], the command line's changes to it, and which rules come out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest

from tests.front import environment, write_rule
from tl_lint.config import (
    ConfigError,
    Configurations,
    Options,
    Overrides,
    Settings,
    read_options,
    settings_for,
    validate,
)
from tl_lint.globs import FilePattern
from tl_lint.kernels import File
from tl_lint.registry import load_rules
from tl_lint.releases import KNOWN, Target, resolve
from tl_lint.rule import Report, Rule
from tl_lint.selection import Selection


class _Silent(Rule):
    summary = "Nothing"
    triggers = (b"nothing",)

    def check(self, node: cst.CSTNode, file: File) -> Iterator[Report]:
        return iter(())


def write(folder: Path, *lines: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "pyproject.toml"
    file.write_text("\n".join(("[tool.tl-lint]", *lines, "")))
    return file


def options(folder: Path, *lines: str) -> Options:
    found = read_options(str(write(folder, *lines)))
    assert found is not None
    return found


def error(folder: Path, *lines: str) -> str:
    with pytest.raises(ConfigError) as caught:
        settings_for(options(folder, *lines))
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.fixture
def ruled(tmp_path: Path) -> Path:
    """A folder with two rules on by default, TLC701 and TLC702, and one off by default, TLC901."""
    write_rule(tmp_path / "rules", "TLC701", "bad")
    write_rule(tmp_path / "rules", "TLC702", "worse")
    write_rule(tmp_path / "rules", "TLC901", "odd", on_by_default=False)
    return tmp_path


def own_codes(settings: Settings, path: Path) -> list[str]:
    return [rule.code for rule in settings.enabled(str(path)) if rule.code[3] in "79"]


def test_settings_without_arguments_are_the_defaults_for_all_releases() -> None:
    settings = Settings()
    assert [rule.code for rule in settings.rules] == [rule.code for rule in load_rules()]
    assert settings.target.releases == KNOWN
    assert settings.enabled("a.py") == tuple(rule for rule in settings.rules if rule.on_by_default)
    assert not settings.unsafe_fixes


def test_a_file_without_the_table_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    for text in ("", "[tool.black]\n", "# tl-lint\n[tool]\n", "[tool.other]\nname = 'tl-lint'\n"):
        file.write_text(text)
        assert read_options(str(file)) is None


def test_a_broken_file_of_somebody_else_is_not_even_parsed(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.black\n")
    assert read_options(str(file)) is None


def test_every_key_is_read(tmp_path: Path) -> None:
    found = options(
        tmp_path,
        'select = ["TLC7"]',
        'ignore = ["TLC702"]',
        'extend-select = ["TLC9"]',
        'exclude = ["build"]',
        'extend-exclude = ["a/*.py"]',
        'tilelang-version = ">=0.1.13"',
        'language-modules = ["ours.language"]',
        'rule-paths = ["rules"]',
        "unsafe-fixes = true",
        "[tool.tl-lint.per-file-ignores]",
        '"tests/*" = ["TLC701"]',
    )
    root = str(tmp_path)
    assert found == Options(
        selection=Selection(("TLC7",), ("TLC702",), ("TLC9",)),
        per_file_ignores=(("tests/*", ("TLC701",)),),
        exclude=(FilePattern("build", root),),
        extend_exclude=(FilePattern("a/*.py", root),),
        tilelang_version=">=0.1.13",
        language_modules=("ours.language",),
        rule_paths=(str(tmp_path / "rules"),),
        unsafe_fixes=True,
        root=root,
        file=str(tmp_path / "pyproject.toml"),
    )


def test_what_a_file_has_to_hold_is_the_last_part_of_a_language_module() -> None:
    assert Options().needles == (b"tilelang",)
    assert Options(language_modules=("ours.kernel.lang",)).needles == (b"tilelang", b"lang")
    assert Settings(rules=(), language_modules=("ours.kernel.lang",)).needles == (b"tilelang", b"lang")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('selct = ["TLC"]', "unknown key 'selct' in [tool.tl-lint]; did you mean 'select'?"),
        ("zzzz = 1", "unknown key 'zzzz' in [tool.tl-lint]"),
        ('select = "TLC"', "`select` in [tool.tl-lint] has to be a list of strings"),
        ("ignore = [1]", "`ignore` in [tool.tl-lint] has to be a list of strings"),
        ('exclude = [""]', "`exclude` in [tool.tl-lint] has to be a list of strings, none of them empty"),
        ("unsafe-fixes = 1", "`unsafe-fixes` in [tool.tl-lint] has to be true or false"),
        ("tilelang-version = 0.1", "`tilelang-version` in [tool.tl-lint] has to be a string"),
        ("per-file-ignores = []", "`per-file-ignores` in [tool.tl-lint] has to be a table of file patterns"),
        ("per-file-ignores = {a = 'TLC'}", "`per-file-ignores` in [tool.tl-lint] has to be a table of file patterns"),
        ("per-file-ignores = {'[a' = ['TLC']}", "`per-file-ignores` in [tool.tl-lint]: malformed pattern '[a'"),
        ("exclude = ['{a']", "`exclude` in [tool.tl-lint]: malformed pattern '{a'"),
        ("select = [", "not valid TOML: "),
        (f"a = {'1' * 5000}", "not valid TOML: "),
        (f"a = {'[' * 5000}", "not valid TOML: "),
        (
            "rule-paths = ['a', \"\\u0000\"]",
            "`rule-paths` in [tool.tl-lint] has to be a list of strings, none of them with",
        ),
        ('per-file-ignores = {"\\u0000" = []}', "none of them with a null character"),
        ("language-modules = ['a', 'tilelang']", "'tilelang' is already known"),
        ("language-modules = ['tilelang.language']", "'tilelang.language' is already known"),
        ("language-modules = ['tilelang.language.loop']", "'tilelang.language.loop' is already known"),
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path: Path, line: str, expected: str) -> None:
    message = error(tmp_path, line)
    assert message.startswith(f"{tmp_path / 'pyproject.toml'}: ")
    assert expected in message


def test_modules_beside_tilelang_s_own_are_taken(tmp_path: Path) -> None:
    names = ("tilelang_ours", "tilelang.languages", "ours.tilelang.language")
    assert options(tmp_path, f"language-modules = {list(names)}").language_modules == names


def test_a_table_that_is_none_is_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool]\ntl-lint = 1\n")
    with pytest.raises(ConfigError, match="has to be a table"):
        read_options(str(file))


def test_undecodable_configuration_is_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_bytes(b"[tool.tl-lint]\n# \xff\n")
    with pytest.raises(ConfigError, match="not valid TOML"):
        read_options(str(file))


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("select = ['TLC8']", "`select` of "),
        ("ignore = ['F401']", "`ignore` of "),
        ("extend-select = ['tlc701']", "`extend-select` of "),
        ("per-file-ignores = {'*.py' = ['TLC799']}", "`per-file-ignores` of "),
    ],
)
def test_an_unknown_code_is_a_mistake(ruled: Path, line: str, key: str) -> None:
    message = error(ruled, "rule-paths = ['rules']", line)
    assert message.startswith("unknown rule code ")
    assert f"{key}{ruled / 'pyproject.toml'}" in message


def test_an_unknown_code_names_the_nearest(ruled: Path) -> None:
    assert "did you mean 'TLC701'?" in error(ruled, "rule-paths = ['rules']", "select = ['TLX701']")


def test_an_unknown_code_of_the_command_line_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="unknown rule code 'TLC8' in `--select` of the command line"):
        settings_for(Options(), Selection(select=("TLC8",)))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tilelang-version = 'newest'", "not a TileLang version: 'newest'"),
        ("rule-paths = ['nowhere']", "rule path is not a folder"),
    ],
)
def test_what_the_registry_and_the_releases_refuse_is_a_mistake(tmp_path: Path, line: str, expected: str) -> None:
    assert expected in error(tmp_path, line)


def test_validate_finds_the_same_mistakes_without_a_file_to_lint(ruled: Path) -> None:
    validate(options(ruled, "exclude = ['x']", "unsafe-fixes = true"), Selection())
    for line in ("select = ['TLC8']", "tilelang-version = 'newest'", "rule-paths = ['x']"):
        with pytest.raises(ConfigError):
            validate(options(ruled, line), Selection())
    with pytest.raises(ConfigError):
        validate(Options(), Selection(ignore=("TLC8",)))


def test_a_plain_configuration_is_read_without_loading_libcst(tmp_path: Path) -> None:
    write(tmp_path, "exclude = ['x']", "unsafe-fixes = true", "language-modules = ['a.b']")
    program = (
        "import sys; from tl_lint.config import Configurations, validate; from tl_lint.selection import Selection; "
        "options = Configurations().above(sys.argv[1]); validate(options, Selection()); "
        "sys.exit(options.language_modules != ('a.b',) or 'libcst' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], env=environment(), check=True)


def test_codes_select_rules(ruled: Path) -> None:
    paths = "rule-paths = ['rules']"
    file = ruled / "a.py"
    assert own_codes(settings_for(options(ruled, paths)), file) == ["TLC701", "TLC702"]
    assert own_codes(settings_for(options(ruled, paths, "extend-select = ['TLC9']")), file) == [
        "TLC701",
        "TLC702",
        "TLC901",
    ]
    assert own_codes(settings_for(options(ruled, paths, "select = ['TLC702']")), file) == ["TLC702"]
    assert own_codes(settings_for(options(ruled, paths, "ignore = ['TLC7']")), file) == []


def test_the_command_line_s_choice_comes_after_the_file_s(ruled: Path) -> None:
    configured = options(ruled, "rule-paths = ['rules']", "ignore = ['TLC701']")
    file = ruled / "a.py"
    assert own_codes(settings_for(configured, Selection(select=("TLC7",))), file) == ["TLC701", "TLC702"]
    assert own_codes(settings_for(configured, Selection(ignore=("TLC702",))), file) == []
    assert own_codes(settings_for(configured, Selection(extend_select=("TLC901",))), file) == ["TLC702", "TLC901"]


@pytest.mark.parametrize(
    ("pattern", "ignored", "kept"),
    [
        ("tests/*", "tests/deep/a.py", "src/tests.py"),
        ("a.py", "src/a.py", "src/b.py"),
        ("!tests/*", "src/a.py", "tests/a.py"),
    ],
)
def test_per_file_ignores(ruled: Path, pattern: str, ignored: str, kept: str) -> None:
    settings = settings_for(
        options(ruled, "rule-paths = ['rules']", "[tool.tl-lint.per-file-ignores]", f"'{pattern}' = ['TLC701']")
    )
    assert own_codes(settings, ruled / ignored) == ["TLC702"]
    assert own_codes(settings, ruled / kept) == ["TLC701", "TLC702"]


def test_a_relative_path_counts_from_the_working_folder(ruled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configured = options(ruled, "rule-paths = ['rules']", "per-file-ignores = {'sub/a.py' = ['TLC7']}")
    (ruled / "sub").mkdir()
    monkeypatch.chdir(ruled / "sub")
    assert own_codes(settings_for(configured), Path("a.py")) == []
    assert own_codes(settings_for(configured), Path("b.py")) == ["TLC701", "TLC702"]


def test_a_rule_that_holds_for_no_targeted_release_is_off() -> None:
    class Old(_Silent):
        code = "TLC799"
        name = "old"
        releases = "<0.1.10"

    def enabled(version: str) -> list[str]:
        return [rule.code for rule in Settings(rules=(Old(),), target=Target.parse(version)).enabled("a.py")]

    assert enabled("0.1.9") == ["TLC799"]
    assert enabled("all") == ["TLC799"]
    assert enabled(">=0.1.10") == []


def test_the_command_line_s_version_comes_before_the_file_s() -> None:
    configured = Options(tilelang_version="0.1.9")
    assert settings_for(configured).target == Target.parse("0.1.9")
    assert settings_for(Overrides(tilelang_version="0.1.13").over(configured)).target == Target.parse("0.1.13")
    assert settings_for(Options()).target == resolve(None, None)


def test_the_command_line_replaces_exclude_and_adds_to_extend_exclude() -> None:
    a, b, c, d = (FilePattern(name, "/") for name in "abcd")
    configured = Options(exclude=(a,), extend_exclude=(b,), unsafe_fixes=True)
    assert Overrides().over(configured) == configured
    changed = Overrides(exclude=(c,), extend_exclude=(d,), unsafe_fixes=False).over(configured)
    assert (changed.exclude, changed.extend_exclude, changed.unsafe_fixes) == ((c,), (b, d), False)


def test_the_nearest_table_counts_alone(tmp_path: Path) -> None:
    write(tmp_path, "unsafe-fixes = true")
    write(tmp_path / "inner" / "sub", "tilelang-version = 'all'")
    (tmp_path / "inner" / "pyproject.toml").write_text("[tool.black]\n")
    configurations = Configurations()
    assert configurations.above(str(tmp_path / "inner")).unsafe_fixes
    nearest = configurations.above(str(tmp_path / "inner" / "sub" / "deep"))
    assert (nearest.tilelang_version, nearest.unsafe_fixes) == ("all", False)
    outer = configurations.above(str(tmp_path))
    assert configurations.within(str(tmp_path / "inner" / "sub"), outer) == nearest
    assert configurations.within(str(tmp_path / "inner"), outer) is outer


def test_one_file_for_everything_or_none_at_all(tmp_path: Path) -> None:
    write(tmp_path / "here", "unsafe-fixes = true")
    other = tmp_path / "other.toml"
    other.write_text("[tool.tl-lint]\ntilelang-version = 'all'\n")
    assert Configurations(file=str(other)).above(str(tmp_path / "here")).tilelang_version == "all"
    assert Configurations(isolated=True).above(str(tmp_path / "here")) == Options()


def test_a_file_that_was_asked_for_has_to_be_there_and_to_say_something(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        Configurations(file=str(tmp_path / "none.toml"))
    (tmp_path / "empty.toml").write_text("")
    with pytest.raises(ConfigError, match=r"no \[tool.tl-lint\] in it"):
        Configurations(file=str(tmp_path / "empty.toml"))
