"""What holds the house together: form, types, and imports that flow one way."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import pytest

from codegen.system_table import SYSTEMS
from tests.support.house import (
    MAY_IMPORT,
    MODULES,
    NAMES,
    TRUSTED,
    imported_modules,
    imports,
    libraries,
    names_in_strings,
    tree_of,
)
from tests.support.paths import ROOT

BEHIND_ONE_DOOR = (
    "galois",
    "sympy",
    "jinja2",
    "greenlet",
    "typer",
    "rich",
    "docutils",
    "matplotlib",
    "marimo",
)


def clean(*command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_finds_every_file_formatted() -> None:
    clean("ruff", "format", "--check", "--diff", ".")


def test_ruff_finds_nothing_to_correct() -> None:
    clean("ruff", "check", ".")


@pytest.mark.long
def test_mypy_finds_nothing_to_correct() -> None:
    clean("mypy")


def package_of(module: str) -> str:
    return module.partition("/")[0]


def test_imports_flow_one_way() -> None:
    assert [
        (module, name)
        for module in MODULES
        for name in (libraries(module) & MAY_IMPORT.keys()) - MAY_IMPORT[package_of(module)]
    ] == []


def test_no_string_names_a_module_further_up() -> None:
    assert [
        (module, name)
        for module in MODULES
        for name in names_in_strings(tree_of(module))
        if name.partition(".")[0] not in MAY_IMPORT[package_of(module)]
    ] == []


def test_no_module_imports_itself_through_others() -> None:
    try:
        TopologicalSorter({name: imported_modules(NAMES[name]) for name in NAMES}).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


MOST_LINES = {"function": 40, "file": 350}
SIGNATURES = {
    "nodewright/cli/certify.py": {"certify"},
    "nodewright/cli/cost.py": {"bench_fft", "search"},
    "nodewright/cli/generate.py": {"generate"},
    "nodewright/cli/prove.py": {"derive", "prove"},
    "nodewright/cli/show.py": {"show_formula", "show_graph"},
}
"""Commands, whose parameters with their help fill more lines than that."""


def test_files_are_short() -> None:
    lengths = {module: len((ROOT / module).read_bytes().splitlines()) for module in MODULES}
    assert {module: n for module, n in lengths.items() if n > MOST_LINES["file"]} == {}


def test_functions_are_short() -> None:
    assert {module: long for module in MODULES if (long := long_in(module))} == SIGNATURES


def long_in(module: str) -> set[str]:
    """Return the functions of a module that have more lines than that."""
    return {
        node.name
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MOST_LINES["function"]
    }


PROVER = tuple(
    f"proofs.{room}."
    for room in ("kernel", "blocks", "meaning", "prove", "theorems", "show", "replay")
)
CERTIFIER = ("proofs.certify.",)


def strangers_of(module: str) -> tuple[str, ...]:
    """Return what a module of the prover or of the certifier does not know."""
    name = module.removesuffix(".py").replace("/", ".")
    if name.startswith(PROVER):
        return (*CERTIFIER, "codegen.")
    return (*PROVER, "codegen.emit.") if name.startswith(CERTIFIER) else ()


def test_prover_and_certifier_know_nothing_of_each_other_nor_of_emission() -> None:
    assert [
        (module, other)
        for module in MODULES
        for other in imports(tree_of(module))
        if f"{other}.".startswith(strangers_of(module))
    ] == []


MOST_MODULES = 12
"""So many modules or templates a folder has at most, beside its sub-packages."""


SOUGHT = {"partition", "rpartition", "startswith", "endswith", "removeprefix", "removesuffix"}
"""What looks into a text."""


def test_emission_decides_by_values_and_not_by_texts_that_it_prints() -> None:
    templates = sorted((ROOT / "codegen/templates").rglob("*.jinja"))
    compared = re.compile(r"""[!=]= *'"|in \('"|'"\w+"' *[!=]=""")
    assert [path.name for path in templates if compared.search(path.read_text("utf-8"))] == []
    assert [
        (module, node.attr)
        for module in MODULES
        if module.startswith("codegen/emit/")
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.Attribute) and node.attr in SOUGHT
    ] == []


def test_no_system_is_told_by_its_name_nor_by_its_record() -> None:
    assert {
        module: told for module in MODULES if (told := systems_told(module, tree_of(module)))
    } == {}


def test_a_system_that_is_told_is_seen() -> None:
    told = (
        "word == 'fft'",
        "word in ('fht', 'permute')",
        "word != FFT.name",
        "record is fft.FFT",
        "(word, P) == (RFFT.name, 1)",
        "{'wht': 1}[word]",
    )
    for text in told[:-1]:
        assert systems_told("nodewright/tune.py", ast.parse(text)), text
    assert not systems_told("nodewright/tune.py", ast.parse(told[-1])), "a table is data"
    assert not systems_told("codegen/systems/fft.py", ast.parse("word != FFT.name")), "its own"


def systems_told(module: str, tree: ast.AST) -> list[str]:
    """Return the comparisons with names of systems, or with records other than a module's own."""
    others = {name for name, home in HOMES.items() if module != home}
    return [
        ast.unparse(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare | ast.MatchValue)
        for side in sides(node)
        if (isinstance(side, ast.Constant) and side.value in SYSTEMS) or called(side) in others
    ]


def called(node: ast.AST) -> str:
    """Return the last name of an expression: FFT of FFT, fft.FFT and of FFT.name."""
    node = node.value if isinstance(node, ast.Attribute) and node.attr == "name" else node
    return getattr(node, "attr", "") or getattr(node, "id", "")


def test_a_transform_is_named_in_no_other_files_than_its_page_says() -> None:
    page = (ROOT / "docs/how-to/add-a-transform.md").read_text("utf-8")
    said = re.findall(r"`([\w/]+\.\w+)`", page.partition("no others do:")[2].partition("\n## ")[0])
    named = re.compile(r"hadamard|\bwht\b", re.IGNORECASE)
    assert sorted(said) == sorted(
        path.relative_to(ROOT).as_posix()
        for package in MAY_IMPORT
        for form in ("*.py", "*.jinja", "*.toml", "*.json")
        for path in (ROOT / package).rglob(form)
        if named.search(path.read_text(encoding="utf-8"))
    )
    assert len((ROOT / "codegen/systems/wht.py").read_text("utf-8").splitlines()) <= 120


HOMES = {
    called(node.targets[0]): module
    for module in MODULES
    if module.startswith("codegen/systems/")
    for node in tree_of(module).body
    if isinstance(node, ast.Assign)
    and isinstance(node.value, ast.Call)
    and called(node.value.func) in ("System", "replace")
}
"""The modules of the records, by the names of these."""


def sides(node: ast.Compare | ast.MatchValue) -> list[ast.AST]:
    """Return what a comparison, or a pattern, compares; of a sequence what is in it, too."""
    whole = [node.value] if isinstance(node, ast.MatchValue) else [node.left, *node.comparators]
    return [
        part
        for each in whole
        for part in (each, *(each.elts if isinstance(each, ast.Tuple | ast.List | ast.Set) else ()))
    ]


def test_no_folder_is_crowded() -> None:
    files = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for package in MAY_IMPORT
        for form in ("[a-z]*.py", "*.jinja")
        for path in (ROOT / package).rglob(form)
    )
    assert {folder: n for folder, n in files.items() if n > MOST_MODULES} == {}


def test_nothing_is_imported_inside_a_function() -> None:
    assert [
        (module, node.lineno, name)
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for name in imports(node)
    ] == []


@pytest.mark.parametrize("library", BEHIND_ONE_DOOR)
def test_every_library_has_one_door(library: str) -> None:
    doors = [module for module in MODULES if library in libraries(module)]
    assert len(doors) == 1, f"{library} is imported in {', '.join(doors) or 'no file'}"


SLOW = ("galois", "sympy", "numba", "matplotlib", "scipy", "marimo")
"""Libraries that the command line imports when something of them is first used."""


def test_the_command_line_begins_without_slow_libraries() -> None:
    look = (
        "import sys, nodewright.cli.app; print([name for name in sys.modules if"
        f" name.startswith({tuple(f'{name}.' for name in SLOW)})])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


STARTED = ["nodewright/data/h_relations.py"]
"""What mpiexec starts, and no module imports: the program that measures a machine."""


def test_mpi4py_is_imported_only_by_programs_that_mpiexec_starts() -> None:
    assert [module for module in MODULES if "mpi4py" in libraries(module)] == STARTED
    names = {name.removesuffix(".py").replace("/", ".") for name in STARTED}
    assert [module for module in MODULES if names & {*imports(tree_of(module))}] == []


def test_the_trusted_part_knows_the_standard_library_only() -> None:
    known = {name.removesuffix(".py").replace("/", ".") for name in TRUSTED}
    assert [
        (module, name)
        for module in TRUSTED
        for name in imports(tree_of(module))
        if name not in known and name.partition(".")[0] not in sys.stdlib_module_names
    ] == []


def test_no_test_imports_from_a_file_of_tests() -> None:
    assert [
        (path.name, node.lineno)
        for path in (ROOT / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (getattr(node, "module", None) or "").split(".")
        + [part for alias in node.names for part in alias.name.split(".")]
        if name.startswith("test_")
    ] == []


def test_every_package_says_that_it_is_typed() -> None:
    assert [package for package in MAY_IMPORT if not (ROOT / package / "py.typed").exists()] == []


def test_a_lazy_and_a_relative_import_are_seen() -> None:
    tree = ast.parse("def f():\n    import galois.x\n    from . import y\n")
    assert list(imports(tree)) == ["galois.x", "."]


def test_a_module_in_a_string_is_seen() -> None:
    tree = ast.parse("a = lazily('proofs.show')\nb = 'nodewright.'\nc = 'proofs. No'")
    assert set(names_in_strings(tree)) == {"proofs.show", "nodewright."}
