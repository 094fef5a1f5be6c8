"""The language as a page: its tables as Markdown, `docs/language.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proofs.certify.evaluation.data_libraries import library_of
from proofs.certify.evaluation.ranks import (
    ALONE,
    ENTRIES,
    MEMORY,
    OF_ANY,
    OF_ELEMENT,
    PLAN,
    SECONDS,
    STEPS,
    TIMES,
)
from proofs.certify.exact.data import Data
from proofs.certify.exact.data_functions import OPERATORS
from proofs.certify.exact.space import Space
from proofs.certify.language import limits, program_grammar
from proofs.certify.language.library_rules import Library
from proofs.certify.language.table_entries import INSTEAD, Operation
from proofs.certify.language.tables.builtins import BUILTINS
from proofs.certify.language.tables.standard import STANDARD
from proofs.certify.language.tables.value_members import MEMBERS
from proofs.certify.language.values.classes import SPECIAL
from proofs.certify.modular.residue_rules import COMPUTING, ELEMENTWISE
from proofs.certify.modular.residue_rules import OPERATORS as RESIDUES
from proofs.certify.rounds.sections import DOORS

HEAD = """# The language of node programs

`nodewright certify` evaluates a program; it does not execute it. The program is Python with numpy
and mpi4py, restricted to the constructs, functions and attributes on this page. Anything else makes
the verdict *undecided*, with the name of the construct and its line. This page is generated from
the tables that the evaluator uses:

    nodewright certify --language > docs/language.md

Only what `plan`, `transform`, `input_place`, `output_place`, `local_shape` and `local_output_shape`
reach must be in the language. The rest of a file, such as `main`, is not examined: a program may
import modules at its top that `main` alone uses.
A name with parentheses lists the keyword arguments that are accepted; `*` accepts any.
"""


def names(table: Mapping[str, Any]) -> str:
    """Return the names of a table as code, operations with their keywords."""
    return ", ".join(f"`{name}{keywords(value)}`" for name, value in sorted(table.items()))


def keywords(value: Any) -> str:
    """Return the keywords of an operation in parentheses, if it has any."""
    if not isinstance(value, Operation) or not value.keywords:
        return ""
    return f"({', '.join(f'{each}=' if each != '*' else each for each in sorted(value.keywords))})"


def modules(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the lines of modules and of those in them."""
    for name, module in sorted(table.items()):
        own = {key: value for key, value in module.items() if not isinstance(value, dict)}
        within = {key: value for key, value in module.items() if isinstance(value, dict)}
        if own or not within:
            yield f"\n### {prefix}{name}\n"
            yield names(own) or "Imported, but without names: for what is not evaluated."
        yield from modules(within, f"{prefix}{name}.")


def attributes(members: Mapping[type, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of the attributes of each type."""
    tables = {kind.__name__: table for kind, table in members.items()}
    yield from (f"- `{name}`: {names(table)}" for name, table in sorted(tables.items()))


def remedies(table: Mapping[str, str]) -> Iterator[str]:
    """Yield the rows of what is not in the language and what to write instead."""
    yield "\n| not in the language | instead |\n| --- | --- |"
    yield from (f"| `{name}` | {words} |" for name, words in sorted(table.items()))


def document() -> str:
    """Return the page."""
    forms = (program_grammar.__doc__ or "").split("\n\n")[1]
    words = {name: value for name, value in BUILTINS.items() if name != "Ellipsis"}
    lines = [
        HEAD,
        "## Statements and expressions\n",
        forms,
        "\nA class has at most one base; its special methods are "
        f"{names(dict.fromkeys(SPECIAL))}. `super()` has no arguments. A class derived from an",
        "exception has a docstring alone. A function with `yield` is decorated with",
        "`contextlib.contextmanager`.",
        *remedies(program_grammar.REMEDIES | program_grammar.WORDS | INSTEAD),
        "\n## Builtins\n",
        names(words),
        *of_library(library_of(Space(complex))),
        *LIMITS,
    ]
    return "\n".join(lines) + "\n"


def of_library(library: Library) -> Iterator[str]:
    """Yield the lines of attributes, of data, of modules and of kernels."""
    members = {**MEMBERS, **library.members}
    known = {**STANDARD, **library.modules}
    yield "\n## Attributes and methods\n"
    yield from attributes({kind: table for kind, table in members.items() if kind is not Data})
    yield "\n## The data of a transform\n"
    yield "What `transform` is given, and all that is computed from it, is exact: it may be moved,"
    yield "sent, added, and multiplied by constants. Of data there are these functions of numpy,\n"
    yield names(dict.fromkeys(library.functions))
    yield f"\nthese operators, {names(dict.fromkeys(OPERATORS))}, and these attributes:\n"
    yield names(members[Data])
    yield from of_residues()
    yield "\n## Modules"
    yield from modules({name: own for name, own in known.items() if name not in DOORS.values()})
    yield "\n## Compiled kernels\n"
    yield "Functions under `numba.njit`, and under `compiled` of nodewright's own section of"
    yield "operations where a program has one, word for word. An index outside of an array refutes"
    yield "the program, as compiled code does not check it; a negative one counts from the end. An"
    yield "integer of more than 64 bits is undecided. The operations of each section:\n"
    yield from (f"- `{name}`: {names(library.modules[door])}" for name, door in DOORS.items())


def of_residues() -> Iterator[str]:
    """Yield the lines of the data of a number-theoretic transform."""
    yield "\nThe data of an `ntt` are integers of 64 bits. Their residues modulo `MODULUS` are"
    yield "exact, and bounds of them are known. A sum or a product that may have more than 64 bits"
    yield "is undecided. So are a remainder by a number that is not a multiple of `MODULUS`, unless"
    yield "it changes nothing, and a comparison that depends on the input. Besides what moves"
    yield "elements, these data have"
    operators, functions = (names(dict.fromkeys(each)) for each in (RESIDUES, ELEMENTWISE))
    yield f"the operators {operators} and the functions {functions}. They have none of the"
    yield f"attributes {names(dict.fromkeys(COMPUTING))}."


LIMITS = (
    "\n## Limits\n",
    f"{limits.STEP[0].upper()}{limits.STEP[1:]}. A program has at most\n",
    f"- {SECONDS} seconds of processor time",
    f"- {STEPS} steps of all ranks together",
    f"- {OF_ANY} steps of one rank between two messages, and {OF_ELEMENT} more for each element of"
    " the array that is transformed",
    f"- 1/{PLAN} of the steps of all ranks for one rank in `plan` between two messages, 1/{ALONE}"
    " in `transform` and `free`",
    f"- {limits.STEPS} steps for the module itself, and for one call of a function of locations",
    f"- {limits.ELEMENTS} elements of one array, list, tuple or string",
    f"- {limits.ELEMENTS} values that one operation goes through; a list that is in another one"
    " twice counts twice",
    f"- {ENTRIES} elements of one array that depends on the data, or {TIMES} times those of the"
    " array that is transformed, if these are more",
    f"- {MEMORY} bytes of all arrays that exist at a time; {limits.BYTES} for the module itself",
    f"- {limits.BITS} bits of one integer",
    "\nAn array from `np.empty` is filled with NaN, or with arbitrary integers. So a result shows",
    "that it depends on elements that were never written.",
)
