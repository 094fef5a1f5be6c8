"""Texts that could tell by the names of their section of operations whether it is run, or change
what its operations do.
"""

import pytest

from codegen.mpi.faults import NotModelled
from proofs.certify.rounds import known_sections as sections
from proofs.certify.sandbox.source import Source
from tests.support.changes import changed_once
from tests.support.judged import verdicts
from tests.support.lines import DEFINITION, IMPORT, START
from tests.support.programs import fft, fht, hypercube, permute

FIRST = "def input_place(j):"
PROGRAMS = {
    "vectors": fft(64, 4, kernels="numba"),
    "lanes": permute("bit-reversal", 2**20, 1, kernels="numba", dtype="float64"),
    "cached": permute("bit-reversal", 4096, 4, kernels="numba"),
    "compiling": permute("bit-reversal", 16, 4, kernels="numba"),
}
ASKED = "def told():\n    try:\n        {}\n    except NameError:\n        return False"
TOLD = {
    "a name that is bound above the section": "njit = None",
    "one that is imported": "from math import nan as njit",
    "one that a function binds": "def told():\n    global njit\n    njit = 1",
    "one that a class imports": "class Told:\n    global njit\n    import math as njit",
    "one that a class reads": "class Told:\n    known = njit = njit",
    "one that is deleted": "del njit",
    "a class": "class njit:\n    pass",
    "a function": "def njit():\n    pass",
    "one that is asked for": ASKED.format("njit"),
    "one that a comprehension asks for": ASKED.format("[njit for _ in range(1)]"),
    "an operation that is bound anew": "def compiled(function):\n    return function",
    "a module that it uses": "import os as sys",
}
"""Lines above the definitions."""
OF_VECTORS = {
    "an operation on lines": "def _stored(b, v, there, vector, shuffles, past_caches=False): ...",
    "what a kernel is made of": "np_double = ir",
    "numbers of the compiler": "W = I32(1)",
    "a function of Python that they use": "def range(count):\n    return ()",
}


@pytest.mark.sampled(3)
@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("section", PROGRAMS)
@pytest.mark.parametrize("name", TOLD)
def test_a_name_of_the_section_beside_it_is_not_modelled(name, section):
    wrong = changed_once(PROGRAMS[section], (FIRST, f"{TOLD[name]}\n\n\n{FIRST}"))
    with pytest.raises(ValueError, match="beside its section of operations"):
        Source.read("prog.py", wrong)


@pytest.mark.parametrize("name", OF_VECTORS)
def test_no_operation_is_changed_below_the_section(name):
    wrong = PROGRAMS["vectors"].replace("\n\nW = ", f"\n\n{OF_VECTORS[name]}\n\n\nW = ")
    assert wrong != PROGRAMS["vectors"]
    with pytest.raises(ValueError, match="beside its section of operations"):
        Source.read("prog.py", wrong)


def test_a_module_of_the_section_is_imported_above_it_or_not_said():
    below = PROGRAMS["vectors"] + "\n\nimport operator\n"
    with pytest.raises(ValueError, match="says operator beside"):
        Source.read("prog.py", below)


ALIKE = {
    "an import as the section has it": "import operator",
    "a name of a function's own": "def own(Callable):\n    types = Callable\n    return types",
    "a method": "class Own:\n    def features(self):\n        return self.features",
    "an annotation": "def own(x: Any) -> Any:\n    return x",
}


@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("name", ALIKE)
def test_a_name_of_a_text_s_own_is_taken(name):
    Source.read("prog.py", changed_once(PROGRAMS["vectors"], (IMPORT, f"{IMPORT}\n{ALIKE[name]}")))


@pytest.mark.parametrize("section", PROGRAMS)
def test_the_section_has_the_operations_that_are_imported_in_its_place(section):
    assert sections.section_of(PROGRAMS[section]) == section
    space = sections.IN_ITS_PLACE[section]
    assert all(name in sections.SECTIONS[section] for name in sections.OPERATIONS[section])
    assert "Any" in space


@pytest.mark.long
def test_emitted_programs_say_none_of_these_names():
    others = [
        fft(64, 4, kernels="numba", exchange="shared"),
        fft(64, 4, kernels="numba", dtype="complex64"),
        fht(64, 4, kernels="numba"),
        hypercube(64, 4, "3", kernels="numba"),
    ]
    for program in (*others, *PROGRAMS.values()):
        assert Source.read("prog.py", program).section


def test_an_error_of_a_name_that_is_caught_is_not_taken():
    wrong = changed_once(
        fft(16, 2),
        (DEFINITION, f"{ASKED.format('nothing')}\n    return True\n\n\n{DEFINITION}"),
        (START, START + "    x = 0 * x if told() else x\n"),
    )
    with pytest.raises(NotModelled, match="real ranks"):
        verdicts(wrong)
