"""The tables that a rank keeps for many transforms, as expressions of Python in `rank`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from codegen.emit import digit_forms, hypercube_memory
from codegen.emit.arrangements import Tiles
from codegen.emit.residues import residue_tables
from codegen.emit.steps import compiled_kernels, fourier_lines, fourier_passes
from codegen.program.digits.digit_supersteps import Diagonal
from codegen.program.protocol import Exchange
from codegen.systems.exchanges import Way
from codegen.systems.options import KERNELS
from derive.gf2.bits import Affine
from derive.maps.index_map import Written
from derive.maps.map_expressions import Expression

KINDS = (
    *(
        "group",
        "window",
        "mail",
        "messages",
        "both",
        "peers",
        "partners",
        "twiddle",
        *hypercube_memory.KINDS,
    ),
    *("pair_weights", "weights", "fourier", "offsets", "places", "tiles", *compiled_kernels.KINDS),
    *(*residue_tables.KINDS, *fourier_lines.KINDS, "made"),
)
"""The kinds of tables, in the order in which a plan makes them: first those that all ranks make."""

FREED = {"window": ("window", "free"), "mail": ("mail", "free"), "group": ("comm", "Free")}
"""The kinds of tables that a plan gives back: the variable of a loop over several, and how."""


@dataclass
class Tables:
    """What a plan keeps, by name: of each kind those that differ."""

    p: int
    m: int
    way: Way
    itemsize: int
    parts: tuple[int, int] = (1, 1)
    """Ranks and elements of a rank, where digits are no bits."""
    arranges: str = KERNELS[0]
    """The kernels that put elements in another order."""
    vectors: bool = False
    """Whether transforms are compiled, and transposes with them."""
    mails: bool = False
    """Whether a transform reads messages where they are received, and a rank's own where it is."""
    expressions: list[Expression] = field(default_factory=list)
    names: dict[tuple[str, Any], str] = field(default_factory=dict)

    def name(self, kind: str, how: Any) -> str:
        number = sum(known == kind for known, _ in self.names) + 1
        return self.names.setdefault((kind, how), kind if number == 1 else f"{kind}_{number}")

    @property
    def views(self) -> list[dict[str, Any]]:
        return [
            {"macro": kind, "name": name, **self._view(kind, how)}
            for kind in KINDS
            for (known, how), name in self.names.items()
            if known == kind
        ]

    def _view(self, kind: str, how: Any) -> dict[str, Any]:
        if isinstance(how, fourier_passes.Table):
            return fourier_passes.view(how, self)
        for part in (hypercube_memory, compiled_kernels, residue_tables):
            if kind in part.KINDS:
                return part.table(kind, how, self)
        return dict(getattr(self, f"_{kind}")(how))

    def one_by_one(self, exchange: Exchange) -> str:
        """Return the function that sends messages which do not go together: in rounds, or all at
        once, or in rounds of their own.
        """
        return "rounds" if exchange.in_rounds and not self.way.sends else "traded"

    def _of_place(self, address: Affine) -> Expression:
        return self.written(address, ("rank", 1 << self.p), ("o", 1 << self.m))

    def written(self, map: Written, *variables: tuple[str, int]) -> Expression:
        """Return the expression of a map in these variables."""
        found = map.written(variables)
        self.expressions.append(found)
        return found

    def _noted(self, view: digit_forms.View) -> dict[str, Any]:
        """Return what is printed of a table whose expressions are noted."""
        found, expressions = view
        self.expressions += expressions
        return found

    def _pair_weights(self, how: Diagonal) -> dict[str, Any]:
        return self._noted(digit_forms.twiddle(how, *self.parts)) | {"words": "weights"}

    def _twiddle(self, how: Any) -> dict[str, Any]:
        """Return the table of a diagonal without the first entries, of `stop` elements of a run if
        it is not 0; or one that kernels read.
        """
        if len(how) == 4:
            return self._twiddle_of_digits(*how)
        diagonal, first, stop = how
        found = digit_forms.twiddle(diagonal, self.parts[0], stop or self.parts[1])
        return self._noted(found) | {"first": first, "stop": stop}

    def _twiddle_of_digits(
        self, diagonal: Diagonal, run: int, count: int, first: int
    ) -> dict[str, Any]:
        """Return the table of so many entries, or of one for each run of so many that are equal;
        without the first ones.
        """
        P, M = self.parts
        one = diagonal.once() if run > 1 else diagonal
        found = self._noted(digit_forms.twiddle(one, P, M // run))
        if run > 1:
            return {**found, "macro": "twiddle_of_runs", "count": count // run}
        needs = ("root_of_unity", "twiddles")
        return {
            **found,
            "needs": needs,
            "macro": "split_twiddle",
            "first": first,
            "stop": count if count < M else 0,
        }

    def _offsets(self, back: Affine) -> dict[str, Any]:
        return {"offset": self._of_place(back)}

    def _places(self, offset: Affine) -> dict[str, Any]:
        return {"offset": self._of_place(offset)}

    def _window(self, _: None) -> dict[str, Any]:
        return {"needs": self.way.needs, "words": self.way.keeps}

    def _messages(self, how: Exchange) -> dict[str, Any]:
        if self.way.of_all:
            return {"senders": "", "readers": ""}  # one from each rank
        sender, number = self._of_message(how.come_from, how), self._of_message(how.arrival, how)
        each = f" for b in range({how.messages})]"
        senders, readers = f"[({sender}, {number}){each}", f"[{self._of_message(how.to, how)}{each}"
        return {"senders": senders, "readers": readers, "of_all": how.is_whole}

    def _of_message(self, map: Written, how: Exchange) -> Expression:
        return self.written(map, ("rank", self.parts[0]), ("b", how.messages))

    def _both(self, _: None) -> dict[str, Any]:
        return {}

    def _partners(self, how: Exchange) -> dict[str, Any]:
        other = self._of_message(how.to, how)
        sizes = {"whole": how.is_whole, "count": how.messages}
        return {"needs": ("receive", "send"), "other": other, **sizes}

    def _mail(self, how: Exchange | None) -> dict[str, Any]:
        if how is None:
            return {"needs": ("mail",), "of_two": True}
        return self._partners(how) | {"needs": ("mail",), "of_two": False}

    def _weights(self, how: tuple[int, int, int, int]) -> dict[str, Any]:
        first, last, u, w = how
        group = tuple(1 << bit if 1 << bit < u else 0 for bit in range(self.p))
        block = tuple(u << bit for bit in range(w.bit_length() - 1))
        rows = (u * w).bit_length() - 1
        t = self.written(Affine(group + block, rows), ("i", w), ("rank", 1 << self.p))
        split = {"needs": ("root_of_unity",), "macro": "split_weights", "words": "weights"}
        needs = split if self.vectors else {"needs": ("root_of_unity", "weights")}
        return {**needs, "first": first, "last": last, "t": t, "u": u * w, "blocks": w}

    def _fourier(self, shape: tuple[int, ...]) -> dict[str, Any]:
        return {"needs": ("fftw",), "shape": shape}

    def _made(self, _: None) -> dict[str, Any]:
        return {}

    def _tiles(self, how: Tiles) -> dict[str, Any]:
        found = how.blocks
        ranks = self.written(Affine(how.ranks, self.m, how.c), ("rank", 1 << self.p))
        needs = ("Tiles", "span", "affine")
        return {"needs": needs, "row": 1 << found.b, "found": found, "ranks": ranks}

    def _group(self, colour: Written) -> dict[str, Any]:
        return {"color": self.written(colour, ("rank", self.parts[0]))}

    def _peers(self, how: fourier_lines.Peers) -> dict[str, Any]:
        exchange = how.exchange
        found = {
            "needs": ("parts",) if how.by_counts else (),
            "rounds": exchange.messages,
            "by_counts": how.by_counts,
            "to": self._of_message(exchange.to, exchange),
            "come_from": self._of_message(exchange.come_from, exchange),
        }
        if exchange.in_rounds or not self.way.in_turns:
            return found
        ends = (exchange.position, exchange.arrival)
        first, last = (self._of_message(end, exchange) for end in ends)
        return found | {"first": first, "last": last}


def freed(views: list[dict[str, Any]]) -> list[str]:
    """Return the lines that give back what a plan has, with its own communicator.

    >>> freed([{"macro": "mail", "name": "mail"}])[:2]
    ['if self.mail:', '    self.mail.free()']
    """
    given = [*views, {"macro": "group", "name": "own"}]
    names = {kind: [each["name"] for each in given if each["macro"] == kind] for kind in FREED}
    return [line for kind, how in FREED.items() for line in freeing(names[kind], *how)]


def freeing(names: list[str], each: str, free: str) -> list[str]:
    """Return the lines that free what has these names in a plan."""
    one = each if names[1:] else f"self.{''.join(names)}"
    lines = [f"if {one}:", f"    {one}.{free}()"]
    if names[1:]:
        lines = [f"for {each} in (self.{', self.'.join(names)}):", *(f"    {x}" for x in lines)]
    return lines * bool(names)
