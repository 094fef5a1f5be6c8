"""The systems as they are certified: what their programs declare, the rows of a certificate in
their order, and which of them may be undecided in a certificate that holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from derive.papers.hypercube import SCHEMES
from derive.verdict import Undecided, Verdict, holds
from proofs.certify.declaration import Declaration, Permutation
from proofs.certify.fields.cosine_maps import Cosines, Sines
from proofs.certify.fields.fourier_maps import Fourier, Hypercube
from proofs.certify.fields.hartley_maps import Hartley, HartleyArrays, RealFourier
from proofs.certify.fields.linear_maps import OwnMap, WalshHadamard
from proofs.certify.fields.real_arrays import RealArrays
from proofs.certify.modular.number_theoretic import NumberTheoretic

OF_A_TRANSFORM = ("layout", "messages", "function", "contract", "cost", "rounding", "main", "ran")
OF_RESIDUES = tuple(name for name in OF_A_TRANSFORM if name != "rounding")
FOURIER = "computes the {direction} FFT of {points}"
OF_A_PERMUTATION = ("layout", "messages", "function", "cost", "contract", "bytes", "main", "ran")


@dataclass(frozen=True)
class System:
    """A system as it is certified.

    Attributes:
        declares: the class of what its programs declare.
        theorems: the theorems of `nodewright prove` on which its factorization, or the transposed
            one, rests.
        of_schemes: the theorem of each scheme, if it has schemes.
        verdicts: the verdicts of a certificate, in their order.
        of_arrays, theorems_of_arrays: the same for arrays, where it is another class.
        section: the kind of the last section of its programs, if it is not named like the system.
        computes: what its programs compute, as a verb with its object, by RESULT if they have it.
        is_exact: whether nothing is rounded, and no field is drawn: opaque elements are moved, or
            integers modulo p computed with.
        convolves: whether its programs may have the function `convolve`.
        cited: whether others have proved bounds on its rounding errors.
    """

    declares: type[Declaration]
    theorems: tuple[str, ...] = ()
    of_schemes: Mapping[str, str] = field(default_factory=dict)
    verdicts: tuple[str, ...] = OF_A_TRANSFORM
    of_arrays: type[Declaration] | None = None
    theorems_of_arrays: tuple[str, ...] = ()
    section: str = ""
    computes: Mapping[str, str] = field(default_factory=lambda: {"": FOURIER})
    is_exact: bool = False
    convolves: bool = False
    cited: bool = False


SYSTEMS = {
    "fft": System(
        Fourier, ("cooley-tukey", "bluestein", "bsp-2.8", "bsp-phase-is-dft"), cited=True
    ),
    "permute": System(
        Permutation,
        verdicts=OF_A_PERMUTATION,
        computes={"": "permutes {N} elements by j -> A j + c"},
        is_exact=True,
    ),
    "hypercube-fft": System(
        Hypercube,
        of_schemes={"1": "bsp-1.6", **{each: f"hypercube-prog-{each[0]}" for each in SCHEMES}},
        section="fft",
    ),
    "fht": System(
        Hartley,
        ("fht-step", "fht-factorization"),
        of_arrays=HartleyArrays,
        theorems_of_arrays=("cooley-tukey",),
        computes={
            "": "computes the {direction} Hartley transform of {points}",
            "dft": "computes the forward FFT of {N} real points",
            "power": "computes the power spectrum of {N} real points",
        },
        convolves=True,
    ),
    "rfft": System(
        RealFourier,
        ("cooley-tukey",),
        of_arrays=RealArrays,
        theorems_of_arrays=("cooley-tukey",),
        computes={"": "computes the {direction} FFT of {N} real points"},
    ),
    "ntt": System(
        NumberTheoretic,
        ("cooley-tukey", "bsp-2.8", "bsp-phase-is-dft"),
        verdicts=OF_RESIDUES,
        computes={"": "computes the {direction} number-theoretic transform of {points}"},
        is_exact=True,
    ),
    "dct": System(
        Cosines,
        ("dct-ii", "dct-iii"),
        section="cosine",
        computes={"": "computes the {direction} cosine transform of {N} real points"},
    ),
    "dst": System(
        Sines,
        ("dct-ii", "dct-iii", "dst-ii"),
        section="cosine",
        computes={"": "computes the {direction} sine transform of {N} real points"},
    ),
    "wht": System(
        WalshHadamard,
        ("wht-stages", "wht-phases"),
        computes={"": "computes the {direction} Walsh-Hadamard transform of {points}"},
    ),
    "formula": System(OwnMap, computes={"": "computes its formula of {N} elements"}),
}
"""The systems by their names."""
OF_NONE = System(Declaration, verdicts=())
"""What is known of a system that is not there."""


def system_of(declared: Mapping[str, Any]) -> System:
    """Return the system that constants state."""
    return SYSTEMS.get(str(declared.get("transform")), OF_NONE)


def theorems_of(declared: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the theorems on which a program with these constants rests.

    >>> theorems_of({"transform": "hypercube-fft", "scheme": "5r"})
    ('hypercube-prog-5',)
    """
    system = system_of(declared)
    if "factorization" in declared:
        return ()
    if system.of_arrays and "shape" in declared:
        return system.theorems_of_arrays
    of_scheme = system.of_schemes.get(str(declared.get("scheme")))
    return (of_scheme,) if of_scheme else system.theorems


MORE = "convolution"
"""The verdict on `convolve`, before `main`, of a Hartley program without compiled kernels."""
BITS = "bits"
"""The verdict on a program with `--phases reproducible`, after `rounding`."""
NODES = "nodes"
"""The verdict on a program that finds out on which nodes its ranks are, before `main`."""
RANKS = 16
"""Programs for so many ranks are run, unless it is asked for more."""
LEFT_OPEN = ("contract", "main", "ran")
"""The verdicts that may be undecided in a certificate that holds."""
ON_NUMBERS = ("rounding", "bytes", BITS)
"""Those that may be as well where kernels are compiled and real ranks were not run."""
NOT_RUN = "not run: compiled kernels are measured only on real ranks"
"""The beginning of the reason."""
AS_MEASURED = "the program states no cost; exchanges, messages and words are measured in one run"
AS_STATED = "the docstring states the exchanges, messages and words that are measured in one run"
"""What `cost` says of a program that does not send what is counted from the factorization."""


def all_hold(verdicts: Mapping[str, Verdict], left_open: Sequence[str] = LEFT_OPEN) -> bool:
    """Return whether no verdict is refuted, and none undecided but for these and those not run."""
    return all(
        holds(verdict)
        or (name in left_open and isinstance(verdict, Undecided))
        or was_not_run(name, verdict)
        for name, verdict in verdicts.items()
    )


def not_run(reason: str) -> str:
    """Return why numbers of compiled kernels are not measured."""
    return f"{NOT_RUN}; {reason}"


def was_not_run(name: str, verdict: Verdict) -> bool:
    """Return whether a verdict is open only as there were no real ranks."""
    is_open = name in ON_NUMBERS and isinstance(verdict, Undecided)
    return is_open and str(verdict.evidence).startswith(NOT_RUN)
