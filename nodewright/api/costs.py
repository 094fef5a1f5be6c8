"""The counted cost of a program, beside the least that any program sends, and its time on a
machine.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from codegen.cost import bsp_cost
from codegen.cost import counted as costs
from codegen.cost import hypercube_times as hypercube
from codegen.cost.array_bounds import LONGEST
from codegen.cost.bounds import Bound, bound
from codegen.cost.documented import Documented, documented
from codegen.cost.hypercube_times import Network
from codegen.cost.matrix_ranks import EXACTLY_UP_TO
from codegen.program.supersteps import Program
from codegen.shapes import said
from codegen.systems.exchanges import OnNodes
from codegen.systems.record import Request
from derive.call_arguments import counted, named, path
from derive.papers.bsp_phases import powers_of_two
from derive.show import html
from nodewright.machine import TIMES, is_network, packaged, read_machine, read_network

HYPERCUBE = Path("ipsc2.toml")
"""The hypercube of predictions where none is stated, one that comes with nodewright."""
TARGETS = (0.5, 0.9)
"""Efficiencies that section 5.3 calls reasonable and good."""


@dataclass(frozen=True, repr=False)
class ProgramCost:
    """The counted cost of a program, a lower bound on its words, and its time on a machine.

    `Program.cost` returns it. A word is an element. All counts are the maximum over the ranks.

    Attributes:
        request: the system, sizes, layouts and options.
        counted: the counts as one object.
        least: lower bounds on the words and messages of any program; `words` or `messages` is None
            if no bound is known.
        machine: the machine of `seconds`: v in flop/s, g and l in flops, or a hypercube.
        predictions: a dict for each of 1, 2, 4, .., P ranks, by (3.9) for fft and by (2) to (7) for
            hypercube-fft; None unless requested.

    References:
        Inda & Bisseling (2000), equation (3.9); Aykanat & Dervis, equations (2) to (7).

    Examples:
        >>> import nodewright as nw
        >>> cost = nw.fft(1024, 4).cost()
        >>> cost.exchanges, cost.messages, cost.words, cost.flops, cost.least.words
        (3, 9, 576, 14336, 256)
        >>> bsp = cost.machine
        >>> cost.seconds == (cost.flops + cost.words * bsp.g + cost.exchanges * bsp.l) / bsp.v
        True
    """

    request: Request
    counted: costs.Cost
    least: Bound
    machine: costs.Machine | Network
    predictions: tuple[dict[str, Any], ...] | None = None

    @property
    def others(self) -> tuple[Documented, ...]:
        """The words that other libraries send for the array, as they are documented."""
        return documented(self.request)

    @property
    def without_bound(self) -> str:
        """The reason why no lower bound on words is known; "" if one is known, or if P = 1."""
        if self.least.words is not None or self.request.P == 1:
            return ""
        axis = max(self.request.whole)
        if not self.request.record.bounded:
            why = "none is known for real input"
        elif self.request.shape and axis > LONGEST:
            why = f"it is computed for axes up to {LONGEST}; got an axis of {axis}"
        elif self.request.shape:
            why = "a rank's indices along an axis have no constant step"
        else:
            why = f"it has no closed form here and is computed up to N = {EXACTLY_UP_TO}"
        return f"No lower bound on words: {why}."

    @property
    def on_nodes(self) -> OnNodes:
        """The costs of `exchange="node-aware"`, a dict for each number of ranks per node.

        `messages` and `words` are those that a rank sends to other nodes, `loads` the elements that
        it reads from other ranks of its own node.
        """
        return self.request.way.on_nodes(self.request.N, self.request.P, self.exchanges)

    @property
    def exchanges(self) -> int:
        """The number of exchanges (communication supersteps)."""
        return self.counted.exchanges

    @property
    def messages(self) -> int:
        """The most messages that any rank sends to others."""
        return self.counted.messages

    @property
    def words(self) -> int:
        """The most elements that any rank sends to others."""
        return self.counted.words

    @property
    def flops(self) -> int:
        """The most floating-point operations of any rank."""
        return self.counted.flops

    @property
    def seconds(self) -> float:
        """The time in seconds: (flops + words g + exchanges l)/v, or (2) to (7) of a hypercube."""
        if isinstance(self.machine, Network):
            return hypercube.seconds(
                self.request.scheme, self.request.N, self.request.P, self.machine
            )
        return self.machine.seconds(self.counted)

    @property
    def figures(self) -> dict[str, Any]:
        """A dict of the counts and the seconds."""
        return {**asdict(self.counted), "seconds": self.seconds}

    @property
    def _said(self) -> dict[str, object]:
        """The counted figures, the least that any program sends, and the time, in words."""
        least = {f"least {name}": n for name, n in asdict(self.least).items() if n is not None}
        time = {"seconds": f"{self.seconds:.3g}", "machine": self.machine.name}
        return {**asdict(self.counted), **least, **time}

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {value}" for name, value in self._said.items())
        return (
            f"<cost of {self.request.system}, N = {self.request.N}, P = {self.request.P}: {said}>"
        )

    def _repr_html_(self) -> str:
        """Return the cost as a notebook shows it."""
        ranks = counted(self.request.P, "rank")
        title = f"{self.request.system}, N = {self.request.N} on P = {ranks}"
        return html.fragment(html.bold(title), html.named(self._said))

    def to_dict(self) -> dict[str, Any]:
        """Return the cost as `nodewright cost --json` prints it."""
        machine = asdict(self.machine)
        machine.pop("processors", None)
        return {
            "system": self.request.system,
            "size": self.request.N,
            "ranks": self.request.P,
            **self.figures,
            "least": asdict(self.least),
            "machine": machine,
            **({"others": [asdict(each) for each in self.others]} if self.others else {}),
            **({"nodes": [*self.on_nodes]} if self.on_nodes else {}),
            **({} if self.predictions is None else {"predictions": [*self.predictions]}),
        }


def cost_of(
    program: Program,
    machine: costs.Machine | Network | str | Path | None = None,
    predict: bool = False,
) -> ProgramCost:
    """Return what a program costs on a machine, or on the one that a TOML file states.

    It is a BSP machine, or for hypercube-fft a hypercube, by default that of ipsc2.toml.

    Raises ValueError where the file states none, and for predictions of what no model is about.

    >>> from codegen.requests import make_request
    >>> from codegen.program.resolve import resolve
    >>> cost_of(resolve(make_request("fft", 1024, 4, "cyclic", "cyclic"))).words
    192
    """
    request, found = program.request, (costs.count(program), bound(program))
    stated = _stated(machine)
    if stated is None and predict and request.record.is_on_hypercube:
        stated = read_network(packaged(HYPERCUBE))
    if isinstance(stated, Network):
        if not request.record.is_on_hypercube:
            raise ValueError(f"{request.system} on {stated.name}: a hypercube is for hypercube-fft")
        return ProgramCost(
            request, *found, stated, _on_hypercube(request, stated) if predict else None
        )
    if predict and request.record.is_on_hypercube:
        raise ValueError(
            f"{named('predict')} of hypercube-fft is by (2) to (7) of Aykanat & Dervis: the machine"
            f" states {', '.join(TIMES)} and alpha, as {HYPERCUBE} does"
        )
    used = stated or costs.EXAMPLE_MACHINE
    predictions = _predictions(request, used) if predict else None
    return ProgramCost(request, *found, used.at(request.P), predictions)


def _stated(machine: costs.Machine | Network | str | Path | None) -> costs.Machine | Network | None:
    """Return a machine, the one that a file states, or None where nothing is stated."""
    if machine is None or isinstance(machine, costs.Machine | Network):
        return machine
    file = packaged(path(machine))
    return read_network(file) if is_network(file) else read_machine(file)


def _on_hypercube(request: Request, net: Network) -> tuple[dict[str, Any], ...]:
    """Return what (2) to (7) say for 1, 2, 4, .., P ranks."""
    sizes = (request.scheme, request.N)
    return tuple(asdict(hypercube.predict(*sizes, P, net)) for P in powers_of_two(1, request.P))


def machine_of(machine: costs.Machine | str | Path | None) -> costs.Machine:
    """Return a machine, or the one that a TOML file states; the example where there is none.

    Raises ValueError where the file states none.

    >>> machine_of(None).name
    'two cores sharing memory (example)'
    """
    if isinstance(machine, costs.Machine):
        return machine
    if machine is None:
        return costs.EXAMPLE_MACHINE
    return read_machine(packaged(path(machine)))


def _predictions(request: Request, machine: costs.Machine) -> tuple[dict[str, Any], ...]:
    """Return what (3.9) says for 1, 2, 4, .., P ranks, and the N/P from which efficiencies are
    reached; raise ValueError for what it is not about.
    """
    asked = (
        [request.system] * (not request.record.is_bsp)
        + [named("phases", request.phases)] * bool(request.phases)
        + [f"size {said(request.shape, request.N)}"] * bool(request.shape)
        + [name for name in (request.input, request.output) if name.startswith("bmmc:")]
    )
    if asked:
        raise ValueError(
            f"{asked[0]}: {named('predict')} supports fft on powers of two with the default phases"
            " (3.9), and hypercube-fft (2) to (7)"
        )
    N, layouts = request.N, (request.input, request.output)
    ranks = (P for P in powers_of_two(1, request.P) if bsp_cost.exist(N, P, *layouts))
    return tuple(_prediction(N, P, machine, layouts) for P in ranks)


def _prediction(N: int, P: int, machine: costs.Machine, layouts: tuple[str, str]) -> dict[str, Any]:
    made = bsp_cost.predict(N, P, machine, *layouts)
    return {
        "ranks": P,
        "seconds": made.seconds,
        "flop_rate": made.rate,
        "efficiency": made.efficiency,
        "enough": {f"{each}": bsp_cost.enough(each, P, machine, *layouts) for each in TARGETS},
    }
