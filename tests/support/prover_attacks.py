"""Attacks on the rules of the prover from Python, without a private name: each returns what it
forged, or raises.

An attack has a kind and a name. What one returns is false, or no object that its class would make.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
import types
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from proofs.blocks import columns, divisions, matrices
from proofs.kernel import rules
from proofs.kernel.path_sums import equal
from proofs.kernel.rules import Hypothesis, Thm, assume, diag, induct, instantiate, refl
from proofs.kernel.sizes import ONE, Digit, Dim, Nat, Poly, Real, nat, size
from proofs.kernel.terms import Block, F, I, Kron, Mul, Pi, S, Sum, Term, Var, W, free, substitute

TWO = Dim.of(2)
HALF = ONE / 2
n, r, s = nat("n"), size("r"), size("s")
x = Digit("x", TWO)
Attack = Callable[[], object]
ATTACKS: dict[tuple[str, str], Attack] = {}


def attack(kind: str, name: str) -> Callable[[Attack], Attack]:
    """Name an attack."""

    def named(found: Attack) -> Attack:
        ATTACKS[kind, name] = found
        return found

    return named


class Fickle(str):
    """A text that is equal to others at the looks that it chooses."""

    looks: list[bool]

    def __new__(cls, text: str, *looks: bool) -> Fickle:
        made = super().__new__(cls, text)
        made.looks = list(looks)
        return made

    def __eq__(self, other: object) -> bool:
        return self.looks.pop(0) if self.looks else str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return str.__hash__(self)


class Stranger:
    """No text, and equal to one at the looks that it chooses."""

    def __init__(self, text: str, *looks: bool) -> None:
        self.text, self.looks = text, list(looks)

    def __eq__(self, other: object) -> bool:
        return self.looks.pop(0) if self.looks else other == self.text

    def __hash__(self) -> int:
        return hash(self.text)


class Turning(tuple[Any, ...]):
    """A tuple that yields something else from a look on."""

    later: tuple[Any, ...]
    after: int

    def __new__(cls, first: tuple[Any, ...], later: tuple[Any, ...], after: int) -> Turning:
        made = super().__new__(cls, first)
        made.later, made.after = later, after
        return made

    def __iter__(self) -> Iterator[Any]:
        self.after -= 1
        return iter(self.later) if self.after < 0 else super().__iter__()


class Pair:
    """A pair that yields something else from a look on, hashed as it begins."""

    def __init__(self, first: tuple[Any, ...], later: tuple[Any, ...], after: int) -> None:
        self.first, self.later, self.after = first, later, after

    def __iter__(self) -> Iterator[Any]:
        self.after -= 1
        return iter(self.later if self.after < 0 else self.first)

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, i: int) -> Any:
        return self.first[i]

    def __hash__(self) -> int:
        return hash(self.first)

    def __eq__(self, other: object) -> bool:
        return other == self.first or other is self


class Count(int):
    """A number that says that it is another one."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1

    def __bool__(self) -> bool:
        return True


class Mirror:
    """Equal to everything, with the hash of a model."""

    def __init__(self, model: object, **more: object) -> None:
        self.model = model
        self.__dict__.update(more)

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(self.model)


def must_differ(value: object, wanted: object) -> object:
    """Return a value that is wrong; raise where it is the right one."""
    if value == wanted:
        raise TypeError("it is as it was")
    return value


# Texts


def two_for_one(hypothesis: Thm, **values: Any) -> Thm:
    """F(2^n) = I(2^n) for all n, if n of the hypothesis of the induction may be set."""
    step = instantiate(hypothesis, **values)
    found = induct("n", F(2**n), I(2**n), diag(F(ONE), I(ONE)), step)
    if found.hypotheses:
        raise TypeError("the hypothesis stays")
    return instantiate(found, n=Nat.of(1))


@attack("texts", "a general variable that is one only while it is set")
def _() -> object:
    for looks in range(1, 6):
        for late in range(6):
            try:
                stranger: Any = Stranger("n", *[True] * looks, *[False] * late)
                return two_for_one(assume(F(2**n), I(2**n), stranger), n=n + 1)
            except (ValueError, TypeError):
                continue
    raise TypeError("no number of looks helps")


@attack("texts", "a general variable of a subclass of str")
def _() -> object:
    for looks in range(6):
        for late in range(6):
            try:
                return two_for_one(
                    assume(F(2**n), I(2**n), Fickle("n", *[True] * looks, *[False] * late)), n=n + 1
                )
            except (ValueError, TypeError):
                continue
    raise TypeError("no number of looks helps")


@attack("texts", "a key of instantiate that is not seen to be fixed")
def _() -> object:
    for looks in range(1, 8):
        try:
            return two_for_one(assume(F(2**n), I(2**n)), **{Fickle("n", *[False] * looks): n + 1})
        except (ValueError, TypeError, KeyError):
            continue
    raise TypeError("no number of looks helps")


@attack("texts", "an induction on a variable of a subclass of str")
def _() -> object:
    elsewhere = assume(F(2 ** (n + 1)), I(2 ** (n + 1)))
    for looks in range(1, 8):
        for late in range(4):
            try:
                return induct(
                    Fickle("n", *[True] * looks, *[False] * late),
                    F(2**n),
                    I(2**n),
                    diag(F(ONE), I(ONE)),
                    elsewhere,
                )
            except (ValueError, TypeError, KeyError):
                continue
    raise TypeError("no number of looks helps")


@attack("texts", "the indices of a product that a hypothesis fixes")
def _() -> object:
    stage = assume(F(2 ** nat("k")), I(2 ** nat("k")))
    return rules.pi(n, Fickle("k", False, False, False), "l", stage)


@attack("texts", "the name of a digit that a hypothesis fixes")
def _() -> object:
    phase = assume(W(Poly.of(x) / 3), W(Poly.of(0)))
    return rules.block(Digit(Fickle("x", False, False), TWO), phase)


@attack("texts", "a general variable that is no text")
def _() -> object:
    return assume(I(r), I(r), 3)  # type: ignore[arg-type]


@attack("texts", "the general variables of a hypothesis as a subclass of frozenset")
def _() -> object:
    class Names(frozenset[str]):
        pass

    return Hypothesis(I(r), I(r), Names({"r"}))


@attack("texts", "the base of a size of a subclass of str")
def _() -> object:
    return Dim(frozenset({(Fickle("r"), Nat.of(1))}))


@attack("texts", "a variable of a number of a subclass of str")
def _() -> object:
    return Nat(frozenset({((Fickle("n"),), 1)}))


@attack("texts", "a name that substitution does not find")
def _() -> object:
    for looks in range(1, 6):
        wrong = substitute(
            I(2 ** nat(f"q{looks}")), {Fickle(f"q{looks}", *[True] * looks, False): Nat.of(3)}
        )
        right = substitute(I(2 ** nat(f"q{looks}")), {f"q{looks}": Nat.of(3)})
        if right != I(Dim.of(8)):
            return wrong
    raise TypeError("the right one is found")


@attack("texts", "a sign that is a subclass of int")
def _() -> object:
    return F(r, Count(5))


# Iterables


@attack("iterables", "a summand that is a theorem at the first look")
def _() -> object:
    fake = types.SimpleNamespace(left=I(r), right=F(r), hypotheses=frozenset())
    for after in range(1, 5):
        try:
            one, zero = Poly.of(1), Poly.of(0)
            found = rules.add(Turning((one, zero, refl(I(r))), (one, zero, fake), after))  # type: ignore[arg-type]
            return must_differ(found.left, found.right)
        except (ValueError, TypeError):
            continue
    raise TypeError("no number of looks helps")


@attack("iterables", "summands that are no tuples")
def _() -> object:
    return rules.add([Poly.of(1), Poly.of(0), refl(I(r))])  # type: ignore[arg-type]


@attack("iterables", "a monomial of a number that turns negative")
def _() -> object:
    for after in range(1, 12):
        try:
            return must_differ(str(Nat(frozenset({Pair((("n",), 1), (("n",), -1), after)}))), "n")  # type: ignore[arg-type]
        except (ValueError, TypeError):
            continue
    raise TypeError("no number of looks helps")


@attack("iterables", "a power of a size that turns")
def _() -> object:
    one = Nat.of(1)
    for after in range(1, 12):
        try:
            return must_differ(str(Dim(frozenset({Pair(("r", one), ("r", one * 2), after)}))), "r")  # type: ignore[arg-type]
        except (ValueError, TypeError):
            continue
    raise TypeError("no number of looks helps")


@attack("iterables", "a monomial of a phase that turns")
def _() -> object:
    first, later = ((ONE, (x,)), Fraction(1)), ((ONE, (x,)), Fraction(1, 3))
    for after in range(1, 12):
        try:
            return must_differ(Poly(frozenset({Pair(first, later, after)})).integral, True)  # type: ignore[arg-type]
        except (ValueError, TypeError):
            continue
    raise TypeError("no number of looks helps")


@attack("iterables", "the atoms of a phase as a subclass of tuple")
def _() -> object:
    return Poly(frozenset({((ONE, Turning((x,), (), 3)), Fraction(1, 3))}))


@attack("iterables", "a pair of a size and atoms that turns")
def _() -> object:
    return Poly(frozenset({(Pair((ONE, ()), (TWO, ()), 2), Fraction(1, 3))}))  # type: ignore[arg-type]


@attack("iterables", "the names of a monomial as a list that is sorted later")
def _() -> object:
    return Nat(frozenset({(Turning(("n",), ("m",), 1), 1)}))


@attack("iterables", "the parts of a sum as a subclass of tuple")
def _() -> object:
    return Sum(Turning(((Poly.of(1), Poly.of(0), I(r)),), (), 9))


@attack("iterables", "a part of a sum as a subclass of tuple")
def _() -> object:
    return Sum((Turning((Poly.of(1), Poly.of(0), I(r)), (Poly.of(1), Poly.of(0), F(r)), 9),))


@attack("iterables", "values whose items change")
def _() -> object:
    class Values(dict[str, Any]):
        looks = 0

        def items(self) -> Any:
            self.looks += 1
            return {"r": TWO if self.looks < 2 else HALF}.items()

    found = substitute(I(r), Values(r=TWO))
    return must_differ(found, I(TWO))


@attack("iterables", "a size as a subclass of frozenset")
def _() -> object:
    class Powers(frozenset[Any]):
        pass

    return Dim(Powers({("r", Nat.of(1))}))


# Subclasses of what is trusted, and what is equal to it


@attack("subclasses", "a size that says that it is whole")
def _() -> object:
    class Liar(Dim):
        @property
        def whole(self) -> bool:
            return True

    return refl(I(Liar(HALF.powers)))


@attack("subclasses", "a term of another shape")
def _() -> object:
    class Square(I):
        @property
        def shape(self) -> tuple[Dim, Dim]:
            return s, s

    return Mul(Square(r), I(s))


@attack("subclasses", "a hypothesis that fixes nothing")
def _() -> object:
    class Loose(Hypothesis):
        @property
        def fixed(self) -> frozenset[str]:
            return frozenset()

    return Loose(I(r), F(r), frozenset())


@attack("subclasses", "a theorem")
def _() -> object:
    class Mine(Thm):
        pass

    return Mine


@attack("subclasses", "a kind of term of one's own")
def _() -> object:
    @dataclasses.dataclass(frozen=True)
    class Mine(Term):
        size: Dim

    return refl(Mine(r))


@attack("caches", "a matrix that is equal to I and has another shape")
def _() -> object:
    class Other(I):
        __slots__ = ()

        def __hash__(self) -> int:
            return hash(I(size("u")))

        def __eq__(self, other: object) -> bool:
            return True

    object.__getattribute__(Other(s), "shape")
    return must_differ(I(size("u")).shape, (size("u"), size("u")))


@attack("caches", "the free names of what is equal to everything")
def _() -> object:
    model = I(size("u1"))
    free(Mirror(model))
    return must_differ(free(model), {"u1": "size"})


@attack("caches", "the shape of what is equal to everything")
def _() -> object:
    model = I(size("u2"))
    shape: Any = Term.shape
    shape.fget(Mirror(model, size=TWO, __match_args__=("size",)))
    return must_differ(model.shape, (size("u2"), size("u2")))


@attack("caches", "a substitution by a value that is equal to everything")
def _() -> object:
    class Equal(Nat):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return hash(Nat.of(4))

    substitute(I(2 ** nat("u3")), {"u3": Equal(Nat.of(5).terms)})
    return must_differ(substitute(I(2 ** nat("u3")), {"u3": Nat.of(4)}), I(Dim.of(16)))


@attack("caches", "a substitution into what is equal to everything")
def _() -> object:
    model = I(2 ** nat("u4"))
    substitute(Mirror(model), {"u4": Nat.of(4)})
    return must_differ(substitute(model, {"u4": Nat.of(4)}), I(Dim.of(16)))


@attack("caches", "a tuple of texts that are equal to others")
def _() -> object:
    substitute((Fickle("u"), nat("u5")), {"u5": Nat.of(4)})
    return must_differ(substitute(("u", nat("u5")), {"u5": Nat.of(4)})[0].__class__, str)


@attack("caches", "a number that is equal to another when it is factored")
def _() -> object:
    Dim.of(Count(6))
    return must_differ(Dim.of(1), ONE)


@attack("caches", "True for 1")
def _() -> object:
    return Dim.of(True)


@attack("caches", "1.0 for 1")
def _() -> object:
    return Nat.of(1.0)  # type: ignore[arg-type]


@attack("caches", "a fraction of a subclass")
def _() -> object:
    class Third(Fraction):
        @property
        def denominator(self) -> int:
            return 1

    return must_differ(Poly.of(Third(1, 3)).integral, False)


# Objects that are changed


def changed(thing: Any, field: str, value: Any) -> object:
    """Change a field, in every way that has no private name."""
    before = getattr(thing, field)
    for change in (
        lambda: setattr(thing, field, value),
        lambda: object.__setattr__(thing, field, value),
        lambda: object.__delattr__(thing, field),
        lambda: type(thing).__dict__[field].__set__(thing, value),
        lambda: thing.__setstate__([value]),
        lambda: thing.__init__(*[value] * len(type(thing).__match_args__)),
    ):
        try:
            change()
        except (AttributeError, TypeError, ValueError):
            continue
    return must_differ(getattr(thing, field, None), before)


CHANGED: dict[str, Callable[[], tuple[Any, str, Any]]] = {
    "the right side of a theorem": lambda: (refl(I(r)), "right", F(r)),
    "the hypotheses of a theorem": lambda: (assume(I(r), F(r)), "hypotheses", frozenset()),
    "the size of a matrix in a theorem": lambda: (refl(I(r)).left, "size", s),
    "the factor of a product": lambda: (Mul(F(r), F(r)), "left", I(s)),
    "the terms of a number": lambda: (Nat.of(3), "terms", frozenset()),
    "the powers of a size": lambda: (Dim.of(6), "powers", HALF.powers),
    "the terms of a phase": lambda: (Poly.of(x), "terms", frozenset()),
    "the radix of a digit": lambda: (Digit("x", TWO), "radix", HALF),
    "the general variables of a hypothesis": lambda: (
        Hypothesis(I(r), F(r), frozenset()),
        "general",
        frozenset({"r"}),
    ),
    "the words of a sum": lambda: (matrices.one("n"), "words", frozenset()),
    "the right side of an equation of blocks": lambda: (
        matrices.Equation(matrices.identity(("n",)), matrices.identity(("n",)), ()),
        "right",
        matrices.zeros(("n",), ("n",)),
    ),
    "the quotient of a division": lambda: (
        divisions.Division(nat("a"), Nat.of(1), nat("a"), Nat.of(0), ()),
        "quotient",
        Nat.of(7),
    ),
}
for _name, _made in CHANGED.items():
    attack("changes", _name)(lambda _made=_made: changed(*_made()))  # type: ignore[misc]


@attack("changes", "a theorem by dataclasses.replace")
def _() -> object:
    return dataclasses.replace(refl(I(r)), right=F(r))  # type: ignore[type-var]


@attack("changes", "a copy of a theorem that is filled in")
def _() -> object:
    made: Any = copy.copy(refl(I(r)))
    return must_differ(made.right, made.left)


@attack("changes", "a theorem that is pickled")
def _() -> object:
    return pickle.loads(pickle.dumps(refl(I(r))))


@attack("changes", "a term that is pickled with another size")
def _() -> object:
    half = object.__reduce_ex__(I(r), 2)
    made: Any = half[0](*half[1])  # type: ignore[index, misc]
    object.__setattr__(made, "size", HALF)
    return refl(made)


# Objects that are not made by their class


def filled(kind: type, **values: object) -> Any:
    """Return an object of a class that was never checked."""
    made = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def disguised(kind: type, *bases: type, **values: object) -> Any:
    """Return an object of a class of one's own with the same fields, its class exchanged then."""
    names = tuple(kind.__match_args__) if hasattr(kind, "__match_args__") else tuple(values)
    made = type("Disguise", bases, {"__slots__": tuple(values) or names})()
    for name, value in values.items():
        setattr(made, name, value)
    made.__class__ = kind
    return made


FAKE: dict[str, Any] = {
    "left": I(r),
    "right": F(r),
    "hypotheses": frozenset(),
    "rule": "refl",
    "premises": (),
}


@attack("forged objects", "a theorem that was never made")
def _() -> object:
    return rules.sym(filled(Thm, **FAKE))


@attack("forged objects", "a theorem by an assignment to __class__")
def _() -> object:
    return rules.sym(disguised(Thm, **FAKE))


@attack("forged objects", "a theorem with another key")
def _() -> object:
    make: Any = Thm
    return make(object(), *FAKE.values())


@attack("forged objects", "a theorem whose key is equal to everything")
def _() -> object:
    make: Any = Thm
    return make(Mirror("key"), *FAKE.values())


@attack("forged objects", "a half matrix that was never checked")
def _() -> object:
    return refl(filled(I, size=HALF))


@attack("forged objects", "a half matrix by an assignment to __class__")
def _() -> object:
    return refl(disguised(I, Term, size=HALF))


@attack("forged objects", "half a size by an assignment to __class__")
def _() -> object:
    return refl(I(disguised(Dim, powers=frozenset({(4, Nat.of(1))}))))


@attack("forged objects", "a product of shapes that do not fit")
def _() -> object:
    return refl(filled(Mul, left=I(r), right=I(s)))


@attack("forged objects", "a matrix that was refused, out of the traceback")
def _() -> object:
    try:
        Mul(I(r), I(s))
    except ValueError as error:
        at = error.__traceback__
        while at:
            for thing in at.tb_frame.f_locals.values():
                if type(thing) is Mul:
                    return refl(thing)
            at = at.tb_next
    raise TypeError("no matrix is there")


@attack("forged objects", "a hypothesis that was never checked")
def _() -> object:
    return must_differ(
        filled(Hypothesis, left=I(r), right=I(s), general=frozenset()), None
    ) and rules.Hypothesis(filled(I, size=HALF), filled(I, size=HALF), frozenset())


@attack("forged objects", "a negative number that was never checked")
def _() -> object:
    return instantiate(refl(I(2**n)), n=filled(Nat, terms=frozenset({((), Count(-1))})))


@attack("forged objects", "a premise that is a theorem by its class")
def _() -> object:
    class Fake:
        __class__ = Thm  # type: ignore[assignment]
        left, right, hypotheses = I(r), F(r), frozenset[Any]()

    return rules.sym(Fake())  # type: ignore[arg-type]


# Terms that hide a name


@attack("hidden names", "a radix with the name that its index gets")
def _() -> object:
    return Block(Digit("y", size("#1")), W(Poly.of(0)))


@attack("hidden names", "the radix of an index that is the index")
def _() -> object:
    return Block(Digit("y", size("y")), W(Poly.of(0)))


@attack("hidden names", "a bound name in path sums")
def _() -> object:
    term = W(Poly.of(Digit("~0", TWO)) / 3)
    return equal(term, term)


@attack("hidden names", "a number of factors with the index of its product")
def _() -> object:
    return Pi(nat("#1") + 1, "k", "l", I(TWO))


@attack("hidden names", "a matrix whose name is bound around it")
def _() -> object:
    theorem = refl(Block(Digit("y", r), Kron(Var("A", r, r), W(Poly.of(Digit("y", r)) / 3))))
    return instantiate(theorem, A=W(Poly.of(Digit("#1", r))))


# Block algebra and divisions


def total(*words: tuple[Any, ...]) -> Any:
    """Return the words of a sum of letters X."""
    return tuple(words)


X = matrices.Letter("X", "n", "n")


@attack("blocks", "words that are no set")
def _() -> object:
    words: Any = ((X,), (X,))
    return matrices.Sum("n", "n", words)


@attack("blocks", "a word that turns")
def _() -> object:
    words: Any = frozenset({Turning((X,), (), 1)})
    return matrices.Sum("n", "n", words)


@attack("blocks", "a letter of a subclass")
def _() -> object:
    class Own(matrices.Letter):
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 0

    return matrices.Sum("n", "n", frozenset({(Own("X", "n", "n"),)}))


@attack("blocks", "the name of a letter of a subclass of str")
def _() -> object:
    return matrices.Letter(Fickle("X"), "n", "n")


@attack("blocks", "a size of a letter of a subclass of str")
def _() -> object:
    return matrices.Letter("X", Fickle("n"), "m")


@attack("blocks", "an equation that checks nothing")
def _() -> object:
    class Own(matrices.Equation):
        def __post_init__(self) -> None:
            pass

    found = Own(matrices.identity(("n",)), matrices.zeros(("n",), ("n",)), ())
    return columns.Derivation((found,), (found,))


@attack("blocks", "an equation that was never checked")
def _() -> object:
    found = filled(
        matrices.Equation,
        left=matrices.identity(("n",)),
        right=matrices.zeros(("n",), ("n",)),
        given=(),
        name="",
    )
    return columns.Derivation((found,), (found,))


@attack("blocks", "relations that turn")
def _() -> object:
    wrong = matrices.relation(
        matrices.one("n") * matrices.letter("X", "n", "n"), matrices.zero("n", "n")
    )
    left, right = (
        matrices.matrix("n", "n", matrices.letter("X", "n", "n")),
        matrices.matrix("n", "n", 0),
    )
    found = matrices.Equation(left, right, Turning((wrong,), (), 1))
    return columns.Derivation((found,), (found,))


@attack("blocks", "a matrix of blocks as lists")
def _() -> object:
    blocks_: Any = [[matrices.one("n")]]
    return matrices.Matrix(("n",), ("n",), blocks_)


@attack("blocks", "a derivation whose parts are a list")
def _() -> object:
    found = matrices.Equation(matrices.identity(("n",)), matrices.identity(("n",)), ())
    return columns.Derivation([found], [found])  # type: ignore[arg-type]


@attack("blocks", "the size 1 as a size that is obtained")
def _() -> object:
    Z, b, C, e = (
        matrices.letter(*one)
        for one in (("Z", "p", "z"), ("b", "z", "p"), ("C", "p", "c"), ("e", "z", "c"))
    )
    v, row = matrices.letter("v", "p", "1"), matrices.letter("u", "1", "p")
    residual = v + Z * b * v
    mu = row + row * Z * b
    kept = (matrices.relation(C, Z * e), matrices.relation(b * Z, matrices.one("z")))
    zero = columns.Case(
        matrices.relation(Z * b * v, v),
        (("c", ("1", "c")),),
        (
            ("Z", matrices.matrix("p", "z", Z)),
            ("b", matrices.matrix("z", "p", b)),
            ("e", matrices.matrix("z", "1 c", b * v, e)),
        ),
    )
    unit = columns.Case(
        matrices.relation(row * v, matrices.one("1") + row * Z * b * v),
        (("c", ("1", "c")), ("z", ("1", "z"))),
        (
            ("Z", matrices.matrix("p", "1 z", v, Z)),
            ("b", matrices.matrix("1 z", "p", mu, b + b * v * mu)),
            ("e", matrices.matrix("1 z", "1 c", 1, 0, 0, e)),
        ),
    )
    letters = (
        matrices.Letter("C", "p", "c"),
        matrices.Letter("v", "p", "1"),
        matrices.Letter("u", "1", "p"),
    )
    rule = columns.Elimination(*letters, residual, (), kept, ("c", "z"), (), zero, unit, ())
    obtained = columns.Obtained(rule, (("z", "1"),), ())
    return columns.Derivation((obtained,), (obtained,))


@attack("blocks", "a letter that is said to stand for something else")
def _() -> object:
    found = matrices.Equation(
        matrices.matrix("n", "n", matrices.letter("X", "n", "n")),
        matrices.matrix("n", "n", matrices.letter("X", "n", "n")),
        (),
    )
    return columns.Derivation((found,), (found,), (("X", matrices.matrix("n", "n", 0)),))


@attack("blocks", "a chain of no equation")
def _() -> object:
    found = columns.Chain(())
    return columns.Derivation((found,), (found,))


@attack("divisions", "a letter that is replaced twice")
def _() -> object:
    return divisions.Division(
        nat("R"), nat("P"), Nat.of(0), nat("R"), (("P", nat("a")), ("P", nat("R") + 1))
    )


@attack("divisions", "a letter that stands for itself and more")
def _() -> object:
    return divisions.Division(nat("P"), nat("P") - 1, Nat.of(1), Nat.of(1), (("P", nat("P") + 3),))


@attack("divisions", "coefficients of a subclass of int")
def _() -> object:
    return divisions.Division(
        Nat(frozenset({(("a",), Count(2))})), Nat.of(1), nat("a"), Nat.of(0), ()
    )


@attack("divisions", "a place that is True")
def _() -> object:
    return divisions.Local(
        (nat("R"), nat("P")),
        nat("P"),
        (("m", nat("m")),),
        (((True, nat("z")),), ((1, nat("z")),)),
        "a list",
    )


@attack("divisions", "a real in a phase that is no number")
def _() -> object:
    return W(Poly(frozenset({((ONE, (Real(Fickle("a")),)), Fraction(1))})))


@attack("divisions", "a shuffle of a size that is True")
def _() -> object:
    return S(TWO, True)  # type: ignore[arg-type]
