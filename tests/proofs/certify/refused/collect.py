"""Collects what the certifier refuses in its own tests, and writes it as data beside this file.

python -m tests.proofs.certify.refused.collect FOLDER [PYTEST OPTIONS, TESTS ...]

The tests are run with a recorder in place of the certifier: it takes down each program that one of
them tries, and skips the rest of the test. Then each program is decided once. FOLDER keeps what is
done, so that the command can be given again. The data are an oracle for another certifier: they
were collected from the one that executes programs, and are not to be collected from its successor.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from codegen.emit import text as emission
from codegen.mpi.faults import NotModelled
from codegen.spec import Spec
from derive.verdict import Refuted
from proofs.certify.certificate import all_hold
from proofs.certify.checks import suite
from tests.mutation.kill import CASES, mutants_of, sample
from tests.support import in_process
from tests.support.refused import FOLDER, HOLDS, REFUTED, UNDECIDED, as_request, edited, emitted

SECONDS = 60
"""Processor time that a program is given."""
MUTANTS = {"numba": 5, "gray": 5}
"""Mutants of each program of the kill table, by its kernels; of others so many:"""
MOST_MUTANTS = 14
LONGEST_REASON = 120
LIKE = 0.5
"""A program with a smaller share of an emitted one's lines is kept as it is."""


class Recorder:
    """Takes down programs, each with the test that tries it, and the requests of emitted ones."""

    def __init__(self) -> None:
        self.tests: dict[str, str] = {}
        self.specs: dict[str, Spec] = {}
        self.test = ""
        own = emission.emit

        def emit(spec: Spec) -> str:
            self.specs[made := own(spec)] = spec
            return made

        emission.emit = emit
        suite.tried = lambda name, source, *_, **__: self.take(source)
        in_process.once = in_process.workers_of = self.take

    def take(self, source: str) -> Any:
        """Take a program down."""
        self.tests.setdefault(source, self.test)
        pytest.skip("taken down")

    def pytest_runtest_setup(self, item: Any) -> None:
        """Note which test runs."""
        self.test = item.nodeid


def recorded(words: list[str]) -> tuple[dict[str, str], dict[str, Spec]]:
    """Return programs with their tests, and requests of emitted ones, mutants among them."""
    recorder = Recorder()
    pytest.main([*words, "-q", "--tb=no", "-p", "no:cacheprovider"], plugins=[recorder])
    for cases in CASES.values():
        for case in cases():
            recorder.specs[case.text] = case.spec
            most = MUTANTS.get(case.spec.kernels, MOST_MUTANTS)
            for mutant in sample(mutants_of(case), most):
                name = f"tests/mutation/kill.py::{case.system}, {case.name}[{mutant}]"
                recorder.tests.setdefault(mutant.text, name)
    return recorder.tests, recorder.specs


class TimeUp(BaseException):
    """A program has used up its time."""


def fate_of(source: str) -> tuple[str, str, str]:
    """Return what becomes of a program: its fate, the verdict that refuses it, and why."""
    try:
        verdicts = suite.tried("prog.py", source, 0).verdicts
    except (NotModelled, ValueError, MemoryError) as error:
        return UNDECIDED, "", str(error)
    except TimeUp:
        return UNDECIDED, "", "too slow"
    for name, verdict in verdicts.items():
        if isinstance(verdict, Refuted):
            return REFUTED, name, verdict.counterexample
    left = next((name for name, verdict in verdicts.items() if not verdict.holds), "")
    return (HOLDS if all_hold(verdicts) else UNDECIDED), left, ""


def decided(sources: Iterable[str], kept: Path) -> dict[str, tuple[str, str, str]]:
    """Return the fates of programs by their digests; those that are in a file are taken from it."""
    rows = kept.read_text("utf-8").splitlines() if kept.exists() else []
    found = {key: tuple(fate) for key, *fate in map(json.loads, rows)}

    def stop(*_: Any) -> None:
        raise TimeUp

    signal.signal(signal.SIGPROF, stop)
    suite.Workers = in_process.InProcess
    with kept.open("a") as file:
        for source in sources:
            if (key := digest(source)) not in found:
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                found[key] = fate_of(source)
                signal.setitimer(signal.ITIMER_PROF, 0)
                print(json.dumps([key, *found[key]]), file=file, flush=True)
    return found


def digest(source: str) -> str:
    """Return a short digest of a program."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def form_of(source: str, bases: dict[str, tuple[Spec, frozenset[str]]]) -> dict[str, Any]:
    """Return a program as a request with edits, or as it is."""
    lines, whole = frozenset(source.splitlines()), {"source": source}
    title = source.partition("\n")[0]
    alike = [each for each in bases if each.startswith(title)] or list(bases)
    base = max(alike, key=lambda each: len(lines & bases[each][1]) / len(lines | bases[each][1]))
    spec, known = bases[base]
    request = request_for(base, spec)
    edits = edits_of(base, source) if request and len(lines & known) > LIKE * len(known) else None
    if edits is None:
        return whole
    found = {"request": request, "edits": edits}
    return min(found, whole, key=lambda each: len(json.dumps(each)))


@cache
def request_for(source: str, spec: Spec) -> dict[str, Any] | None:
    """Return the request that makes an emitted program; None if what is written makes another."""
    try:
        request = as_request(spec)
        return request if emitted(json.dumps(request)) == source else None
    except (ValueError, TypeError, OSError):
        return None


def edits_of(base: str, source: str) -> list[list[str]] | None:
    """Return changes from one text to another, each at a place that is found once; None: no way."""
    old, new = base.splitlines(keepends=True), source.splitlines(keepends=True)
    spans: list[list[int]] = []
    for tag, i, k, j, m in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if tag != "equal":
            while base.count("".join(old[i:k])) != 1 or i == k:
                if i == 0 and k == len(old):
                    return None
                i, j = max(i - 1, 0), max(j - 1, 0)
                k, m = min(k + 1, len(old)), min(m + 1, len(new))
            if spans and i <= spans[-1][1]:
                spans[-1][1], spans[-1][3] = k, m
            else:
                spans.append([i, k, j, m])
    pairs = [("".join(old[i:k]), "".join(new[j:m])) for i, k, j, m in spans]
    edits = [_narrow(base, *pair) for pair in pairs]
    try:
        return edits if edited(base, edits) == source else None
    except ValueError:
        return None


def _narrow(base: str, before: str, after: str) -> list[str]:
    """Return a change without what both texts begin and end with, as far as it is found once."""
    begin = _shared(before, after)
    while begin and base.count(before[begin:]) != 1:
        begin = before.rfind(" ", 0, begin) if " " in before[:begin] else 0
    before, after = before[begin:], after[begin:]
    end = _shared(before[::-1], after[::-1])
    while end and base.count(before[: len(before) - end]) != 1:
        end -= 1
    return [before[: len(before) - end], after[: len(after) - end]]


def _shared(one: str, other: str) -> int:
    """Return how many letters two texts begin with alike."""
    most = min(len(one), len(other))
    return next((i for i in range(most) if one[i] != other[i]), most)


def entries(
    tests: dict[str, str], specs: dict[str, Spec], fates: dict[str, tuple[str, str, str]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the family of each program, and what is written of it."""
    bases = {made: (spec, frozenset(made.splitlines())) for made, spec in specs.items()}
    for source, test in tests.items():
        fate, verdict, reason = fates[digest(source)]
        file, _, name = test.partition("::")
        first = (reason.splitlines() or [""])[0]
        short = first if len(first) <= LONGEST_REASON else f"{first[: LONGEST_REASON - 3]}..."
        said = {"test": name, "fate": fate, "verdict": verdict, "reason": short}
        yield Path(file).stem, {**said, **form_of(source, bases)}


def write(found: Iterable[tuple[str, dict[str, Any]]], folder: Path = FOLDER) -> None:
    """Write a file for each family, with an entry on each line."""
    families = defaultdict(list)
    for family, entry in found:
        families[family.removeprefix("test_")].append(entry)
    for family, some in families.items():
        some.sort(key=lambda entry: str(entry["test"]))
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in some)
        (folder / f"{family}.json").write_text(f"[\n{lines}\n]\n", "utf-8")


def main(folder: Path, words: list[str]) -> None:
    """Collect what these tests try, and write it."""
    certifier: Callable[..., Any] = suite.tried
    tests, specs = recorded(words)
    suite.tried = certifier
    write(entries(tests, specs, decided(tests, folder / "fates.jsonl")))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
