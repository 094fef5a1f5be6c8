"""The protocol of maps of indices: permutations of digits, sums of digits, and affine maps over GF(2)."""  # noqa: E501

from __future__ import annotations

from typing import Any, Protocol, Self

from derive.maps.expressions import Expression, Field, Variables


class Written(Protocol):
    """A map from integers to integers that can be written as an expression."""

    def __call__(self, x: Any, /) -> Any:
        """Return the image of an index, or of an array of indices."""
        ...

    def written(self, variables: Variables) -> Expression:
        """Return the image as an expression in variables that together are the index."""
        ...


class Exponent(Written, Protocol):
    """A number of digits of an index, or of bits of it, in the exponents of a diagonal."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """The digits that it depends on."""
        ...

    @property
    def largest(self) -> int:
        """A bound of it."""
        ...

    def over(self, run: int) -> Exponent:
        """Return the same number of indices that are divided by what divides all places."""
        ...


class IndexMap(Written, Protocol):
    """A permutation of indices."""

    def inverse(self) -> Self:
        """Return the permutation back."""
        ...

    def __matmul__(self, other: Self, /) -> Self:
        """Return this permutation after another one."""
        ...

    def divided(self, by: int) -> tuple[Written, Written]:
        """Return the quotient of the image by an integer, and the remainder."""
        ...
