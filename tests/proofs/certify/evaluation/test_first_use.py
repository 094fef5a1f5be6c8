"""What the first transform leaves in the module may not depend on the form of its x: values that
each rank makes anew when it loads the program are the same there.
"""

from __future__ import annotations

import pytest

from codegen.emit.text import emit
from codegen.program.resolve import resolve
from codegen.requests import make_request
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from proofs.certify.checks.first_use import refuse_first_use
from proofs.certify.failures import NotModelled
from tests.support.evaluations import evaluated

TREATED = "    x, out = arrays(x, plan, out)\n"
FFT = make_request("fft", 8, 2)
OF_RECORDS = make_request(
    "permute", 8, 2, permutation=Bmmc(bmmc.named("gray-code", 3)), dtype="i4,f8"
)
CLASSES = """class One(RuntimeError):
    pass


class Two(RuntimeError):
    pass


"""
PAIR = """class Pair(typing.NamedTuple):
    a: int
    b: int


PAIR = Pair(1, 2)
"""
OTHER = """

class Other(typing.NamedTuple):
    b: int
    a: int


"""


def checked(request, names, line):
    """Check a program whose transform begins with a line, with these names in its module."""
    program = emit(resolve(request)).replace("import sys\n", "import sys\nimport typing\n")
    program = program.replace("class Plan:", f"{names}KEPT = [None]\n\n\nclass Plan:")
    assert program.count(TREATED) == 1
    evaluation, d = evaluated(program.replace(TREATED, f"{line}{TREATED}"))
    evaluation.module_changes = True
    refuse_first_use(evaluation, d)


MADE_ANEW = {
    "classes of exceptions": (FFT, CLASSES),
    "a class of tuples": (FFT, PAIR),
    "a type of records": (OF_RECORDS, ""),
}


@pytest.mark.parametrize("name", MADE_ANEW)
def test_the_same_state_after_each_first_use_is_accepted(name):
    checked(*MADE_ANEW[name], "    KEPT[0] = 1\n")


APART = [
    "One if {} else Two",
    "One() if {} else Two()",
    "int if {} else float",
    "1 if {} else 2",
    "[[1.0], 2.0] if {} else [[1.0, 2.0]]",
    "(lambda a: a) if {} else (lambda a: -a)",
    "'a'.upper if {} else 'a'.lower",
    "np.zeros(1, 'q' if {} else 'l')",
    "PAIR if {} else Other(1, 2)",
]


@pytest.mark.parametrize("values", APART)
def test_another_state_after_another_first_use_is_named(values):
    value = values.format("x.flags.c_contiguous")
    with pytest.raises(NotModelled, match="changes KEPT, a name of the module"):
        checked(FFT, CLASSES + PAIR + OTHER, f"    KEPT[0] = KEPT[0] or ({value})\n")
