"""Terms as they are written: without the brackets of products, and without factors I_1."""

from __future__ import annotations

from proofs.kernel.numbers import ONE
from proofs.kernel.terms import Block, Kron, Mul, Pi, Sum, Term
from proofs.theorems.notation import shown


def plain(term: Term) -> Term:
    """Return a term with its products and Kronecker products nested to the right, and without
    factors I_1: so it is written.
    """
    match term:
        case Mul(Mul(a, b), c):
            return plain(Mul(a, Mul(b, c)))
        case Mul(a, b):
            return Mul(plain(a), plain(b))
        case Kron(a, b) if a.shape == (ONE, ONE) and shown(a) == "I_{1}":
            return plain(b)
        case Kron(a, b) if b.shape == (ONE, ONE) and shown(b) == "I_{1}":
            return plain(a)
        case Kron(Kron(a, b), c):
            return plain(Kron(a, Kron(b, c)))
        case Kron(a, b):
            return Kron(plain(a), plain(b))
        case Sum(parts):
            return Sum(tuple((re, im, plain(part)) for re, im, part in parts))
        case Block(x, body):
            return Block(x, plain(body))
        case Pi(count, k, l, body):
            return Pi(count, k, l, plain(body))
    return term
