"""The text of a program as the checker sees it: read, parsed and vetted, and executed nowhere
(proofs/certify/workers/worker.py does that).
"""

from __future__ import annotations

import ast
import contextlib
import marshal
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from codegen.kernels import plain_vectors
from proofs.certify.arrays import pyfftw_stand_in
from proofs.certify.kernels import compiled, sections
from proofs.certify.sandbox import attributes, caught, ownership, set_order, texts
from proofs.certify.sandbox.vetting import is_ours, modules, readable, vetted

LARGEST_TEXT = 2**22
"""Programs have at most so many characters: the longest that are emitted have 10^5."""
KEPT = 8
"""So many texts are kept as they were read."""
PLANNED = "plans made and executed by FFTW"
SPECIFIED = "plans by their specification, as pyfftw is not installed: nothing is said of FFTW's"
COMPILED = "kernels compiled by numba"
INTERPRETED = "kernels run as Python, as numba is not installed: nothing is said of compiled ones"


@dataclass(frozen=True)
class Source:
    """A program's text with the modules that it imports, and the section of its kernels.

    `bound` are names that its top level binds. `real` says whether it has kernels for numba.
    `widths` are numbers of lanes, beside the usual one, that vectors of its kernels have on some
    processors. `code` is compiled with the stand-in of its section, and `whole`, where it has
    kernels, with the section itself; both are marshalled.
    """

    name: str
    text: str
    modules: frozenset[str]
    bound: frozenset[str]
    section: str
    real: bool
    widths: tuple[int, ...]
    code: bytes
    whole: bytes

    @classmethod
    @lru_cache(KEPT)
    def read(cls, name: str, text: str) -> Source:
        """Return a program's text, parsed and vetted; of the last ones that is kept.

        Raises ValueError if it is too long, no Python, or says what no node program needs.
        """
        if len(text) > LARGEST_TEXT:
            raise ValueError(
                f"{name} has {len(text)} characters: a program has at most {LARGEST_TEXT}"
            )
        with _as_python(name):
            rest = sections.without(readable(text))
            own = attributes.renamed(ast.parse(rest, name), is_ours)
            tree = attributes.given(ast.parse(rest, name), own)
        imported = _imported(name, text, tree)
        section, real = sections.section_of(text), "numba" in imported or rest != text
        widths = plain_vectors.NARROWER if section == "vectors" else ()
        with _as_python(name):
            simulated, shared = (
                attributes.given(ast.parse(form, name), own)
                for form in (sections.replaced(text), sections.shared(text))
            )
            own_marks = ownership.guarded(set_order.by_rank(simulated))
            guarded = caught.watched(texts.guarded(own_marks))
            code, whole = (_compiled(name, form) for form in (guarded, shared))
        bound = frozenset(_bound(tree))
        with_kernels = whole if real else b""
        return cls(name, text, imported, bound, section, real, widths, code, with_kernels)

    @property
    def said(self) -> str:
        """What a verdict says of the kernels that were run on this machine; "" if it has none."""
        available = (
            pyfftw_stand_in.is_installed() if "pyfftw" in self.modules else compiled.is_installed()
        )
        return self.said_by_any[0 if available else -1]

    @property
    def said_by_any(self) -> tuple[str, ...]:
        """What a verdict may say of them on one machine or another."""
        if "pyfftw" in self.modules:
            return f"; {PLANNED}", f"; {SPECIFIED}"
        return (f"; {COMPILED}", f"; {INTERPRETED}") if self.real else ("",)


@contextlib.contextmanager
def _as_python(name: str) -> Iterator[None]:
    """Raise ValueError where a text turns out to be no Python."""
    try:
        yield
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{name} is no Python program: {error}") from error


def _imported(name: str, text: str, tree: ast.Module) -> frozenset[str]:
    """Return the modules that a text imports; raise ValueError for what no node program needs."""
    imported = frozenset(modules(tree))
    try:
        if "llvmlite" in imported:
            raise ValueError(sections.UNLIKE_OURS)
        vetted(tree)
        sections.refuse_names(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}, {error}") from error
    return imported


def _bound(tree: ast.Module) -> Iterator[str]:
    """Yield the names that assignments and definitions bind at the top level of a module."""
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (
                    node.id
                    for target in targets
                    for node in ast.walk(target)
                    if isinstance(node, ast.Name)
                )


def _compiled(name: str, form: ast.Module) -> bytes:
    return marshal.dumps(compile(form, name, "exec", dont_inherit=True))
