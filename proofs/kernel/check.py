"""A checker that stands alone: certificates done again by the trusted files, and what they prove.
Trusted; nothing else is imported.

    python -m proofs.kernel.check FILE ...

For every certificate it prints the statement in the notation of terms.py, what its symbols stand
for, and what is assumed. It prints the text of an equation, its conditions and its substitution,
and does not compare them with the statement: proofs/replay/certificate_steps.py does, and looks up
the theorem of a name. Exit status: 0 all is proved, 1 something is refused, 2 a file cannot be read
or is none of certificates.
"""

from __future__ import annotations

import re
import signal
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from proofs.blocks.block_matrices import Equation, Letter, Matrix, Relation, Sum
from proofs.blocks.column_induction import Case, Elimination, Obtained, letters, zero_sum
from proofs.blocks.columns import Assumed, Chain, Derivation, Fibres, SameSize
from proofs.blocks.divisions import Division, Local, spelled
from proofs.kernel.kernel_certificates import (
    BadInput,
    certificates,
    derivation,
    read,
    refusing,
    theorem,
)
from proofs.kernel.kernel_rules import Thm
from proofs.kernel.numbers import Digit, Dim, Nat, Real, Sequence
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import Var, free

SECONDS = 600
"""So long a file may take."""
LETTER = re.compile(r"[^\W\d_]\u0302?\u0304?[0-9]*'*(\^-1|\^T)?")
SIZE = re.compile(r"1|[^\W\d_]\w*")


def of_theorem(text: dict[str, Any]) -> list[str]:
    """Return what a certificate of the kernel proves: the equation, its symbols, its hypotheses."""
    found = theorem(text)
    given = [f"{h.left} = {h.right}{_for_all(sorted(h.general))}" for h in found.hypotheses]
    return [
        f"proved{_under(len(given))}: {found.left} = {found.right}",
        *_symbols(found),
        *(f"assumed: {one}" for one in sorted(given)),
        *_claimed(text),
    ]


def _claimed(text: dict[str, Any]) -> Iterator[str]:
    """Yield the text, the conditions and the substitution of an equation of one's own, which are
    not compared with what is proved.
    """
    if "where" in text:
        named = ("equation" if "equation" in text else "name", "where", "substitution")
        shown = (*named, "rows", "columns", "without_roots")
        said = "; ".join(f"{x}: {text[x]}" for x in shown if text.get(x))
        yield f"claimed by the certificate, and not compared here: {ascii(said)[1:-1]:.4000}"


def _for_all(general: list[str]) -> str:
    return f", for all {', '.join(general)}" if general else ""


def _under(count: int) -> str:
    return f" under {count} hypothes{'e' if count > 1 else 'i'}s" if count else ""


def _symbols(found: Thm) -> Iterator[str]:
    """Yield what the free names of a theorem stand for."""
    sides = (
        found.left,
        found.right,
        *(side for h in found.hypotheses for side in (h.left, h.right)),
    )
    sorts = {name: _sort(sort) for name, sort in sorted(free(*sides).items())}
    if sorts:
        yield "for all " + ", ".join(f"{name} {sort}" for name, sort in sorts.items())
    yield from _legend(sorts)


def _sort(sort: Any) -> str:
    match sort:
        case Digit(_, radix):
            return f"= 0 .. {radix} - 1"
        case Real():
            return "real"
        case Sequence(N, s):
            dividing = f" that divide {s}" if type(s) is Dim else ""
            return f"with {N}[0] = 1 and integers {N}[1]/{N}[0], {N}[2]/{N}[1], ..{dividing}"
        case Var(_, rows, cols):
            return f"any {rows} x {cols} matrix"
    return {"natural": ">= 0", "size": ">= 1"}[sort]


def _legend(names: Iterable[str]) -> Iterator[str]:
    """Yield the letters that are not of ASCII by their names: look-alikes are told apart."""
    strange = sorted({c for name in names for c in name if not c.isascii()})
    if strange:
        yield "letters: " + ", ".join(f"{c} is {unicodedata.name(c, hex(ord(c)))}" for c in strange)


def of_blocks(text: dict[str, Any]) -> list[str]:
    """Return what a certificate of block algebra proves: its statements, what is assumed, what
    there is, and what letters are.
    """
    found = derivation(text)
    if not isinstance(found, Derivation):
        return [
            *(f"proved: {line}" for part in found for line in _divided(part)),
            *_integers(found),
        ]
    names = _names(found)
    given = [r for part in found.parts if isinstance(part, Assumed) for r in part.relations]
    made = [part for part in found.parts if isinstance(part, Obtained)]
    return [
        *(f"proved{_under(len(given))}: {_part(part)}" for part in found.stated),
        *(f"where {name} denotes {value}" for name, value in found.letters),
        *(f"assumed: {r}" for r in given),
        *(
            f"there are {', '.join(sorted(part.new))}: {', '.join(map(str, part.relations))}"
            for part in made
        ),
        *(
            f"the sizes {part.old} and {part.new} are one"
            for part in found.parts
            if isinstance(part, SameSize)
        ),
        (
            "matrices over GF(2), of which their names say nothing:"
            f" {', '.join(f'{x.name} is {x.rows} x {x.cols}' for x in names)}"
        ),
        *_legend(part for x in names for part in (x.name, x.rows, x.cols)),
    ]


def _part(part: Any) -> str:
    """Return what a part states, without the texts that it brings."""
    match part:
        case Equation(left, right):
            return f"{left} = {right}"
        case Chain(equations):
            return f"{equations[0].left} = {equations[-1].right}"
        case Obtained():
            return ", ".join(map(str, part.relations))
        case Fibres(one, pairs):
            (m,), (k, r) = pairs.rows, pairs.cols
            return f"{one} takes exactly 2^{r} values, each at 2^{k} of the 2^{m} places"
        case Assumed():
            raise Refused("what is assumed is stated")
    return str(part)


def _divided(part: Division | Local) -> list[str]:
    if isinstance(part, Division):
        return [str(part)]
    members, modulus = " or ".join(map(spelled, part.members)), spelled(part.modulus)
    return [
        f"for every m = {members} mod {modulus}, {spelled(place)} is {members} mod {modulus}"
        for _, place in part.reads
    ]


def _integers(found: Iterable[Any]) -> Iterator[str]:
    """Yield what the letters of divisions are; Refused: a name that reads as something else."""
    polynomials = [
        x
        for part in found
        for name in part.__match_args__
        for x in _polynomials(getattr(part, name))
    ]
    names = sorted({name for x in polynomials for ns, _ in x.terms for name in ns})
    for name in names:
        if not SIZE.fullmatch(name) or name in ("1", "div", "mod", "or", "where"):
            raise Refused(f"{name!a:.40} is not a name of an integer")
    yield (
        f"for all integers {', '.join(names)}, in a division natural ones, as they are replaced"
        " there"
    )
    yield from _legend(names)


def _polynomials(x: Any) -> list[Nat]:
    return (
        [x]
        if type(x) is Nat
        else [found for part in x for found in _polynomials(part)]
        if type(x) is tuple
        else []
    )


def _names(found: Derivation) -> list[Letter]:
    """Return the letters of a derivation; Refused: a name that reads as something else."""
    there = set(letters(_sums(found.parts))) | set(
        letters(_sums(value for _, value in found.letters))
    )
    for name in [*(x.name for x in there), *(name for name, _ in found.letters)]:
        if not LETTER.fullmatch(name) or name == "I":
            raise Refused(f"{name!a:.40} is not a letter with digits, primes, ^-1 or ^T behind it")
    for size in {size for x in there for size in (x.rows, x.cols)}:
        if not SIZE.fullmatch(size):
            raise Refused(f"{size!a:.40} is not a size")
    return sorted(there, key=lambda x: (x.name, x.rows, x.cols))


def _sums(things: Iterable[Any]) -> Iterator[Sum]:
    """Yield the sums in parts, rules left out: their letters are their own."""
    for x in things:
        match x:
            case Sum():
                yield x
            case Matrix(_, _, rows):
                yield from (block for row in rows for block in row)
            case Relation():
                yield zero_sum(x)
            case Obtained():
                yield from map(zero_sum, x.relations)
            case Elimination() | Case() | str():
                continue
            case tuple():
                yield from _sums(x)
            case _:
                yield from _sums(getattr(x, name) for name in x.__match_args__)


def said(text: Any) -> list[str]:
    """Return what the certificates of a file prove; raise Refused where one does not follow,
    BadInput where it is none.
    """
    found = certificates(text)
    lines = [refusing(of_blocks if "derivation" in one else of_theorem, one) for one in found]
    return [
        f"{i}: {line}" if len(found) > 1 else line for i, one in enumerate(lines, 1) for line in one
    ]


def main(files: list[str]) -> int:
    """Check files; print what each proves, or one line on standard error."""
    if not files:
        print("no FILE: give the certificates that are checked", file=sys.stderr)
        return 2
    signal.signal(signal.SIGALRM, _too_long)
    worst = 0
    for file in files:
        status, lines = 0, []
        signal.alarm(SECONDS)
        try:
            lines = said(read(file))
        except (Refused, BadInput) as error:
            status = 1 if isinstance(error, Refused) else 2
            print(
                f"{file!a}: {'refused' if status == 1 else 'no certificate'}:"
                f" {ascii(str(error))[1:-1]:.400}",
                file=sys.stderr,
            )
        signal.alarm(0)
        worst = max(worst, status)
        for line in lines:
            print(f"{file if file.isprintable() else ascii(file)}: {line}")
    return worst


def _too_long(*_: object) -> None:
    raise BadInput(f"it takes more than {SECONDS} s")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
