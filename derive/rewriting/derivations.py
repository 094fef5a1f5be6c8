"""Equations of Inda & Bisseling (2000) that are derived for symbolic sizes, line by line as in the
paper.

Sizes that divide others are written as products, so that every quotient is a whole number by its
form: p = r u, N = n p.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from derive.formula.grammar import Equation, Formula, I, Kron, Size, kron, product
from derive.formula.permutation_matrices import Gamma, L, R, S, inverse
from derive.formula.transforms import A, AHat, B, D, F, T
from derive.papers.bsp import PAPER, cooley_tukey, corollary_2_3, corollary_3_2, theorem_2_2
from derive.rewriting.digits import prove_moves
from derive.rewriting.rewrite import Step, derivation, prove_chain
from derive.rewriting.rules import Variable
from derive.symbolic import positive_integers
from derive.verdict import Derived


@dataclass(frozen=True)
class Derivation:
    """The lines of a proof, each equal to the next by the rules and the assumptions."""

    name: str
    source: str
    lines: tuple[Formula, ...]
    assumptions: tuple[Equation, ...] = ()

    @property
    def verdict(self) -> Derived | None:
        """The proof, None where a line does not follow."""
        return prove_chain(self.lines, self.assumptions)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Every step from the first line to the last; ends where a line does not follow."""
        found: tuple[Step, ...] = (Step("given", self.lines[0]),)
        for left, right in pairwise(self.lines):
            steps = derivation(left, right, self.assumptions)
            if steps is None:
                break
            found += steps[1:]
        return found


def lemma_1_2() -> tuple[Derivation, ...]:
    """Return the four parts of Lemma 1.2 for square matrices; parts 1 and 2 are rules, the others
    follow.

    >>> print(lemma_1_2()[2].verdict)
    derived for symbolic sizes: (A ⊗ I_n) (I_m ⊗ B) = (I_m ⊗ B) (A ⊗ I_n)
    """
    m, n = positive_integers("m n")
    a, c, b, d, e, f = (
        Variable("A", m),
        Variable("C", m),
        Variable("B", n),
        Variable("D", n),
        Variable("A", n),
        Variable("B", n),
    )
    commute = Equation("A B = B A", "premise", e @ f, f @ e)
    lines: tuple[tuple[Formula, ...], ...] = (
        (kron(a, b) @ kron(c, d), kron(a @ c, b @ d)),
        (Kron(I(m), I(n)), I(m * n)),
        (kron(a, I(n)) @ kron(I(m), b), kron(a, b), kron(I(m), b) @ kron(a, I(n))),
        (kron(I(m), e) @ kron(I(m), f), kron(I(m), f) @ kron(I(m), e)),
    )
    used = ((), (), (), (commute,))
    return tuple(
        Derivation(f"bsp-lemma-1.2-{i}", f"{PAPER}, Lemma 1.2", *part)
        for i, part in enumerate(zip(lines, used, strict=True), start=1)
    )


def inverse_of_gamma() -> Derivation:
    """Return Γ_{u,p,N}^-1 = Γ_{N/p,N/u,N} (section 2.2).

    >>> print(inverse_of_gamma().verdict)
    derived for symbolic sizes: Γ_{u,r*u,n*r*u}^-1 = Γ_{n,n*r,n*r*u}
    """
    n, r, u = positive_integers("n r u")
    return Derivation(
        "bsp-gamma-inverse",
        f"{PAPER}, section 2.2",
        (inverse(Gamma(u, r * u, n * r * u)), Gamma(n, n * r, n * r * u)),
    )


def stage_pair() -> Derivation:
    """Return A_{K,N} A_{K/2,N} = I_{N/K} ⊗ D_K, the pair of stages that is one 4-butterfly stage
    (1.12).

    >>> print(stage_pair().verdict)
    derived for symbolic sizes: A_{4*q,4*b*q} A_{2*q,4*b*q} = (I_b ⊗ D_{4*q})
    """
    b, q = positive_integers("b q")
    K, N = 4 * q, 4 * q * b
    return Derivation(
        "bsp-stage-pair",
        f"{PAPER}, (1.12)",
        (A(K, N) @ A(K / 2, N), kron(I(b), B(K) @ kron(I(2), B(K / 2))), kron(I(b), D(K))),
    )


def group_cyclic_stage() -> Derivation:
    """Return the proof of Corollary 2.3 from Theorem 2.2, line by line as printed, with p = r u, N
    = n p, M = n u.

    >>> print(group_cyclic_stage().verdict)
    derived for symbolic sizes: Â_{k,u,r*u,n*r*u} = (I_r ⊗ diag(A_{k,n}^{0/u}, ..., A_{k,n}^{(u-1)/u}))
    """  # noqa: E501
    k, n, r, u = positive_integers("k n r u")
    corollary, theorem = corollary_2_3(r, r * u, n * r * u, k), theorem_2_2(u, n * u, k)
    shuffle, gamma = S(u, n * u), Gamma(u, r * u, n * r * u)
    lines = (
        corollary.left,
        gamma @ A(k * u, n * r * u) @ inverse(gamma),
        kron(I(r), shuffle) @ kron(I(r), A(k * u, n * u)) @ kron(I(r), inverse(shuffle)),
        kron(I(r), theorem.left),
        corollary.right,
    )
    return Derivation(corollary.name, corollary.source, lines, (theorem,))


def inserted_permutations() -> Derivation:
    """Return (2.5) to (2.7): Γ^-1 Γ inserted between the stages of F_N, here two stages in each of
    two phases.

    The stages K_1 p, K_2 p after the exchange and K_3, K_4 before it stand for as many as there
    are.

    >>> print(inserted_permutations().verdict.rests_on[0])
    (1.6): F_{n*p} = A_{K1*p,n*p} A_{K2*p,n*p} A_{K3,n*p} A_{K4,n*p} P_{n*p}
    """
    K1, K2, K3, K4, n, p = positive_integers("K1 K2 K3 K4 n p")
    N = n * p
    one, gamma = Gamma(1, p, N), Gamma(p, p, N)
    short = A(K3, N) @ A(K4, N) @ R(N)
    stages = Equation("(1.6)", f"{PAPER}, (1.6)", F(N), A(K1 * p, N) @ A(K2 * p, N) @ short)
    apart = [gamma @ A(K * p, N) @ inverse(gamma) for K in (K1, K2)]
    hats = [[AHat(K, u, p, N) for K in group] for u, group in ((p, (K1, K2)), (1, (K3, K4)))]
    lines = (
        stages.left,
        stages.right,
        product(
            [
                inverse(gamma),
                gamma,
                A(K1 * p, N),
                inverse(gamma),
                gamma,
                A(K2 * p, N),
                inverse(gamma),
                gamma,
                short,
            ]
        ),
        product([inverse(gamma), *apart, gamma, short]),
        product([inverse(gamma), *hats[0], gamma, inverse(one), *hats[1], one, R(N)]),
    )
    return Derivation("bsp-2.7", f"{PAPER}, (2.5) to (2.7)", lines, (stages,))


def cyclic_input() -> Derivation:
    """Return (4.2): with cyclic input the first phase is a local transform, F_n of two stages here.

    >>> print(cyclic_input().lines[-1])
    Γ_{u,p,n*p} (P_p ⊗ I_n) (I_p ⊗ F_n) S_{p,n*p}
    """
    K1, K2, n, p, u = positive_integers("K1 K2 n p u")
    N = n * p
    gamma, reversal = Gamma(u, p, N), corollary_3_2(p, N)
    stages = Equation("(1.6)", f"{PAPER}, (1.6)", F(n), A(K1, n) @ A(K2, n) @ R(n))
    local = [kron(I(p), part) for part in (A(K1, n), A(K2, n), R(n))]
    lines = (
        product([gamma, A(K1, N), A(K2, N), R(N)]),
        product([gamma, *local, kron(R(p), I(n)), S(p, N)]),
        product([gamma, kron(I(p), F(n)), kron(R(p), I(n)), S(p, N)]),
        product([gamma, kron(R(p), I(n)), kron(I(p), F(n)), S(p, N)]),
    )
    return Derivation("bsp-4.2", f"{PAPER}, (4.2)", lines, (reversal, stages))


def two_phases() -> Derivation:
    """Return the group-cyclic FFT with one exchange between two phases of local transforms, N = p^2
    e, from Cooley-Tukey.

    >>> print(two_phases().lines[-1])
    Γ_{p,p,e*p**2}^-1 (I_p ⊗ F_p ⊗ I_e) Γ_{p,p,e*p**2} T^{e*p**2}_{e*p} (I_p ⊗ F_{e*p}) L^{e*p**2}_p
    """
    e, p = positive_integers("e p")
    n, N = p * e, p * p * e
    split, gamma = cooley_tukey(p, n), Gamma(p, p, N)
    lines = (
        split.left,
        split.right,
        product(
            [
                inverse(gamma),
                kron(I(p), kron(F(p), I(e))),
                gamma,
                T(N, n),
                kron(I(p), F(n)),
                L(N, p),
            ]
        ),
    )
    return Derivation("bsp-fft-two-phases", f"Cooley & Tukey 1965; {PAPER}, (2.8)", lines, (split,))


def stride_lemma(d: Size, g: Size, s: Size) -> tuple[Equation, Derived | None]:
    """Return (L^{gd}_g ⊗ I_s) L^{gds}_{gd} = (I_g ⊗ L^{ds}_d) L^{gds}_g with its proof, on digits
    of sizes s, d, g.

    >>> print(stride_lemma(*positive_integers("d g s"))[1])
    derived for symbolic sizes: (L^{d*g}_g ⊗ I_s) L^{d*g*s}_{d*g} = (I_g ⊗ L^{d*s}_d) L^{d*g*s}_g
    """
    left = kron(L(g * d, g), I(s)) @ L(g * d * s, g * d)
    equation = Equation(
        "stride lemma", "digits of the index", left, kron(I(g), L(d * s, d)) @ L(g * d * s, g)
    )
    return equation, prove_moves(equation, (s, d, g))


def next_phase() -> Derivation:
    """Return a phase of the group-cyclic FFT: groups of u ranks become groups of U = u d ranks, N =
    n P, n = d e, P = g d u.

    What the phase does to Γ_u (I_{P/u} ⊗ F_{un}) L^N_{P/u}, it is Γ_U (I_g ⊗ F_{Un}) L^N_g: by
    induction on the phases that is Γ_P F_N at last.

    >>> print(next_phase().verdict is not None)
    True
    """
    d, e, g, u = positive_integers("d e g u")
    n, P, U = d * e, g * d * u, d * u
    N, s = n * P, u * n
    split, (strides, _) = cooley_tukey(d, s), stride_lemma(d, g, s)
    before, after = Gamma(u, P, N), Gamma(U, P, N)
    exchange = product(
        [
            kron(I(P), kron(F(d), I(e))),
            after,
            kron(I(g), T(U * n, s)),
            kron(L(g * d, g), I(s)),
            inverse(before),
        ]
    )
    lines = (
        product([exchange, before, kron(I(g * d), F(s)), L(N, g * d)]),
        product([after, kron(I(g), split.right), L(N, g)]),
        product([after, kron(I(g), F(U * n)), L(N, g)]),
    )
    return Derivation(
        "bsp-fft-next-phase", f"Cooley & Tukey 1965; {PAPER}, (2.8)", lines, (split, strides)
    )


def derivations() -> dict[str, Derivation]:
    """Return all derivations by name.

    >>> sorted(derivations())[0]
    'bsp-2.7'
    """
    found = (
        *lemma_1_2(),
        inverse_of_gamma(),
        stage_pair(),
        group_cyclic_stage(),
        inserted_permutations(),
        cyclic_input(),
        two_phases(),
        next_phase(),
    )
    return {derivation.name: derivation for derivation in found}
