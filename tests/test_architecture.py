"""The architecture, guarded: who may import whom, who may do what, and what a run loads."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import devlint
from tests.support.paths import PACKAGE

MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__"): path
    for path in PACKAGE.rglob("*.py")
}

RULES = {
    module
    for module, path in MODULES.items()
    if path.parent == PACKAGE / "rules"
    and path.stem not in ("__init__", "base", "generate", "manual", "new_rule", "tool_rules")
}

# The packages, lowest first: a module imports only from its own package and from those that stand before it.
PACKAGES = (
    "core",
    "torch_api",
    "sources",
    "config",
    "syntax",
    "analysis",
    "fixes",
    "rules",
    "engine",
    "verify",
    "report",
    "fleet",
    "integrations",
    "cli",
)


def layer(module: str) -> int:
    """The place of a module's package among them; ``devlint`` itself stands below all, ``__main__`` above."""
    name = module.split(".")[1:2]
    if not name:
        return -1
    return len(PACKAGES) if name == ["__main__"] else PACKAGES.index(name[0])


def test_every_module_is_in_a_package() -> None:
    assert {module.split(".")[1] for module in MODULES if "." in module} == {*PACKAGES, "__main__"}


@cache
def text_of(module: str) -> str:
    """The text of a module."""
    return MODULES[module].read_text(encoding="utf-8")


@cache
def tree_of(module: str) -> ast.Module:
    """The syntax tree of a module, for all tests."""
    return ast.parse(text_of(module))


@cache
def imports(module: str, at_module_level: bool = False) -> tuple[str, ...]:
    """The modules that a module imports, wherever it does; those under TYPE_CHECKING are left out."""
    return tuple(_imports(module, at_module_level))


def _imports(module: str, at_module_level: bool) -> Iterator[str]:
    tree = tree_of(module)
    skipped = {id(inner) for node in ast.walk(tree) if _for_types_only(node) for inner in ast.walk(node)}
    if at_module_level:
        functions = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
        skipped |= {id(inner) for function in functions for inner in ast.walk(function)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, f"{module} has a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def _for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_imports_point_downwards() -> None:
    upwards = [
        f"{module} imports {imported}, which is above it"
        for module in MODULES
        for imported in imports(module)
        if imported.partition(".")[0] == "devlint" and layer(imported) > layer(module)
    ]
    assert upwards == []


def test_no_imports_run_in_circles() -> None:
    below = {module: [name for name in imports(module) if name in MODULES] for module in MODULES}
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def test_the_package_itself_only_points_at_the_library() -> None:
    tree = tree_of("devlint")
    types_only = (node for node in tree.body if _for_types_only(node))
    typed = {node.module for block in types_only for node in ast.walk(block) if isinstance(node, ast.ImportFrom)}
    allowed = {"devlint.integrations.library", "devlint.core.diagnostic", "devlint.core.errors"}
    assert typed == allowed
    assert set(devlint._HOMES) == allowed
    assert set().union(*devlint._HOMES.values()) == set(devlint.__all__)
    assert imports("devlint") == ("importlib",)


def test_no_module_takes_a_name_from_the_package_itself_but_its_version() -> None:
    for module in MODULES:
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.ImportFrom) and node.module == "devlint":
                names = {alias.name for alias in node.names if f"devlint.{alias.name}" not in MODULES}
                assert names <= {"__version__"}, module


USED_BY_RULES = {"devlint.rules.base", *(name for name in MODULES if name.startswith("devlint.rules.triggers."))}


def test_rules_do_not_import_rules() -> None:
    for module in RULES:
        assert {name for name in imports(module) if name.startswith("devlint.rules")} <= USED_BY_RULES, module


def test_output_knows_findings_only() -> None:
    allowed = (
        "devlint.core.addresses",
        "devlint.core.characters",
        "devlint.core.diagnostic",
        "devlint.core.record",
        "devlint.core.lazy_regex",
        "devlint.core.line_matches",
        "devlint.core.file_reading",
        "devlint.cli.output",
        "devlint.config.option_table",
    )
    for module in MODULES:
        if module.startswith("devlint.cli.output."):
            ours = [name for name in imports(module) if name.startswith("devlint")]
            assert not [name for name in ours if not name.startswith(allowed)], module


def test_findings_know_nothing() -> None:
    found = {name for name in imports("devlint.core.diagnostic") if name.startswith(("devlint", "libcst"))}
    assert found == {"devlint.core.record"}


def test_expressions_of_modules_are_compiled_when_they_are_needed() -> None:
    for module in MODULES:
        if not module.startswith("devlint.verify"):
            for statement in tree_of(module).body:
                if isinstance(statement, (ast.Assign, ast.AnnAssign)):
                    assert "re.compile(" not in ast.unparse(statement), f"{module} has an expression that is no regex()"


def test_values_are_records() -> None:
    heavy = {module for module in MODULES if "dataclasses" in imports(module, at_module_level=True)}
    ours = {module for module in heavy if not module.startswith("devlint.verify")}
    assert ours == {"devlint.syntax.fast_libcst_import", "devlint.syntax.tree"}  # they ask what LibCST's nodes are


WITH_TORCH = ("devlint.verify.sim.", "devlint.verify.child.", "devlint.verify.watch.")
"""The simulator, kernels and patches of torch, and what runs in the processes of programs: these import torch at their head, and
are imported inside functions."""


def test_only_the_harness_imports_torch_and_only_on_demand() -> None:
    for module in MODULES:
        if module.startswith(WITH_TORCH):
            continue
        in_harness = module.startswith("devlint.verify")
        names = list(imports(module, at_module_level=in_harness))
        assert not [name for name in names if name.partition(".")[0] == "torch"], module
        at_once = imports(module, at_module_level=True)
        assert not [name for name in at_once if name.startswith(WITH_TORCH)], module


def test_the_harness_never_imports_rules() -> None:
    for module in MODULES:
        if module.startswith("devlint.verify"):
            assert not [name for name in imports(module) if name.startswith("devlint.rules.base")], module


@pytest.mark.parametrize(
    ("power", "owners"),
    [
        ("except Exception", {"devlint.engine.report"}),
        ("os.replace(", {"devlint.sources.file_writing"}),
        (
            "sys.stdout",
            {
                "devlint.cli",
                "devlint.cli.interactive",
                "devlint.cli.lint",
                "devlint.cli.commands.observe",
                "devlint.cli.commands.rules",
                "devlint.cli.printer",
            },
        ),
        ("print(", set()),
    ],
)
def test_each_power_has_one_owner(power: str, owners: set[str]) -> None:
    found = {
        module
        for module in MODULES
        if any(line.split("#")[0].lstrip().startswith(power) or f" {power}" in line for line in code_of(module))
    }
    allowed = owners | {module for module in MODULES if module.startswith("devlint.verify")}
    assert found <= allowed


FILE_READERS = {f"devlint.analysis.project.{name}" for name in ("disk", "project", "root")}
"""``disk`` reads; the others only put paths together."""


def test_only_one_module_tells_rules_of_other_files() -> None:
    """What a rule learns of the disk anywhere else, the cache does not know of: it would show old findings."""
    for module in MODULES:
        if module in FILE_READERS:
            continue
        if module in RULES or module.startswith(("devlint.analysis.", "devlint.fixes.")):
            used = {name.partition(".")[0] for name in imports(module)}
            assert not used & {"glob", "io", "os", "pathlib", "platform", "subprocess", "sys", "time"}, module
            assert not any("open(" in line.split("#")[0] for line in code_of(module)), module


@cache
def code_of(module: str) -> list[str]:
    """The lines of a module without its docstrings."""
    lines = text_of(module).splitlines()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for row in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[row] = ""
    return lines


MAX_FUNCTION_LINES = 40
MAX_RULE_LINES = 150
MAX_MODULE_LINES = 280
MAX_MODULES = 24
"""CONTRIBUTING.md tells these limits."""
GENERATED = "devlint.core.catalogue"


def test_modules_and_functions_can_be_read_at_once() -> None:
    """Where one fails, split it along a concept."""
    lines = {module: text_of(module).count("\n") for module in MODULES if module != GENERATED}
    assert [one for one in lines if lines[one] > (MAX_RULE_LINES if one in RULES else MAX_MODULE_LINES)] == []
    long = [
        f"{module}: {node.name}"
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (node.end_lineno or 0) - node.lineno >= MAX_FUNCTION_LINES
    ]
    assert long == []


def test_folders_can_be_seen_at_a_glance() -> None:
    """Where one fails, give those that belong together a folder of their own; only the rules are one folder."""
    folders = Counter(path.parent for module, path in MODULES.items() if path.parent != PACKAGE / "rules")
    assert {str(folder): count for folder, count in folders.items() if count > MAX_MODULES} == {}


def test_every_module_says_what_it_is_for() -> None:
    for module in MODULES:
        assert ast.get_docstring(tree_of(module)), module


SHARED_NAMES = {
    "Call": "a kind of expression, and the trigger that looks for it",
    "FrameworkArgument": "a row of a table, and the trigger that looks for it",
    "Member": "a row of a table, and the trigger that looks for it",
    "Name": "a kind of expression, and the trigger that looks for it",
    "check": "a command, and the function of the library that does the same",
    "does_without": "the same question: for LibCST's tree, and loosely for Python's",
    "fix": "a command, and the function of the library that does the same",
    "implies_cuda": "the same question: for LibCST's tree, and loosely for Python's",
    "is_guarded": "the same question: for LibCST's tree, and loosely for Python's",
    "main": "the entry point of a process",
    "render": "an output format, all at once",
    "rules": "a command, and what completes its arguments",
    "stream": "an output format, finding by finding",
    "verify": "a command, and the function that does it",
}
"""Names that several modules share on purpose, and what each says in all of them."""


def test_no_two_public_functions_or_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for module in MODULES:
        for node in tree_of(module).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module)
    shared = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert {name: modules for name, modules in shared.items() if name not in SHARED_NAMES} == {}
    assert set(SHARED_NAMES) <= set(shared)


def test_every_private_function_and_class_is_used() -> None:
    """What a module keeps to itself, and itself does not use, is left over."""
    unused = []
    for module in MODULES:
        tree = tree_of(module)
        mentioned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        private = {
            node.name
            for node in tree.body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
            if node.name.startswith("_") and not node.name.endswith("__") and not node.decorator_list
        }
        unused += [f"{module}: {name}" for name in sorted(private - mentioned)]
    assert unused == []


def loaded_by(folder: Path, *arguments: str) -> set[str]:
    """The modules that a run of the command line loads."""
    program = (
        "import atexit, json, sys\n"
        "atexit.register(lambda: print('\\n' + json.dumps(sorted(sys.modules))))\n"
        "from devlint.cli import main\nmain(sys.argv[1:])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    result = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    return set(json.loads(result.stdout.splitlines()[-1]))


def test_a_clean_file_costs_no_parser_and_nothing_ever_torch(tmp_path: Path) -> None:
    (tmp_path / "clean.py").write_text("import os\n\nprint(os.name)  # noqa: T201\n")
    for arguments in (("check", "."), ("check", "clean.py"), ("fix", "."), ("rules",), ("--version",)):
        loaded = loaded_by(tmp_path, *arguments)
        unwanted = set("libcst torch numpy multiprocessing difflib pathspec rich click.shell_completion".split())
        if arguments[0] in ("check", "fix"):
            unwanted |= set(
                "click hashlib urllib.parse importlib.metadata devlint.config.project_survey devlint.cli.output.sarif".split()
            )
        assert not loaded & unwanted, arguments


def test_conditions_are_read_without_libcst() -> None:
    """The prefilter reads them from Python's tree, to spare the parse."""
    program = "import devlint.rules.triggers.guards, sys; print('libcst' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_a_file_with_findings_never_loads_torch(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\nx = torch.zeros(2).cuda()\n")
    loaded = loaded_by(tmp_path, "check", ".")
    assert not loaded & {"torch", "numpy", "libcst.matchers", "libcst.codemod"}
