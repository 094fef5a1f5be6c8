"""A request for a program, as it is stated."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.program.hartley import RESULTS
from codegen.systems.exchanges import EXCHANGES
from codegen.systems.options import DIRECTIONS, KERNELS, NORMS
from derive.formula.grammar import Formula
from derive.formula.permutation_matrices import Bmmc


@dataclass(frozen=True)
class Request:
    """A system for N elements on P ranks, laid out as `input` and `output` name it, with the values
    of its options; those that are empty are not stated.
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

    @property
    def M(self) -> int:  # the papers' letter
        """The number of elements of a rank."""
        return self.N // self.P

    @property
    def whole(self) -> tuple[int, ...]:
        """The shape of all elements, that of a file."""
        return (self.batch,) * (self.batch > 0) + (self.shape or (self.N,))

    @property
    def n(self) -> int:
        """lg N."""
        return self.N.bit_length() - 1

    @property
    def p(self) -> int:
        """lg P."""
        return self.P.bit_length() - 1

    @property
    def is_of_bits(self) -> bool:
        """Whether it is of one array of one axis, where sizes are powers of two."""
        one = len(self.shape) <= 1 and len(self.grid) <= 1 and not self.batch
        return one and self.N > 0 and not any(n & (n - 1) for n in (self.N, self.P))
