"""The properties of A = V W, section 4 of Cormen 1997, checked on a factorization."""

from __future__ import annotations

from derive.gf2.bits import rank
from derive.gf2.bmmc import Factorization, blocks, identity
from derive.verdict import Checked, Refuted, Verdict


def check(factorization: Factorization) -> Verdict:
    """Return whether A = V W has every property of section 4 of Cormen 1997; a Refuted names the
    first one that fails.

    >>> from derive.gf2.bmmc import factor, gray_code
    >>> print(check(factor(gray_code(4), 2)))
    checked: A = V W at n = 4, p = 2 (the properties of Cormen, section 4: V W = A; forms of T, R, Pi, W; dependency restriction; delta^ nonsingular; gamma^ reduced; basis gathered)
    """  # noqa: E501
    statement = f"A = V W at n = {factorization.n}, p = {factorization.p}"
    properties = _properties(factorization)
    for name, witness in properties.items():
        if witness:
            return Refuted(statement, f"{name}: {witness}", wrong=name)
    return Checked(statement, f"the properties of Cormen, section 4: {'; '.join(properties)}")


def _properties(f: Factorization) -> dict[str, str]:
    """Return the properties of section 4, each with a witness against it, empty where it holds."""
    m, n = f.m, f.n
    eye = identity(n).columns
    V, W = f.V, f.W
    T, R, Pi = f.trailer.columns, f.reducer.columns, f.swapper.columns
    gamma = blocks(V.matrix, f.p).gamma
    return {
        "V W = A": (
            ""
            if V @ W == f.permutation
            else f"V W = {(V @ W).columns}, A = {f.permutation.columns}"
        ),
        "forms of T, R, Pi, W": _first(
            {
                "T": T[:m] != eye[:m] or any(T[j] >> m != eye[j] >> m for j in range(m, n)),
                "R": any(column >> m for column in R[:m]) or R[m:] != eye[m:],
                "Pi": sorted(Pi[:m]) != list(eye[:m]) or Pi[m:] != eye[m:],
                "W": (
                    any(column >> m for column in W.columns[:m])
                    or any(W.columns[j] >> m != eye[j] >> m for j in range(m, n))
                ),
            }
        ),
        "dependency restriction": _first({"T": _breaks_dependency(T), "R": _breaks_dependency(R)}),
        "delta^ nonsingular": _first(
            {"delta^": rank(blocks((f.permutation @ f.trailer).matrix, f.p).delta) < f.p}
        ),
        "gamma^ reduced": _first({"R": _not_reduced(f)}),
        "basis gathered": _first(
            {
                "gamma^''": rank(gamma[:, m - f.rank_gamma :]) < f.rank_gamma,
                "left of gamma^''": bool(gamma[:, : m - f.rank_gamma].any()),
            }
        ),
    }


def _first(broken: dict[str, bool]) -> str:
    return next((name for name, wrong in broken.items() if wrong), "")


def _breaks_dependency(columns: tuple[int, ...]) -> bool:
    """Return whether a column i is added into a column j that is added into another (section 3)."""
    added = [column & ~(1 << j) for j, column in enumerate(columns)]
    own = all(column >> j & 1 for j, column in enumerate(columns))
    return not own or any(
        added[i] for column in added for i in range(len(columns)) if column >> i & 1
    )


def _not_reduced(f: Factorization) -> bool:
    """Return whether a column of gamma^ outside a column basis is not zero."""
    gamma = blocks((f.permutation @ f.trailer @ f.reducer).matrix, f.p).gamma
    return int(gamma.any(axis=0).sum()) != rank(gamma)
