"""From a factorization and two layouts to supersteps: neighbouring permutations are composed, each move is factored once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from codegen import move
from codegen.supersteps import Local, Program, Step, Twiddle
from derive import bmmc, fourier
from derive.bits import Affine
from derive.formula import Bmmc, Equation, F, Formula, I, Kron, T, factors_of
from derive.layout import Layout, named
from derive.permute import affine, is_permutation, lg

SYSTEMS = ("fft", "permute")
EXCHANGES = ("alltoall", "pairwise", "replace", "nonblocking")


def build(
    system: str,
    N: int,
    P: int,
    input: str = "block",
    output: str = "block",
    exchange: str = "alltoall",
    permutation: Bmmc | None = None,
) -> Program:
    """Return the program of a system for N elements on P ranks, with data laid out as `input` and `output` name it.

    `permute` wants its permutation of N indices. Raises ValueError for an unknown system, exchange or layout, and for sizes
    that the system does not take.

    >>> [type(step).__name__ for step in build("fft", 1024, 4, "cyclic", "cyclic").steps]
    ['Local', 'Move', 'Local']
    """
    if system not in SYSTEMS:
        raise ValueError(f"unknown system {system!r}: the systems are {', '.join(SYSTEMS)}")
    if exchange not in EXCHANGES:
        raise ValueError(f"unknown exchange {exchange!r}: the exchanges are {', '.join(EXCHANGES)}")
    if (permutation is not None) != (system == "permute"):
        raise ValueError(f"{system}: a permutation is what permute needs, and nothing else takes")
    n, p = fourier.sizes(N, P) if permutation is None else bmmc.sizes(N, P)
    equation = _fourier(N, P) if permutation is None else _permutation(permutation, n, p)
    before, after = named(input, n, p), named(output, n, p)
    return Program(system, equation, before, after, lower(equation.right, before, after, exchange))


def _fourier(N: int, P: int) -> Equation:
    return fourier.group_cyclic(N, P, fourier.virtual_processors(N // P))


def _permutation(permutation: Bmmc, n: int, p: int) -> Equation:
    """Return A = V W for data in block distribution; the layouts change what is factored in the end, not what it does."""
    if permutation.address.bits != n:
        raise ValueError(f"a permutation of {permutation.size} elements for N = {1 << n}: the matrix is {n} x {n}")
    return bmmc.equation(bmmc.factor(permutation.address, p), permutation.name)


@dataclass
class _Pending:
    """What has been read of a formula since the last computation: `address` maps storage to the present coordinates."""

    address: Affine
    twiddle: Twiddle | None = None
    moves: tuple[Formula, ...] = ()
    computes: tuple[Formula, ...] = ()

    def permute(self, map: Affine, *factor: Formula) -> None:
        self.address, self.moves = map @ self.address, (*factor, *self.moves)
        if self.twiddle:
            back = map.inverse()
            self.twiddle = Twiddle(self.twiddle.order, self.twiddle.i @ back, self.twiddle.j @ back)


def lower(formula: Formula, input: Layout, output: Layout, exchange: str = "alltoall") -> tuple[Step, ...]:
    """Return the supersteps of a product of permutations, twiddle diagonals and local transforms I ⊗ F_d ⊗ I_c.

    A diagonal is applied where its data is used: before the next local transform, after the move to it. Raises ValueError for
    a factor that is none of these, or whose transform crosses ranks, and where the sizes or the ranks differ.

    >>> from derive.layout import block
    >>> len(lower(fourier.group_cyclic(16, 2).right, block(4, 1), block(4, 1)))
    5
    """
    if not formula.size == 1 << input.n == 1 << output.n or input.p != output.p:
        sides = " to ".join(f"{layout.name} of {1 << layout.n} elements on {1 << layout.p} ranks" for layout in (input, output))
        raise ValueError(f"{formula} takes {formula.size} elements, the layouts go from {sides}: all must agree")
    steps: list[Step] = []
    pending = _Pending(input.address.inverse())

    def flush(copies: int, d: int, c: int) -> None:
        nonlocal pending
        if pending.address != Affine.identity(input.n):
            steps.append(replace(move.plan(pending.address, input.p, exchange), factors=pending.moves))
        if pending.twiddle or d > 1:
            steps.append(Local(pending.twiddle, copies, d, c, pending.computes))
        pending = _Pending(Affine.identity(input.n))

    for factor in reversed(factors_of(formula)):
        if is_permutation(factor):
            pending.permute(affine(factor), factor)
        elif (twiddle := _twiddle(factor)) is not None:
            if pending.twiddle:
                flush(1, 1, 1 << input.m)
            pending.twiddle, pending.computes = twiddle, (factor,)
        else:
            pending.computes = (factor, *pending.computes)
            flush(*_local(factor, 1 << input.m))
    pending.permute(output.address)
    flush(1, 1, 1 << input.m)
    return tuple(steps)


def _twiddle(factor: Formula) -> Twiddle | None:
    """Return I_a ⊗ T^N_s as a twiddle: w_N^(ij) where i are the bits of the place above those of j < s, below those of a."""
    inner = factor.right if isinstance(factor, Kron) and isinstance(factor.left, I) else factor
    if not isinstance(inner, T):
        return None
    s, size, total = lg(inner.s), lg(inner.N), lg(factor.size)
    i = Affine(tuple(1 << b - s if s <= b < size else 0 for b in range(total)), size - s)
    j = Affine(tuple(1 << b if b < s else 0 for b in range(total)), s)
    return Twiddle(inner.N, i, j)


def _local(factor: Formula, M: int) -> tuple[int, int, int]:
    """Return (copies, d, c) with I_copies ⊗ F_d ⊗ I_c = the factor on every rank's M elements."""
    match factor:
        case Kron(I(), Kron(F(d), I(c))) | Kron(F(d), I(c)):
            pass
        case Kron(I(), F(d)) | F(d):
            c = 1
        case _:
            raise ValueError(f"{factor} is no permutation, no twiddle diagonal I ⊗ T and no local transform I ⊗ F_d ⊗ I_c")
    if M % (d * c):
        raise ValueError(f"{factor} joins elements of several ranks, which hold {M} each: move them together first")
    return M // (d * c), d, c
