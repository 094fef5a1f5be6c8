"""What a certificate shows, in a sentence of at most 160 characters for each verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from derive.call_arguments import counted
from derive.verdict import Checked, Refuted, Tested, Undecided, Verdict
from proofs.certify.rows import AS_MEASURED, AS_STATED, BITS, NODES, all_hold, system_of

LONGEST = 160
"""The most characters of a sentence."""
REFUTED = {
    "layout": "elements are not where its layouts put them.",
    "messages": "its ranks deadlock, or their messages do not fit together.",
    "contract": "repeated use, out or invalid arguments do not work as its contract says.",
    "cost": "it does not send what the factorization needs.",
    "rounding": "its rounding errors are larger than allowed.",
    "convolution": "convolve does not compute the cyclic convolution.",
    BITS: "the bits of its results depend on the number of ranks.",
    NODES: "ranks on several nodes compute something else.",
    "bytes": "it does not move every element byte for byte.",
    "ran": "ranks under mpiexec do not give the results of the evaluation.",
}
"""What a refuted verdict says of the program; `function` says what it does not compute."""
OTHER_COST = "its docstring states another cost than it has."
"""What is said of a program whose cost is compared with that of its docstring."""
HOW_SENT = {
    AS_MEASURED: "measured, as the docstring states no cost",
    AS_STATED: "sends what the docstring states",
}
"""How the cost is known where it is not that of the factorization."""


def summary(verdicts: Mapping[str, Verdict], declared: Mapping[str, Any]) -> str:
    """Return what all verdicts on a program come to.

    >>> summary({}, {"transform": "permute", "N": 8, "P": 2, "input": "block", "output": "cyclic"})
    'Certified: permutes 8 elements by j -> A j + c on 2 ranks, block to cyclic, byte for byte.'
    """
    if all_hold(verdicts):
        does, ranks = _computed(declared), f" on {counted(declared['P'], 'rank')}"
        ends, how = f", {declared['input']} to {declared['output']}", _how(declared, verdicts)
        whole = f"Certified: {does}{ranks}{ends}{how}."
        return whole if len(whole) <= LONGEST else _shortened(f"Certified: {does}{ranks}{how}.")
    for name, verdict in verdicts.items():
        if isinstance(verdict, Refuted):
            function = f"it does not {_computed(declared).replace('s ', ' ', 1)}."
            words = OTHER_COST if verdict.statement == AS_STATED else REFUTED.get(name, function)
            return _shortened(f"Refuted: {words}")
    return "Undecided: not all that a certificate needs was decided."


def headline(name: str, verdict: Verdict, declared: Mapping[str, Any]) -> str:
    """Return what a verdict shows of a program that declares this.

    >>> headline("ran", Undecided("..", "not run: P = 32 is above 16"), {})
    'not run: P = 32 is above 16'
    """
    match verdict:
        case Refuted(counterexample=found):
            return _shortened(found)
        case Undecided(reason=reason):
            return _shortened(reason)
        case Checked() | Tested():
            return _shortened(_shown(name, verdict, declared))
    return _shortened(str(verdict))


def _shown(name: str, verdict: Checked | Tested, declared: Mapping[str, Any]) -> str:
    ranks = counted(declared["P"], "rank")
    match name, verdict:
        case "layout", _:
            return f"{_layouts(declared)}."
        case "messages", _:
            return f"the {ranks} never deadlock, all messages match, and none is left open."
        case "function", Checked(error=error):
            return f"{_computed(declared)} for every input ({_missed(error)})."
        case "contract", Checked(error=error):
            again = "repeated use gives the same results, and invalid arguments are rejected"
            return f"{again} ({_missed(error)})."
        case "cost", Checked(evidence=evidence):
            figures = ", ".join(evidence.split(", ")[:3])
            how = HOW_SENT.get(verdict.statement, "sends what the factorization needs")
            return f"{how}: {figures} from the busiest rank."
        case "rounding", Tested(measured=measured, tolerance=tolerance):
            return f"relative error {measured:.1e} in all runs; at most {tolerance:.1e} is allowed."
        case "convolution", Checked(error=error):
            return f"convolve computes the cyclic convolution for every input ({_missed(error)})."
        case "bits", _:
            return "the result has the same bits on any number of ranks."
        case "nodes", Checked(error=error):
            return f"ranks on several nodes give the same result ({_missed(error)})."
        case "bytes", _:
            return f"every {declared['dtype']} element keeps its bytes, those of NaNs included."
        case "main", _:
            return "files, times and errors are handled by the code that every program has."
        case "ran", Tested(tolerance=tolerance):
            differ = f" up to a relative error of {tolerance:.1e}" if tolerance else " bit for bit"
            return f"the {ranks} under mpiexec give the result of the evaluation{differ}."
    return verdict.statement


def _missed(error: float) -> str:
    """Return how likely it is that a wrong program passes."""
    if not error:
        return "nothing is left to chance"
    return f"a wrong program passes with probability at most {error:.1e}"


def _shortened(text: str) -> str:
    """Return a sentence of at most LONGEST characters.

    >>> len(_shortened(200 * "x")), _shortened("short")
    (160, 'short')
    """
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _layouts(declared: Mapping[str, Any]) -> str:
    """Return the layouts of input and output in words."""
    given, made = declared["input"], declared["output"]
    if given == made:
        return f"input and output are in {given} layout"
    return f"the input is in {given} layout, the output in {made} layout"


def _how(declared: Mapping[str, Any], verdicts: Mapping[str, Verdict]) -> str:
    """Return how exact a certified program is."""
    if "modulus" in declared:
        return f", modulo {declared['modulus']}, exactly"
    match verdicts.get("rounding"):
        case Tested(measured=measured):
            return f", exactly but for rounding (error {measured:.1e} measured)"
        case Undecided():
            return ", exactly but for rounding, which was not run"
        case None if isinstance(verdicts.get("bytes"), Undecided):
            return ", element for element; compiled kernels were not run"
        case None if "function" not in verdicts or "bytes" in verdicts:
            return ", byte for byte"
    return ", exactly but for rounding"


def _computed(declared: Mapping[str, Any]) -> str:
    """Return what a program computes, as a verb with its object.

    >>> of_axes = {"direction": "forward", "shape": [4, 6], "batch": 2}
    >>> _computed({"transform": "fft", "N": 48, **of_axes})
    'computes the forward FFT of 2 arrays of 4x6 points'
    >>> _computed({"transform": "fht", "N": 8, "direction": "backward", "result": "hartley"})
    'computes the backward Hartley transform of 8 points'
    """
    batch = declared.get("batch", 0)
    points = "x".join(map(str, declared.get("shape") or [declared["N"]]))
    of = f"{batch} arrays of {points} points" if batch else f"{points} points"
    known = system_of(declared).computes
    words = known.get(declared.get("result", ""), known[""])
    return words.format(N=points, points=of, direction=declared.get("direction", ""))
