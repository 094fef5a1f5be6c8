"""No emitted program has a name that is not defined, a variable, an attribute or an entry of a
table that nothing reads, or a function that nothing calls.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from codegen.shapes import stated
from codegen.systems.exchanges import AUTO, EXCHANGES, NODE_AWARE, OVERLAPPED, SHARED
from codegen.systems.options import DIRECTIONS
from codegen.systems.record import Request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.papers.hypercube import SCHEMES
from proofs.certify.program import certify
from tests.support.programs import fft, fht, module_of
from tests.support.requests import REQUESTS, SECTION
from tests.support.worlds import run

WAYS = (*EXCHANGES, OVERLAPPED, SHARED, AUTO, NODE_AWARE)
KERNELS = ("numpy", "numba")
LAYOUTS = (("block", "block"), ("cyclic", "cyclic"), ("block", "bit-reversed"), ("f:1", "block"))
LISTS = ("block", "hartley", "hartley-input", "cyclic")
"""Inputs of Hartley transforms."""
ARRAYS = ((12, None), (30, None), (16, 3), ("4x6", None), ("8x8x4", None), (1000, None), ("9x4", 4))
"""Sizes that are no powers of two, arrays of several axes and batches."""
RULES = "F401,F811,F821,F841"
"""ruff's: an import that is not used, a redefinition, an undefined name, an unused variable."""
OF_USERS = {
    *("Plan.comm", "convolve", "input_place", "output_place"),
    *("input_index", "output_index"),  # those of unequal parts read and write slices of files
}
"""What a program has for its users, and its sections that are the same in others do not read."""
TRIED_FIRST = "`numba` imported but unused"
"""What is said of an import that only finds out whether numba is there."""


def requests(sizes: Iterable[int], arrays: Iterable[Any]) -> Iterator[Request]:
    """Yield the requests that there are among those of these sizes, which are many kinds."""
    named = ("identity", "bit-reversal", "gray-code", "transpose:1")
    for kernels, P, way in product(KERNELS, (1, 2, 4, 8), WAYS):
        more: dict[str, Any] = {"exchange": way, "kernels": kernels}
        for N, direction in product(sizes, DIRECTIONS):
            more["direction"] = direction
            for layouts in LAYOUTS:
                yield from _if_any("fft", N, P, *layouts, **more)
            yield from _if_any("fft", N, P, **more, local="butterflies")
            for scheme, after in product(SCHEMES, ("block", "scrambled")):
                yield from _if_any("hypercube-fft", N, P, output=after, scheme=scheme, **more)
            for before, algorithm in product(LISTS, ("hypercube", "group-cyclic")):
                yield from _if_any("fht", N, P, before, algorithm=algorithm, **more)
            yield from _if_any("fht", N, P, convolve=True, **more)
            yield from _if_any("fht", N, P, result="power", **more)
        for (size, batch), system in product(arrays, ("fft", "rfft", "fht")):
            for layout in ("block", "cyclic"):
                shape = stated(size, P, batch)
                yield from _if_any(system, **shape, input=layout, output=layout, **more)
        del more["direction"]
        for N, name in product(sizes, named if min(sizes) > 2 else ()):
            moved = Bmmc(bmmc.named(name, N.bit_length() - 1), name)
            yield from _if_any("permute", N, P, permutation=moved, **more)


def _if_any(*words: Any, **more: Any) -> Iterator[Request]:
    """Yield a request, if there is such a one and it has a program."""
    try:
        yield make_request(*words, **more)
    except ValueError:
        return


@cache
def wide() -> list[Request]:
    """Return requests of many kinds, each once."""
    return list(dict.fromkeys(requests((8, 1024), ARRAYS)))


def problems(texts: Iterable[str], folder: Path, step: int = 1) -> list[str]:
    """Return what ruff finds in texts, and what each, or one of so many, has that is dead."""
    found = list[str]()
    for number, text in enumerate(texts):
        (folder / f"program_{number}.py").write_text(text, encoding="utf-8")
        names = sorted(dead(text)) if number % step == 0 else []
        found += [f"program_{number}.py: {name}" for name in names]
    words = ["check", "--isolated", "--no-cache", "--select", RULES, "--output-format", "concise"]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *words, str(folder)], capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    lines = [line for line in done.stdout.splitlines() if ".py:" in line]
    return found + [line for line in lines if TRIED_FIRST not in line]


def dead(text: str) -> set[str]:
    """Return the local variables and attributes that are assigned and never read, and the functions
    and methods that nothing else names, but in sections that are the same in other programs.
    """
    own = ast.parse(SECTION.sub("", text))
    read = _read(ast.parse(text))
    found = set[str]()
    for node in ast.walk(own):
        if isinstance(node, ast.FunctionDef):
            found |= {f"{node.name}: {name}" for name in _stored(node) - {*_read(node)}}
        if isinstance(node, ast.ClassDef):
            methods = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
            named = {*_attributes(node), *(name for name in methods if name[:2] != "__")}
            found |= {f"{node.name}.{name}" for name in named if not read[f".{name}"]}
    for node in own.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            again = sum(_is_compiled(each, node.name) for each in own.body)
            if read[node.name] == _read(node)[node.name] + again:
                found.add(node.name)
    return found - OF_USERS


def _read(tree: ast.AST) -> Counter[str]:
    """Return how often names are read, attributes with a dot before them."""
    nodes = [node for node in ast.walk(tree) if isinstance(getattr(node, "ctx", None), ast.Load)]
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    return Counter(names + [f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)])


def _stored(function: ast.FunctionDef) -> set[str]:
    """Return the variables of a function."""
    nodes = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    names = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    return {name for name in names if not name.startswith("_")}


def _attributes(node: ast.ClassDef) -> set[str]:
    """Return the attributes that a class assigns."""
    stores = [each for each in ast.walk(node) if isinstance(each, ast.Attribute)]
    return {each.attr for each in stores if isinstance(each.ctx, ast.Store)}


def _is_compiled(statement: ast.stmt, name: str) -> bool:
    """Return whether a statement compiles a function, as f = compiled(f) does."""
    match statement:
        case ast.Assign([ast.Name(target)], ast.Call(args=[ast.Name(given)])):
            return target == given == name
    return False


def texts(specs: Iterable[Request]) -> Iterator[str]:
    """Yield the programs of these requests, but of those that are refused when they are lowered."""
    for asked in specs:
        try:
            program = resolve(asked)
        except ValueError:
            continue
        yield emit(program)


STILL = Bmmc(bmmc.named("identity", 6), "identity")
FOUND = (
    make_request("fht", 64, 1, convolve=True),
    make_request("fht", 64, 8),
    make_request("fht", 32, 4, algorithm="group-cyclic", kernels="numba"),
    make_request(
        "fft", **stated("4x4x4", "2x1x1"), input="cyclic", output="cyclic", kernels="numba"
    ),
    make_request("fft", 64, 2, "cyclic", exchange=AUTO, kernels="numba"),
    make_request("permute", 64, 4, kernels="numba", permutation=STILL),
)
"""Requests whose programs once had something dead."""


def test_programs_of_each_kind_have_nothing_dead(tmp_path: Path) -> None:
    each = [specs[0] for specs in REQUESTS.values()]
    assert problems(texts([*FOUND, *each]), tmp_path) == []


@pytest.mark.long
def test_every_fortieth_program_has_nothing_dead(tmp_path: Path) -> None:
    assert problems(texts(wide()[::40]), tmp_path) == []


DAMAGED = {
    "a name that is not defined": (
        "    work = plan.work\n",
        "    work = plan.work\n    where.fill(0)\n",
        "Undefined name `where`",
    ),
    "a variable that is not read": (
        "    work = plan.work\n",
        "    work, other = plan.work, x\n",
        "transform: other",
    ),
    "a table that is not read": (
        "            self.work = ",
        "            self.spare = np.empty(M)\n            self.work = ",
        "Plan.spare",
    ),
    "a method that is not called": (
        "    def free(self):",
        "    def half(self):\n        return M\n\n    def free(self):",
        "Plan.half",
    ),
    "a function that only calls itself": (
        "def root_of_unity(e, order):",
        "def power(e, order):\n    return power(e - 1, order)\n\n\ndef root_of_unity(e, order):",
        ": power",
    ),
    "a function that is compiled and not called": (
        "def root_of_unity(e, order):",
        "def power(e):\n    return e\n\n\npower = abs(power)\n\n\ndef root_of_unity(e, order):",
        ": power",
    ),
    "an import that is not used": ("import sys\n", "import sys\nimport math\n", "`math` imported"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_found(name: str, tmp_path: Path) -> None:
    before, after, wanted = DAMAGED[name]
    text = fft(64, 4)
    assert text.count(before) == 1
    found = problems([text.replace(before, after)], tmp_path)
    assert any(wanted in line for line in found)


def test_a_text_that_is_no_python_is_found(tmp_path: Path) -> None:
    found = problems(["", "import sys sys\n"], tmp_path, step=2)
    assert found
    assert all("invalid-syntax" in line for line in found)


class Watched(list[Any]):
    """A list that notes which of its entries are read."""

    def __init__(self, entries: Iterable[Any]) -> None:
        super().__init__(entries)
        self.seen = set[int]()

    def __getitem__(self, index: Any) -> Any:
        self.seen.add(index)
        return super().__getitem__(index)


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("P", [4, 8, 16])
def test_some_rank_reads_each_weight_of_the_stages_between_ranks(P: int, direction: str) -> None:
    program = module_of(fht(256, P, "hartley" if direction == "backward" else "block"))
    seen = run(P, lambda comm: _weights_read(program, comm)).results
    assert set.union(*(found for found, _ in seen)) == set(range(P.bit_length() - 2))
    assert [made for _, made in seen] == [False] + [True] * (P - 1)


def _weights_read(program: Any, comm: Any) -> tuple[set[int], bool]:
    """Return which weights a transform reads on a rank, and whether the rank has twiddles."""
    plan = program.plan(comm)
    plan.weights = Watched(plan.weights)
    program.transform(np.ones(program.M), plan)
    found = plan.weights.seen, plan.twiddle is not None
    plan.free()
    return found


@pytest.mark.long
def test_four_elements_on_two_ranks_with_compiled_kernels_are_certified(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(emit(resolve(make_request("fft", 4, 2, kernels="numba"))), encoding="utf-8")
    assert certify(path).holds
