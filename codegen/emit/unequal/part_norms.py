"""The norms of a program with unequal parts: what local transforms divide by, and what is left for
the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from codegen.emit.steps.computations import SINGLE, divided, norm_of
from codegen.emit.unequal.part_kernels import by_kernels
from codegen.program.ragged.part_steps import BACK, COMPLEX, FROM_HALF, AlongAxis
from codegen.systems.record import Request


def is_forward(step: AlongAxis, request: Request) -> bool:
    """Return whether a transform has the negative sign."""
    return request.is_forward != (step.turn == BACK)


def last_factor(request: Request, steps: Sequence[Any]) -> tuple[str, str]:
    """Return the factor on the result of all transforms, and why; "" for none. Those of numpy have
    the norm of a program, or divide in single precision.
    """
    several = [each for step in steps for each in step.transforms_of_ranks]
    if any(each.turn for each in several):
        return "", ""  # a convolution has it in its filter
    own = several if request.backend.is_planned else by_kernels(several, request)
    plain, points = (prod(step.n for step in each) for each in (own, several))
    if own and (times := divided(request)):
        return f"{plain}**-0.5" if times == 1 else f"1 / {plain}", "the norm"
    if divided(request) == 0 and request.dtype in SINGLE and len(own) < len(several):
        why = "undo the divisions: with other norms numpy would compute in double precision"
        return str(points // plain), why
    return "", ""


def along(step: AlongAxis, source: str, target: str, request: Request) -> str:
    """Return the call of numpy.fft."""
    forward, times = is_forward(step, request), 0 if step.turn else divided(request)
    norm = norm_of(forward, times, request.dtype)
    function = "fft" if step.kind == COMPLEX else "rfft" if forward else "irfft"
    function = "ifft" if step.kind == COMPLEX and not forward else function
    length = f", {step.n}" * (step.kind == FROM_HALF)
    return f"np.fft.{function}({source}{length}, axis={step.axis}{norm}, out={target})"
