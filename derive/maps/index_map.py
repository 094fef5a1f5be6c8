"""The protocol of maps of indices: permutations of digits, sums of digits, and affine maps over GF(2)."""  # noqa: E501

from __future__ import annotations

from typing import Any, Protocol, Self

from derive.maps.map_expressions import Expression, Variables


class Written(Protocol):
    """A map from integers to integers that can be written as an expression."""

    def __call__(self, x: Any, /) -> Any:
        """Return the image of an index, or of an array of indices."""
        ...

    def written(self, variables: Variables) -> Expression:
        """Return the image as an expression in variables that together are the index."""
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
