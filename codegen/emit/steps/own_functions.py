"""Local transforms by functions of their own: a call for each pass over the elements, or one of a
compiled function on real numbers, those of complex elements side by side.
"""

from __future__ import annotations

from math import gcd
from typing import Any

from codegen.cost.local_passes import rounds
from codegen.elements import fixed_size
from codegen.emit.steps import fourier_passes
from codegen.emit.steps.array_names import Operation, Stage, stage
from codegen.emit.tables import Tables
from codegen.kernels.widths import LANES
from codegen.program.digits.digit_supersteps import Transform
from codegen.program.supersteps import Program
from codegen.systems.options import COMPLEX


def calling(step: Transform, program: Program, _: Tables) -> Stage:
    """Return the calls of the function of a step."""
    request, comment = program.request, " ".join(map(str, step.factors))
    if not request.backend.is_whole:
        shapes = rounds(step.copies, step.d, step.c)
        views = (f"{{source}}.reshape{shape}, {{target}}.reshape{shape}" for shape in shapes)
        return stage(comment, *(_call(step, each, step.function) for each in views))
    size = fixed_size(request.dtype).itemsize // 2
    view = f'.view("f{size}")' * (request.dtype in COMPLEX)
    places = f"memory_of({{source}}{view}), memory_of({{target}}{view})"
    given = f"{places}, {step.copies}, {step.d}, {(1 + bool(view)) * step.c}"
    return stage(comment, _call(step, given, "passes"))


def _call(step: Transform, given: str, need: str) -> Operation:
    return {"macro": "fourier", "lines": [f"{step.function}({given})"], "needs": (need,)}


def beside(program: Program) -> dict[str, Any]:
    """Return what the template prints beside compiled functions, if there are any."""
    steps = (step for step in program.steps if isinstance(step, Transform))
    names = dict.fromkeys(step.function for step in steps if step.function)
    if not names or not program.request.backend.is_whole:
        return {}
    is_complex = program.request.dtype in COMPLEX
    return fourier_passes.beside(()) | {
        "lanes": gcd(LANES, program.M << is_complex),
        "complex": "DTYPE" if is_complex else "np.result_type(DTYPE, np.complex64)",
        "run": 0,
        "lists": True,
        "single": True,
        "codelets": ["fft2"],
        "functions": [(name, (2, 3)) for name in names],
    }
