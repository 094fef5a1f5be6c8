"""Spec: the one request for a program, checked once, and the command that asks for it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields
from typing import Any

from codegen import shapes
from codegen.elements import check_dtype, default_dtype, dtype_name
from codegen.program.hartley import ALGORITHMS, RESULTS, Hartley
from codegen.requests import by_bits, check_hartley, listed, scale_of, taken
from derive.arguments import integer, named, text, texts, unknown
from derive.formula.grammar import Formula
from derive.formula.permutation_matrices import Bmmc
from derive.gf2 import bmmc
from derive.papers import bsp_phases, bsp_variants, hypercube
from derive.papers.hartley_layouts import HalfSpectrum
from derive.sizes import Sizes

SYSTEMS = ("fft", "permute", "hypercube-fft", "fht", "rfft")
IN_PLACE = "replace"
EXCHANGES = ("alltoall", "pairwise", IN_PLACE, "nonblocking")
"""How messages travel wherever MPI runs; the default, the first, is the fastest by measurement."""
OVERLAPPED = "overlapped"
"""The exchange of `fft` and `fht` that is begun while their messages are still being computed."""
SHARED = "shared"
"""The exchange of `fft` and `permute` on one node: messages are read where they were written."""
AUTO = "auto"
"""As `shared` where all ranks are on one node, else, and where there is no `shared`, `alltoall`."""
NODE_AWARE = "node-aware"
"""The exchange of `fft` and `permute` whose ranks share memory within a node, and send messages for
all ranks of another node together.
"""
SHARING = SHARED, AUTO, NODE_AWARE
OF_NODES = AUTO, NODE_AWARE
"""The exchanges of programs that find out on which nodes their ranks are."""
OF = {OVERLAPPED: "fft and fht", **dict.fromkeys((SHARED, NODE_AWARE), "fft and permute")}
"""The systems that have exchanges which not all have, in words."""
HARTLEY = "hartley"
"""The layout in which the Hartley transform leaves its results; fht takes it as input, too, and has
it as output if none is named.
"""
SCHEME = "3"
"""The scheme of a hypercube FFT if none is named."""
DIRECTIONS = ("forward", "backward")
NORMS = ("backward", "ortho", "forward")
KERNELS = ("numpy", "numba", "pyfftw", "gray")
KERNELS_OF = {
    "permute": ("numpy", "numba", "gray"),
    **shapes.KERNELS,
    "hypercube-fft": ("numpy", "numba"),
}
"""The kernels of each system."""
BUTTERFLY_KERNELS = ("numpy", "numba")
CHOICES = {
    "hypercube-fft": ("scheme",),
    "fht": ("algorithm", "result", "convolve"),
    "fft": ("phases", "local"),
}
"""The options that only one system has."""
WORDS = (
    *("scheme", "phases", "local", "permutation", "algorithm", "input", "output", "direction"),
    *("norm", "kernels", "exchange", "dtype", "result", "convolve"),
)
"""The fields that a command states where they are not the default, in their order."""
OPTIONS = {*WORDS} - {"permutation"}
"""The fields that have an option of the same name and value."""
OF_FORMULAS = Sizes(
    "a program of a formula", lambda N, P: P <= N, "every rank needs at least one element"
)
"""The sizes of programs of one's own factorizations."""
TEXTS = ("system", *sorted(OPTIONS - {"dtype", "convolve", "input", "output"}))


@dataclass(frozen=True)
class Spec:
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

    system: str
    N: int
    P: int
    input: str = "block"
    output: str = ""
    exchange: str = EXCHANGES[0]
    permutation: Bmmc | None = None
    scheme: str = ""
    algorithm: str = ""
    phases: str = ""
    local: str = ""
    formula: Formula | None = None
    direction: str = DIRECTIONS[0]
    norm: str = NORMS[0]
    kernels: str = KERNELS[0]
    dtype: str = ""
    result: str = RESULTS[0]
    convolve: bool = False
    shape: tuple[int, ...] = ()
    grid: tuple[int, ...] = ()
    batch: int = 0

    def __post_init__(self) -> None:
        """Check what is stated, and fill in the rest."""
        _check_owners(self)
        vars(self).update(_of_their_kinds(self))
        _check_words(self)
        _check_choices(self)
        shares = SHARED in exchanges(self.system) and self.P > 1
        if self.exchange in OF_NODES and not shares:
            vars(self).update(exchange=EXCHANGES[0])
        vars(self).update(
            {name: value for name, value in _defaults(self).items() if not getattr(self, name)}
        )
        if (self.result, self.output) == ("dft", HARTLEY):
            vars(self).update(output=HalfSpectrum.name)
        if self.in_pairs or self.system == "fft":
            vars(self).update(shapes.filled(self))
        _check_sizes(self)
        if self.system == "fft" and self.formula is None and not self.shape:
            phases, local = bsp_variants.normal(self.N, self.P, self.phases, self.local)
            vars(self).update(phases=phases, local=local)
        _check_exchange(self)
        _check_kernels(self)
        check_dtype(self.system, self.dtype)
        if self.system == "fht" and not self.in_pairs:
            check_hartley(self, HARTLEY)

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.N // self.P

    @property
    def whole(self) -> tuple[int, ...]:
        """The shape of all elements, that of a file."""
        return (self.batch,) * (self.batch > 0) + (self.shape or (self.N,))

    @property
    def is_shaped(self) -> bool:
        """Whether files and parts of ranks are arrays of axes, or of a batch."""
        return len(self.shape) > 1 or self.batch > 0 or (self.in_pairs and self.system == "fht")

    @property
    def in_pairs(self) -> bool:
        """Whether two real elements are one complex number within a program."""
        return self.system in ("rfft", "fht") and not by_bits(self)

    @property
    def n(self) -> int:
        """lg N."""
        return self.N.bit_length() - 1

    @property
    def p(self) -> int:
        """lg P."""
        return self.P.bit_length() - 1

    @property
    def scale(self) -> str:
        """The factor on the result as an expression in N."""
        return scale_of(self)


DEFAULTS = {field.name: field.default for field in fields(Spec)}


def exchanges(system: str) -> tuple[str, ...]:
    """Return the ways in which the messages of a system travel.

    >>> exchanges("fht")
    ('alltoall', 'pairwise', 'replace', 'nonblocking', 'overlapped')
    """
    return (
        EXCHANGES
        + (OVERLAPPED,) * (system in ("fft", "fht"))
        + (SHARED,) * (system in ("fft", "permute", "a formula"))
    )


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
    default = DEFAULTS | _defaults(spec) | {"scheme": ""}
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


def _defaults(spec: Spec) -> dict[str, str]:
    """Return what is filled in where nothing is stated."""
    own = "hartley-input" if spec.input == HARTLEY else HARTLEY
    output = own if spec.system == "fht" and not spec.in_pairs else "block"
    return {
        "output": HalfSpectrum.name if spec.result == "dft" and output == HARTLEY else output,
        "scheme": SCHEME if spec.system == "hypercube-fft" else "",
        "algorithm": ALGORITHMS[0] if spec.system == "fht" and not spec.in_pairs else "",
        "dtype": default_dtype(spec.system),
    }


def _check_owners(spec: Spec) -> None:
    """Raise ValueError for an option that only another system has."""
    for system, names in CHOICES.items():
        for name in names if spec.system != system and spec.system in SYSTEMS else ():
            if getattr(spec, name) != DEFAULTS[name]:
                raise ValueError(f"{spec.system} has no option {named(name)}; only {system} has it")


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
    if spec.system not in SYSTEMS:
        raise unknown("system", spec.system, SYSTEMS, rule="the systems are")
    for name, known in (("direction", DIRECTIONS), ("norm", NORMS), ("kernels", KERNELS)):
        if (value := getattr(spec, name)) not in known:
            own = KERNELS_OF[spec.system] if name == "kernels" else known
            raise unknown(name.removesuffix("s"), value, own, rule="choose from")
    of = "a formula" if spec.formula is not None else spec.system
    ways = (AUTO, *exchanges(of), *(NODE_AWARE,) * (SHARED in exchanges(of)))
    if spec.exchange not in ways:
        others = (
            f"; {spec.exchange} is available for {OF[spec.exchange]}" if spec.exchange in OF else ""
        )
        these = taken(spec, ways, (AUTO, *shapes.EXCHANGES_OF.get(spec.system, EXCHANGES)))
        wrong = unknown("exchange", spec.exchange, these, rule=f"the exchanges of {of} are")
        raise ValueError(f"{wrong}{others}")


def _check_choices(spec: Spec) -> None:
    """Raise ValueError for a choice that the system does not have."""
    if (spec.permutation is not None) != (spec.system == "permute"):
        raise ValueError(
            "permute needs a permutation"
            if spec.system == "permute"
            else f"only permute has a permutation; got {spec.system}"
        )
    if spec.system == "permute" and (spec.direction, spec.norm) != (DIRECTIONS[0], NORMS[0]):
        raise ValueError(
            f"permute has no options {named('direction')} and {named('norm')}; the inverse of a"
            " permutation is a permutation with its own matrix"
        )
    if spec.formula is not None and (spec.system != "fft" or spec.phases or spec.local):
        raise ValueError(
            f"{named('phases')} and {named('local')} cannot be combined with a formula, which must"
            " be one for fft"
        )


def _check_sizes(spec: Spec) -> None:
    """Raise ValueError for sizes that the system does not take."""
    N, P = spec.N, spec.P
    of_axes = spec.in_pairs or spec.system == "fft"
    if (spec.shape or spec.grid or spec.batch) and not of_axes:
        raise ValueError(f"{spec.system} does not support several axes or batches; use fft or fht")
    if spec.formula is not None and spec.formula.size != N:
        raise ValueError(f"the formula must have N = {N} elements; got {spec.formula.size}")
    match spec:
        case Spec(shape=(_, *_)):
            shapes.of_digits(spec)
        case Spec(system="hypercube-fft"):
            hypercube.exponents(N, P, spec.scheme)
        case Spec(system="fht"):
            ahead = spec.exchange == OVERLAPPED and P > 1
            Hartley(N, P, spec.algorithm, spec.input == HARTLEY, ahead)
        case Spec(permutation=None, formula=None):
            bsp_phases.SIZES.exponents(N, P)
        case Spec(permutation=None):
            OF_FORMULAS.exponents(N, P)
        case _:
            bmmc.SIZES.exponents(N, P)
    if spec.permutation is not None and spec.permutation.size != N:
        raise ValueError(
            f"the permutation must have {N} elements, a matrix of {spec.n} x {spec.n} bits; got"
            f" {spec.permutation.size} elements"
        )


def _check_exchange(spec: Spec) -> None:
    """Raise ValueError where phases are chosen for an exchange that is overlapped."""
    chosen = [(name, getattr(spec, name)) for name in ("phases", "local") if getattr(spec, name)]
    if spec.exchange == OVERLAPPED and chosen:
        raise ValueError(
            f"exchange overlapped cannot be combined with {listed(chosen)}; leave them out"
        )


def _check_kernels(spec: Spec) -> None:
    """Raise ValueError for kernels that the system is not written for."""
    if spec.local and spec.kernels not in BUTTERFLY_KERNELS:
        raise ValueError(
            f"local {spec.local} needs the kernels {' or '.join(BUTTERFLY_KERNELS)}; got"
            f" {spec.kernels}"
        )
    if (spec.phases, spec.kernels) == (bsp_variants.REPRODUCIBLE, "numba"):
        bsp_variants.need(spec.M, 16)  # of fewer, a whole stage is multiplied by 1: signs of zeros
    if spec.kernels not in KERNELS_OF[spec.system]:
        raise ValueError(
            f"{spec.system} has no {spec.kernels} kernels: its kernels are"
            f" {', '.join(KERNELS_OF[spec.system])}"
        )
