"""What goes together in a request for a transform."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from codegen.program.hartley import ALGORITHMS, RESULTS
from derive.arguments import named, unknown
from derive.papers.hartley_layouts import HalfSpectrum


def check_hartley(spec: Any, own: str) -> None:
    """Raise ValueError where what is asked for beside the transform does not go with it;
    `own` is the layout of its results.
    """
    if spec.result not in RESULTS:
        raise unknown("result", spec.result, RESULTS, rule="choose from")
    wanted = HalfSpectrum.name if spec.result == "dft" else own
    if spec.result != "hartley" and (spec.direction, spec.output) != ("forward", wanted):
        raise ValueError(
            f"result {spec.result} with direction {spec.direction}, output {spec.output}: it is"
            " made forward, in the output layout hartley"
        )
    needs = {
        "algorithm": "hypercube",
        "direction": "forward",
        "norm": "backward",
        "result": "hartley",
        "output": own,
    }
    given = {name: getattr(spec, name) for name in needs}
    if spec.convolve and given != needs:
        wrong = listed((name, given[name]) for name in needs if given[name] != needs[name])
        raise ValueError(
            f"{named('convolve')} with {wrong}: it goes forward by algorithm hypercube to the"
            " output layout hartley, and back"
        )


def by_bits(spec: Any) -> bool:
    """Return whether digits are bits: of one array of one axis, where sizes are powers of two."""
    one = len(spec.shape) <= 1 and len(spec.grid) <= 1 and not spec.batch
    powers = spec.N > 0 and not any(n & (n - 1) for n in (spec.N, spec.P))
    return one and spec.system != "rfft" and powers


def taken(spec: Any, ways: Iterable[str], by_digits: Iterable[str]) -> list[str]:
    """Return those of the exchanges of a system that go with the rest of a request."""
    if not by_bits(spec):
        return [*by_digits]
    others = spec.phases or spec.local or spec.kernels != "numpy" or spec.algorithm == ALGORITHMS[1]
    return [way for way in ways if way != "overlapped" or not others]


def listed(pairs: Iterable[tuple[str, Any]]) -> str:
    """Return names with their values, one after the other."""
    return ", ".join(f"{name} {value}" for name, value in pairs)


def compiles_transforms(spec: Any) -> bool:
    """Return whether local Fourier transforms are compiled as they stand."""
    own = spec.system in ("fft", "hypercube-fft")
    return spec.kernels == "numba" and bool(own or spec.in_pairs)


OF_PAIRS = {
    "forward": {"backward": "1", "ortho": "N**-0.5", "forward": "1 / N"},
    "backward": {"backward": "2 / N", "ortho": "2 * N**-0.5", "forward": "2"},
}
"""The factor on compiled transforms of pairs of real elements, by the direction and the norm."""


def scale_of(spec: Any) -> str:
    """Return the factor on the result as an expression in N (numpy's norms); by digits, every local
    transform has its own, but compiled ones and those of a formula; those of pairs of real elements
    are of N/2, and back they give half of each element.
    """
    whole = "backward" if spec.direction == "backward" else "forward"
    if spec.system == "rfft":
        if spec.kernels == "numba":
            return OF_PAIRS[whole][spec.norm]
        power = {"ortho": 0.5, "forward": 1.0}.get(spec.norm, 0.0)
        return f"2**{power if whole == 'backward' else -power}" if power else "1"
    n = str(prod(spec.shape)) if spec.batch else "N"
    scales = {whole: f"1 / {n}", "ortho": f"{n}**-0.5"}
    by_steps = spec.shape and spec.kernels != "numba" and spec.formula is None
    return "1" if by_steps else scales.get(spec.norm, "1")
