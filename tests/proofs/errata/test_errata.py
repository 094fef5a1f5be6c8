"""The errata: each printed statement is refuted and each correction holds, by evaluation, and
neither passes for the other.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import takewhile

import pytest

from derive.papers.hartley_tables import printed_lines
from derive.text.expressions import size_symbols
from derive.text.parse import parse
from proofs.errata import ERRATA, bsp_tables, errata, hypercube_formulas
from proofs.errata.bsp_tables import (
    PARAMETERS,
    PREDICTED,
    RANGES_OF_L,
    TIMES_AND_RATES,
    apart,
    cost,
    ranges_of_l,
    rounded,
)
from proofs.errata.entry import KINDS, Erratum, Statement, examine
from proofs.errata.entry import PAPERS as NAMES_OF_PAPERS
from proofs.errata.fht_program import HOST_INPUT, READ, host_array, overwritten
from proofs.errata.hypercube_programs import exponent, sizes_of_programs, wrong_entry
from proofs.errata.printed_formulas import (
    evaluation_of,
    listed_sizes,
    relations,
    unfulfilled,
    values,
)
from proofs.theorems import theorems
from tests.support.commands import Command
from tests.support.paths import ROOT

PAPERS = ROOT / "docs" / "papers.md"
SHORT = dict(zip(NAMES_OF_PAPERS.values(), ("BSP", "BMMC", "hypercube", "Hartley"), strict=True))
FIELDS = [
    "name",
    "kind",
    "paper",
    "place",
    "printed",
    "reading",
    "counterexample",
    "correction",
    "verdict",
    "cause",
]


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", ERRATA)
def test_what_is_printed_is_refuted_and_the_correction_holds(name: str) -> None:
    finding = examine(ERRATA[name])
    assert finding.counterexample is not None
    assert finding.wrong is None
    assert finding.holds
    assert finding.verdict.startswith("checked")


def evaluated_by(name: str, **functions: Statement) -> Erratum:
    """Return an erratum that other functions evaluate."""
    erratum = ERRATA[name]
    return replace(erratum, evaluation=erratum.evaluation._replace(**functions))


@pytest.mark.parametrize("name", ERRATA)
def test_the_printed_statement_does_not_pass_for_its_own_correction(name: str) -> None:
    finding = examine(evaluated_by(name, stays=ERRATA[name].evaluation.fails))
    assert not finding.holds
    assert finding.verdict.startswith("refuted")


@pytest.mark.sampled(4, rest="long")
@pytest.mark.parametrize("name", [name for name in ERRATA if not name.startswith("fht-table-1")])
def test_the_correction_is_not_refuted_in_place_of_what_is_printed(name: str) -> None:
    finding = examine(evaluated_by(name, fails=ERRATA[name].evaluation.stays))
    assert finding.counterexample is None
    assert not finding.holds


AS_TEXTS = {name: entry.says for name, entry in ERRATA.items() if entry.says.sizes}


@pytest.mark.parametrize("name", AS_TEXTS)
def test_two_texts_have_the_letters_of_their_sizes_and_hold_somewhere(name: str) -> None:
    """A letter without a size would refute a text, and a condition that never holds confirm it."""
    says = AS_TEXTS[name]
    used = letters_of(says.where)
    for text in (says.printed_formula, says.corrected_formula):
        said, _, conditions = text.partition(" where ")
        used |= letters_of(said) | letters_of(conditions)
        assert any(
            unfulfilled(conditions, values(" ".join(says.sizes), sizes)) is None
            for sizes in listed_sizes(says)
        )
    assert used == {*says.sizes}


def letters_of(text: str) -> set[str]:
    """Return the letters of an equation or of relations between sizes."""
    if (found := relations(text)) is None:
        return set(parse(text).symbols)
    return {letter for a, _, b in found for letter in size_symbols(a) | size_symbols(b)}


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        ("bsp-number-of-phases", "< 2^lg_N", "< 2^lg_p"),
        ("bsp-2.8-last-phase", "AHat(2*", "AHat(4*"),
        ("bsp-1.2-index", "j*k/N", "2*j*k/N"),
        ("hypercube-blocks", "(i+1)", "(i+2)"),
        ("hypercube-6", "where M*t_calc >= t_su + 13", "where M*t_calc >= t_su + 12"),
        ("fht-appendix-host-input", "2*P*j", "2*P*j + 1"),
        ("fht-appendix-odd-nodes", "J(2) * F(2)", "F(2) * J(2)"),
    ],
)
def test_two_texts_of_which_one_is_wrong_are_no_erratum(name: str, right: str, wrong: str) -> None:
    says = AS_TEXTS[name]
    assert right in says.corrected_formula
    mutant = replace(says, corrected_formula=says.corrected_formula.replace(right, wrong))
    assert examine(Erratum(name, mutant, evaluation_of(mutant))).wrong is not None
    mutant = replace(says, printed_formula=says.corrected_formula)
    assert examine(Erratum(name, mutant, evaluation_of(mutant))).counterexample is None


@pytest.mark.parametrize(
    ("conditions", "held"), [("", 3), (" where n > 1", 2), (" where n > 5", 0)]
)
def test_a_correction_is_checked_where_its_conditions_hold(conditions: str, held: int) -> None:
    texts = {"printed_formula": "2*n = 2^n", "corrected_formula": f"2*n = n + n{conditions}"}
    says = replace(AS_TEXTS["bsp-1.2-index"], **texts, sizes={"n": [1, 2, 3]})
    finding = examine(Erratum("bsp-1.2-index", says, evaluation_of(says)))
    assert (finding.held, finding.holds) == (held, held > 0)


def test_names_say_which_paper() -> None:
    for name, entry in ERRATA.items():
        prefix = {
            "Inda & Bisseling 2000": "bsp",
            "Cormen 1997": "cormen",
            "Aykanat & Dervis": "hypercube",
            "Lin, Chan & Karplus 1988": "fht",
        }
        assert name.startswith(prefix[entry.paper] + "-")
        assert entry.name == name


def test_every_erratum_has_a_kind_and_quotes_the_paper() -> None:
    """A quotation has the letters of the recognised text, formulas in LaTeX; a reading has ours."""
    assert {entry.says.kind for entry in ERRATA.values()} == set(KINDS)
    for entry in ERRATA.values():
        assert entry.says.printed and entry.says.reading
        assert not set("⊕⊗≤≥≠αγδΓ") & set(entry.says.printed), entry.name
        assert "read as" not in entry.says.printed + entry.says.correction, entry.name


def test_what_a_reading_of_ours_alone_refutes_is_an_interpretation() -> None:
    kinds = {name: entry.says.kind for name, entry in ERRATA.items()}
    for name in ("bsp-2.6-stage", "bsp-3.9-one-processor", "hypercube-5", "fht-algorithm-1-figure"):
        assert kinds[name] == "interpretation"


def test_a_threshold_of_ours_refutes_no_paper() -> None:
    """How constant, how near ≈ and how good is very good, the papers do not say."""
    gone = ["3.8-words", "5.3-constant", "6-efficiency", "6-limits", "6-small-sizes"]
    assert not {f"bsp-{name}" for name in gone} & set(ERRATA)
    assert "hypercube-negative-overlap" not in ERRATA
    gone = ["load", "section-1-vectors", "appendix-pi", "appendix-bounds"]
    assert not {f"fht-{name}" for name in gone} & set(ERRATA)


@pytest.mark.parametrize("copy", [1, 2])
def test_quotations_of_the_hartley_tables_are_those_of_their_copies(copy: int) -> None:
    """Lines of Tables 1 of both copies are in the repository."""
    name = {1: "fht-table-1", 2: "fht-table-1-second-copy"}[copy]
    cells = {
        cell.strip().strip("$").replace(" ", "") for line in printed_lines(1, copy) for cell in line
    }
    for part in ERRATA[name].says.printed.split(" [...] "):
        assert part.replace(" ", "") in cells


def test_theorems_that_corrections_name_exist() -> None:
    assert {entry.says.theorem for entry in ERRATA.values() if entry.says.theorem} <= set(
        theorems()
    )


def test_an_erratum_about_a_model_says_so() -> None:
    """Of (5) it is the simulation that decides when a receive is pending, not the paper."""
    assert "this is about the model" in ERRATA["hypercube-5"].says.correction
    assert ERRATA["hypercube-5"].says.correction in " ".join(
        PAPERS.read_text(encoding="utf-8").split()
    )


def rows() -> list[list[str]]:
    """Return the cells of the list in the documentation."""
    lines = PAPERS.read_text(encoding="utf-8").replace("\\*", "*").splitlines()
    head = lines.index("| name | kind | place | printed | read as | correction | cause |")
    table = takewhile(lambda line: line.startswith("|"), lines[head + 2 :])
    return [line.removeprefix("| ").removesuffix(" |").split(" | ") for line in table]


def test_the_documentation_lists_every_erratum_as_it_is() -> None:
    assert rows() == [
        [
            f"`{name}`",
            entry.says.kind,
            f"{SHORT[entry.paper]}, {entry.says.place}",
            f"`{entry.says.printed}`",
            entry.says.reading,
            entry.says.correction,
            entry.says.cause,
        ]
        for name, entry in ERRATA.items()
    ]


def test_the_command_prints_what_was_found_now(nodewright: Command) -> None:
    status, out, _ = nodewright("errata", "--json", "bsp-number-of-phases", "cormen-appendix-a")
    records = json.loads(out)
    assert status == 0
    assert [list(record) for record in records] == [FIELDS, FIELDS]
    assert records[0]["counterexample"].startswith("lg_N = 1, lg_p = 0, H = 1: ")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown erratum 'bsp-9'"):
        errata(["bsp-9"])


@pytest.mark.parametrize("name", ["bsp-4.5-copies", "bsp-2.6-stage"])
def test_the_command_says_of_which_kind_an_erratum_is(nodewright: Command, name: str) -> None:
    status, out, _ = nodewright("errata", name)
    entry = ERRATA[name].says
    assert status == 0
    assert out.startswith(f"{name}  ({entry.kind}; ")
    assert f"    printed         {entry.printed}\n    read as         {entry.reading}\n" in out
    assert ("in one reading" in out) == (entry.kind == "interpretation")


def test_a_printed_number_stands_for_what_rounds_to_it() -> None:
    assert not apart(
        rounded("0.58"),
        (cost(512, 1, *(rounded(PARAMETERS[1][i])[0] for i in (0, 2))) / 34900,) * 2,
    )
    assert apart(rounded("0.58"), rounded("0.60"))
    assert all(len(row.split()) == 8 for row in PREDICTED.values())
    assert len(TIMES_AND_RATES) == 12


@pytest.mark.parametrize(("k", "rank", "i"), [(0, 0, 0), (1, 0, 1), (2, 1, 0), (2, 3, 1)])
def test_a_wrong_exponent_of_wfac_is_found(k: int, rank: int, i: int) -> None:
    """One product of one rank with another twiddle factor is seen in some entry."""
    found = 0
    for N, P, number in sizes_of_programs():
        right = exponent(number, N, P)
        asked = set()

        def wrong(*at: int) -> int:
            asked.add(at)  # noqa: B023
            return right(*at) + (at == (k, rank, i))  # noqa: B023

        refuted = wrong_entry(number, N, P, wrong) is not None
        assert refuted == ((k, rank, i) in asked), (N, P, number)
        found += refuted
    assert found


def test_a_fall_of_the_rates_that_2_butterflies_explain_is_not_the_correction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It falls by 17 to 20 %, and the 2-butterflies are 3 % of the flops at most."""
    monkeypatch.setitem(bsp_tables.TIMES_AND_RATES, 128, ("0.08", "55.5"))
    assert examine(ERRATA["bsp-table-2-prose"]).wrong == "N = 128: 2.5 % less, 2.5 % of the flops"


@pytest.mark.parametrize(
    ("name", "counterexample"),
    [
        (
            "hypercube-block-size",
            "N = 2, k = 0: B(N/2^(k+1)) at N = 2, k = 0: 1 is not divisible by 2",
        ),
        (
            "hypercube-fragmented",
            (
                "N = 2, P = 2, k = 0: stage 0 is of the second loop, points 0 and 1 are on"
                " processors 0 and 1"
            ),
        ),
        (
            "bsp-radix-4-butterfly",
            (
                "K = 4: w^0, w^0, w^1, w^1 on the diagonal of Q B Q^T, on that of D_K w^0, w^1,"
                " w^2, w^2"
            ),
        ),
        (
            "bsp-2.6-stage",
            "N = 4, p = 2, u = 2, k = 2: entry (0, 1) is 0 on the left and 1 on the right of"
            " Gamma(u,p,N) * A(k,N) * inv(Gamma(u,p,N)) = I(p/u) (x) ButterflySum(k,N/p,u)",
        ),
        ("bsp-5.3-one-to-two", "N = 16384: E = 0.999, 0.875 for p = 1, 2"),
        ("hypercube-overlap-range", "P = 2: 64*1024/(2*P) > 16*1024 is false: 16384 and 16384"),
        (
            "fht-appendix-host-input",
            "N = 2, P = 1: perm(e < 2, j < 1, e*2*1): 0 and 1 both go to 0: a permutation takes no"
            " two elements to one place",
        ),
        (
            "cormen-appendix-a-line-13",
            "rows = 2, columns = 4: A = (0, 1, 1, 3): A_1 is not the sum of the columns [2, 3]",
        ),
        ("cormen-appendix-c-all", "N = 2: all 2 permutations are BMMC"),
        (
            "fht-appendix-types",
            "P = 32: node 16: type 60 from node 20 in stage 4 and from node 0 in stage 6",
        ),
        ("fht-appendix-host-overwrites", "reading = 1, N = 2, P = 1: a[0] = 0, the data has 2"),
        (
            "hypercube-program-index",
            ("N/P = 8: Prog. 4 is not better than Prog. 3, in section 4 it is for N/P ≥ 8192"),
        ),
        (
            "hypercube-fewer-points",
            "N = 2, P = 2: N/P/2 = 1/2 at N = 2, P = 2: the sizes in I(N/P/2) are integers, at"
            " least 1",
        ),
        (
            "hypercube-wfac-index",
            "N = 4, P = 1, program = 1: with each of w^0, ..., w^3 as Wfac it is not F_4; with w^0"
            " entry (1, 1) is w^0, not w^1",
        ),
        (
            "cormen-4-5-source-bits",
            "n = 2, p = 1, c = 0, permutation = 0: wrong for 2 of 4 elements: x = 2 goes to"
            " processor 0, by (4) to 1",
        ),
        ("bsp-table-2-prose", "N = 128: 47.3 Mflop/s, after 56.9 for N = 64"),
        ("bsp-6-one-third", "N = 8, p = 4: 1/3 of the permutations, not 1/2: H = 3"),
    ],
)
def test_the_smallest_counterexample_is_found(name: str, counterexample: str) -> None:
    assert examine(ERRATA[name]).counterexample == counterexample


def test_no_l_on_64_processors_explains_both_tables() -> None:
    """On fewer processors the printed l does; the two errata say the same of 64."""
    (low, high), (least, most) = ranges_of_l(64)
    assert ((low, high), (least, most)) == RANGES_OF_L and most < low
    for name in ("bsp-table-3-predicted", "bsp-table-4-l"):
        assert (
            f"No l fits both tables: Table 3 wants {low} to {high}, the 110.88 μs of Table 4 want"
            f" {least} to {most}" in ERRATA[name].says.correction
        )
    for p in (1, 2, 4, 8, 16, 32):
        (low, high), (least, most) = ranges_of_l(p)
        assert max(low, least) <= int(PARAMETERS[p][2]) <= min(high, most)


def test_each_reading_of_the_host_program_has_another_input_than_the_data() -> None:
    """As printed the second copy reads nothing; with its comment closed it transforms ones."""
    assert [host_array(text, [7, 8, 9, 10], 2) for text in HOST_INPUT.values()] == [
        [0, 1, 9, 10],
        [0, 0, 0, 0],
        [1, 1, 1, 1],
    ]


@pytest.mark.parametrize(
    "mutant",
    [
        READ.replace("npoint", "nproc"),
        f"{READ} for (i= 0; i< nproc; i++) a[i]= i;",
        f"/* {READ} */",
    ],
)
def test_a_host_program_that_does_not_read_all_is_refused(mutant: str) -> None:
    assert overwritten(READ, 8, 2) is None
    assert overwritten(mutant, 8, 2) is not None


@pytest.mark.parametrize("pair", [pair for pair in hypercube_formulas.BETTER if pair != ("3", "2")])
def test_other_figures_of_section_4_refute_the_order_of_the_programs(
    monkeypatch: pytest.MonkeyPatch, pair: tuple[str, str]
) -> None:
    erratum = ERRATA["hypercube-program-index"]
    monkeypatch.setitem(hypercube_formulas.BETTER, pair, 2 * hypercube_formulas.BETTER[pair])
    assert examine(erratum).wrong is not None
    for every in hypercube_formulas.BETTER:
        monkeypatch.setitem(hypercube_formulas.BETTER, every, 0)
    assert examine(erratum).counterexample is None
