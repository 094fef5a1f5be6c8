"""Sums, products and permutations of complex vectors under numba, lane by lane: what follows the
loads and stores of `vectors`.
"""

from __future__ import annotations

from typing import Any

from codegen.kernels.host import (
    Callable,
    Typed,
    intrinsic,
    lower_builtin,
    operator,
    type_callable,
    types,
)
from codegen.kernels.vectors import Vector, _fused, _halves, _joined, _shuffled, _spread

# What follows stands in emitted programs, byte for byte.


@type_callable(operator.add)
@type_callable(operator.sub)
def _sum(context: Any) -> Callable[..., Any]:
    return lambda v, w: v if v == w and v.name.startswith("Vector(") else None


@lower_builtin(operator.add, Vector, Vector)
def _add(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _joined(
        builder,
        *[builder.fadd(a, b) for a, b in zip(*[_halves(builder, v) for v in args], strict=True)],
    )


@lower_builtin(operator.sub, Vector, Vector)
def _subtract(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _joined(
        builder,
        *[builder.fsub(a, b) for a, b in zip(*[_halves(builder, v) for v in args], strict=True)],
    )


@intrinsic
def times_i(typing: Any, v: Any) -> Typed:
    """Return i v."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        re, im = _halves(builder, args[0])
        return _joined(builder, builder.fneg(im), re)

    return v(v), code


@intrinsic
def times_minus_i(typing: Any, v: Any) -> Typed:
    """Return -i v."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        re, im = _halves(builder, args[0])
        return _joined(builder, im, builder.fneg(re))

    return v(v), code


def _backwards(builder: Any, half: Any) -> Any:
    return _shuffled(builder, half, half, range(half.type.count)[::-1])


@intrinsic
def mirrored(typing: Any, v: Any) -> Typed:
    """Return the conjugates of the lanes of v in reverse order."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        re, im = (_backwards(builder, half) for half in _halves(builder, args[0]))
        return _joined(builder, re, builder.fneg(im))

    return v(v), code


@intrinsic
def bent(typing: Any, v: Any) -> Typed:
    """Return v with its imaginary parts in reverse order."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        re, im = _halves(builder, args[0])
        return _joined(builder, re, _backwards(builder, im))

    return v(v), code


@intrinsic
def muladd(typing: Any, c: Any, v: Any, w: Any) -> Typed:
    """Return c v + w for a real number c."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = _spread(
            builder, builder.fptrunc(args[0], v.half.element) if v.size == 4 else args[0], v.half
        )
        return _joined(
            builder,
            *[
                _fused(builder, number, a, b)
                for a, b in zip(*[_halves(builder, x) for x in args[1:]], strict=True)
            ],
        )

    return v(types.float64, v, v), code


@intrinsic
def times(typing: Any, v: Any, w: Any) -> Typed:
    """Return the vectors v, each times that of w, lane by lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        products = []
        for i in range(v.count):
            (a, b), (c, d) = (_halves(builder, builder.extract_value(side, i)) for side in args)
            re = _fused(builder, a, c, builder.fneg(builder.fmul(b, d)))
            products.append(_joined(builder, re, _fused(builder, a, d, builder.fmul(b, c))))
        return context.make_tuple(builder, v, products)

    return v(v, w), code


@intrinsic
def transpose(typing: Any, v: Any) -> Typed:
    """Return the vectors after every block of W of them, W x W elements, is transposed."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        n, vectors = (
            v.dtype.lanes,
            [list(_halves(builder, builder.extract_value(args[0], i))) for i in range(v.count)],
        )
        for bit in (1 << k for k in range(n.bit_length() - 1)):
            low = [i if not i & bit else n + (i ^ bit) for i in range(n)]
            for i in (i for i in range(v.count) if not i & bit):
                for h in (0, 1):
                    a, b = vectors[i][h], vectors[i | bit][h]
                    vectors[i][h], vectors[i | bit][h] = (
                        _shuffled(builder, a, b, [k + up for k in low]) for up in (0, bit)
                    )
        return context.make_tuple(builder, v, [_joined(builder, *halves) for halves in vectors])

    return v(v), code
