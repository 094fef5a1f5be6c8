"""Spec: the one request for a program, checked once, and the command that asks for it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from codegen import shapes
from codegen.elements import check_dtype, dtype_name
from codegen.program.hartley import ALGORITHMS
from codegen.request import Request
from codegen.systems.exchanges import AUTO, EXCHANGES, OF_NODES, OVERLAPPED, SHARED
from codegen.systems.fft import FFT
from codegen.systems.options import COMPLEX, DIRECTIONS, KERNELS, NORMS, NUMBA, NUMPY
from codegen.systems.record import System, one_of
from codegen.systems.table import (
    DIRECTION,
    NORM,
    OF_OWN,
    ONLY_OF,
    OPTIONS,
    RECORDS,
    SYSTEMS,
    having,
)
from derive.arguments import integer, named, text, texts, unknown
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc

WORDS = (
    *("scheme", "phases", "local", "permutation", "algorithm", "input", "output", "direction"),
    *("norm", "kernels", "exchange", "dtype", "result", "convolve"),
)
"""The fields that a command states where they are not the default, in their order."""
TEXTS = ("system", *sorted({*OPTIONS} - {"dtype", "convolve", "input", "output"}))


@dataclass(frozen=True)
class Spec(Request):
    """A request for a program: a system for N elements on P ranks, laid out as `input` and `output`
    name it.

    The output is `block` if none is named, of `fht` its own. `permute` wants its permutation of N
    indices; `hypercube-fft` takes a scheme, and `fht` an algorithm. `fft` takes the sizes of its
    phases and how a rank does one (derive/papers/bsp_variants.py), or a formula: a factorization of
    F_N of one's own. What is not stated is filled in. Raises ValueError for a request that no
    program answers; layouts are looked up when it is lowered.

    >>> Spec("fht", 64, 4).output, Spec("hypercube-fft", 64, 4).scheme
    ('hartley', '3')
    """

    def __post_init__(self) -> None:
        """Check what is stated, and fill in the rest."""
        _check_owners(self)
        vars(self).update(_of_their_kinds(self))
        _check_words(self)
        _check_choices(self)
        shares = SHARED in self.record.exchanges and self.P > 1
        if self.exchange in OF_NODES and not shares:
            vars(self).update(exchange=EXCHANGES[0])
        vars(self).update(
            {name: value for name, value in _usual(self).items() if not getattr(self, name)}
        )
        if self.record.arrays:
            vars(self).update(shapes.filled(self))
        _check_sizes(self)
        vars(self).update(self.record.settle(self))
        self.record.check(self)
        _check_kernels(self)
        check_dtype(self.record.dtypes, self.dtype)

    @property
    def record(self) -> System:
        """The record of the system, or that of a factorization of one's own."""
        return RECORDS[self.system] if self.formula is None else OF_OWN

    @property
    def is_by_bits(self) -> bool:
        """Whether it is of one array of one axis, where sizes are powers of two, and its system
        takes these otherwise than other sizes.
        """
        return self.record.by_bits and self.is_of_bits

    @property
    def is_shaped(self) -> bool:
        """Whether files and parts of ranks are arrays of axes, or of a batch."""
        return len(self.shape) > 1 or self.batch > 0 or (self.in_pairs and self.record.of_axes)

    @property
    def in_pairs(self) -> bool:
        """Whether two real elements are one complex number within a program."""
        return self.record.real and not self.is_by_bits

    @property
    def compiles(self) -> bool:
        """Whether local Fourier transforms are compiled as they stand."""
        return self.kernels == NUMBA and (self.record.compiles or self.in_pairs)

    @property
    def scale(self) -> str:
        """The factor on the result as an expression in N."""
        return self.record.scale(self)


DEFAULTS = {field.name: field.default for field in fields(Spec)}


def command(spec: Spec) -> str:
    """Return the command that makes a program.

    >>> command(Spec("fft", 16, 2, "cyclic"))
    'nodewright generate fft --size 16 --ranks 2 --input cyclic'
    """
    what = (
        spec.system
        if spec.formula is None
        else f"--formula {shlex.quote(f'{shapes.left_side(spec)} = {spec.formula}')}"
    )
    default = DEFAULTS | _usual(spec) | {"scheme": ""}
    words = [
        _word(name, value) for name in WORDS if (value := getattr(spec, name)) != default[name]
    ]
    size, ranks = shapes.said(spec.shape, spec.N), shapes.said(spec.grid, spec.P)
    ranks += f" --batch {spec.batch}" * (spec.batch > 0)
    return " ".join([f"nodewright generate {what} --size {size} --ranks {ranks}", *words])


def _word(name: str, value: Any) -> str:
    """Return the option that states a field."""
    if isinstance(value, Bmmc):
        return _stated(value)
    return f"--{name}" if value is True else f"--{name} {shlex.quote(value)}"


def _stated(permutation: Bmmc) -> str:
    """Return the options that state a permutation."""
    known = permutation.name.partition(":")[0] in (*bmmc.NAMED, "transpose")
    usual = bmmc.named(permutation.name, permutation.address.bits).c if known else 0
    name = f"--name {permutation.name}" if known else f"--matrix {shlex.quote(permutation.name)}"
    c = permutation.address.c ^ usual
    return name + (f" --complement {c}" if c else "")


def _usual(spec: Spec) -> dict[str, str]:
    """Return what is filled in where nothing is stated."""
    dtype = (spec.record.dtypes or COMPLEX)[0]
    return {"output": "block", "dtype": dtype} | spec.record.fill(spec)


def _check_owners(spec: Spec) -> None:
    """Raise ValueError for an option that only another system has."""
    for system, record in RECORDS.items():
        for option in record.options if spec.system != system and spec.system in RECORDS else ():
            if getattr(spec, option.name) != DEFAULTS[option.name]:
                has = f"{spec.system} has no option {named(option.name)}"
                raise ValueError(f"{has}; only {system} has it")


def _of_their_kinds(spec: Spec) -> dict[str, Any]:
    """Return integers, texts and the name of the dtype; raise ValueError for other kinds."""
    if not isinstance(spec.convolve, bool):
        raise ValueError(f"convolve must be True or False; got {spec.convolve!r}")
    return {
        "dtype": dtype_name(spec.dtype),
        **{name: integer(getattr(spec, name), name) for name in ("N", "P", "batch")},
        **{name: text(getattr(spec, name), name) for name in TEXTS},
        **{name: texts(getattr(spec, name), name) for name in ("input", "output")},
    }


def _check_words(spec: Spec) -> None:
    """Raise ValueError for a word that is not known."""
    if spec.system not in RECORDS:
        raise unknown("system", spec.system, SYSTEMS, rule="the systems are")
    one_of(DIRECTION, spec.direction)
    one_of(NORM, spec.norm)
    if spec.kernels not in KERNELS:
        raise unknown("kernel", spec.kernels, spec.record.kernels, rule="choose from")
    record, way = spec.record, spec.exchange
    if way not in record.ways:
        others = f"; {way} is available for {ONLY_OF[way]}" if way in ONLY_OF else ""
        rule = f"the exchanges of {record.name} are"
        raise ValueError(f"{unknown('exchange', way, _taken(spec), rule=rule)}{others}")


def _taken(spec: Spec) -> Iterable[str]:
    """Return the exchanges that go with the rest of a request."""
    if not spec.is_by_bits:
        return (AUTO, *(spec.record.arrays.exchanges if spec.record.arrays else EXCHANGES))
    others = spec.phases or spec.local or spec.kernels != NUMPY or spec.algorithm == ALGORITHMS[1]
    return [way for way in spec.record.ways if way != OVERLAPPED or not others]


def _check_choices(spec: Spec) -> None:
    """Raise ValueError for a choice that the system does not have."""
    record = RECORDS[spec.system]
    if (spec.permutation is not None) != record.permutes:
        only = having(lambda each: each.permutes)
        raise ValueError(
            f"{spec.system} needs a permutation"
            if record.permutes
            else f"only {only} has a permutation; got {spec.system}"
        )
    if not record.directed and (spec.direction, spec.norm) != (DIRECTIONS[0], NORMS[0]):
        raise ValueError(
            f"{spec.system} has no options {named('direction')} and {named('norm')}; the inverse of"
            " a permutation is a permutation with its own matrix"
        )
    if spec.formula is not None and (spec.system != FFT.name or spec.phases or spec.local):
        raise ValueError(
            f"{named('phases')} and {named('local')} cannot be combined with a formula, which must"
            " be one for fft"
        )


def _check_sizes(spec: Spec) -> None:
    """Raise ValueError for sizes that the system does not take."""
    if (spec.shape or spec.grid or spec.batch) and not spec.record.arrays:
        raise ValueError(
            f"{spec.system} does not support several axes or batches; use"
            f" {having(lambda record: record.of_axes, ' or ')}"
        )
    if spec.formula is not None and spec.formula.size != spec.N:
        raise ValueError(f"the formula must have N = {spec.N} elements; got {spec.formula.size}")
    if spec.shape:
        shapes.of_digits(spec)
    else:
        spec.record.sizes(spec)


def _check_kernels(spec: Spec) -> None:
    """Raise ValueError for kernels that the system is not written for."""
    if spec.kernels not in spec.record.kernels:
        raise ValueError(
            f"{spec.system} has no {spec.kernels} kernels: its kernels are"
            f" {', '.join(spec.record.kernels)}"
        )
