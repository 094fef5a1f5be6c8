"""Proofs as documents: every theorem's chain of equalities in LaTeX and HTML, and the statement
that is printed against the paper's formula.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from derive.exact.action import act
from derive.exact.residues import Residues
from derive.fields import RootField
from derive.formula.latex import aligned
from derive.papers import bsp as papers
from derive.text.elaborate import equation as written
from derive.text.parse import parse
from derive.text.text_latex import in_letters
from proofs.kernel.kernel_rules import RULES, Thm
from proofs.kernel.numbers import Poly, Real, nat, size
from proofs.kernel.sealed import Refused
from proofs.kernel.terms import F, Pi
from proofs.lemmas import fourier_stages, hartley_stages
from proofs.replay import certificate_steps
from proofs.show.document import document
from proofs.show.kernel_chains import IN_WORDS, OF_INDUCTION, REASONS, plain, read
from proofs.show.markup import FORMULA, HTML, LATEX_OF, WORDS, marked, mathml
from proofs.show.path_sum_text import SAME, chain_of_entries
from proofs.theorems import Theorem, theorems
from proofs.theorems.by_blocks import BlockTheorem, block_theorems
from proofs.theorems.letters import abbreviating, definitions, letter
from proofs.theorems.notation import equation, polynomial, shown
from tests.mutation.dense import Field, dense, prime, products, root_of_unity
from tests.mutation.wrong_statements import changes
from tests.support.commands import Command

pytestmark = pytest.mark.sampled(8)

KNOWN: dict[str, Theorem | BlockTheorem] = {**theorems(), **block_theorems()}
NAMES = sorted(KNOWN)


@cache
def tex(name: str) -> str:
    return document([KNOWN[name]], latex=True)


@cache
def html(name: str) -> str:
    return document([KNOWN[name]], latex=False)


class Tags(HTMLParser):
    """Refuses tags that do not nest; keeps the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        links = [value or "" for name, value in attrs if name in ("src", "href")]
        assert all(link.startswith("#") for link in links), "the document is to need no other file"
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def faults(text: str) -> list[str]:
    """Return what is wrong with the structure of a LaTeX text: characters, braces, dollars,
    environments, commands, what is not escaped.
    """
    found = [f"{c!r} is not ASCII" for c in sorted(set(text)) if ord(c) > 127]
    for number, line in enumerate(text.splitlines(), 1):
        bare = re.sub(r"\\[\\{}$&%#_]", "", line)
        if bare.count("{") != bare.count("}") or bare.count("$") % 2:
            found.append(f"line {number}: braces or dollars do not pair")
        depth = least = 0
        for c in bare:
            depth += (c == "{") - (c == "}")
            least = min(least, depth)
        if least < 0:
            found.append(f"line {number}: a brace closes before it opens")
        for i, part in enumerate(bare.split("$")):
            if i % 2 == 0 and re.search(r"[_^&%]", part) and not part.startswith(r"\newcommand"):
                found.append(f"line {number}: {part!r} is mathematics among words")
            if i % 2 and (
                re.search(r"[&%#]", part)
                or re.search(r"[_^](?![\w{])", part)
                or re.search(r"[_^]\w[_^]\w?[_^]", part)
            ):
                found.append(f"line {number}: {part!r} is no formula")
    opened = re.findall(r"\\begin\{(\w+)\}", text)
    if sorted(opened) != sorted(re.findall(r"\\end\{(\w+)\}", text)) or "document" not in opened:
        found.append("environments do not pair")
    commands = {
        "bar",
        "hat",
        "s",
        "step",
        "hangindent",
        "footnotesize",
        "newtheorem",
        "setcounter",
        "frac",
        "oplus",
        "operatorname",
        "mathrm",
        "mathsf",
        "mathbb",
        "overline",
        "times",
        "sqrt",
        "documentclass",
        "usepackage",
        "begin",
        "end",
        "setlength",
        "newcommand",
        "parindent",
        "parskip",
        "par",
    }
    commands |= {
        "leftskip",
        "itshape",
        "allowbreak",
        "sloppy",
        "raggedright",
        "exp",
        "pi",
        "le",
        "ldots",
        "section",
        "subsection",
        "quad",
        "textbf",
    }
    commands |= {"item", "ensuremath", "alpha", "textsubscript", "textsuperscript"} | {
        one.strip("\\") for one in LATEX_OF.values() if one[0] == "\\"
    }
    found += [
        f"\\{command} is unknown" for command in set(re.findall(r"\\([a-zA-Z]+)", text)) - commands
    ]
    return found


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_every_theorem_is_a_latex_document(name: str) -> None:
    assert faults(tex(name)) == []
    assert tex(name).startswith(r"\documentclass") and tex(name).endswith("\\end{document}\n")


@pytest.mark.parametrize(
    "damaged",
    ["$x^{2$", "a_b", "100%", "$x", "}{", r"\undefined", "é", r"\begin{itemize}", "$a & b$", "a^2"],
)
def test_a_damaged_latex_text_is_seen(damaged: str) -> None:
    body, _, end = tex("cooley-tukey").rpartition("\\end{document}")
    assert faults(body + end) and faults(f"{body}{damaged}\n\\end{{document}}\n")


def too_wide(text: str, folder: Path) -> list[float]:
    """Compile a LaTeX document; return by how many points its lines are too wide."""
    (folder / "text.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "text.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0 and (folder / "text.pdf").exists()
    log = (folder / "text.log").read_text(encoding="utf-8", errors="replace")
    return [*map(float, re.findall(r"Overfull \\hbox \((\d+\.\d+)pt", log))]


@pytest.mark.long
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles_and_stays_on_the_page(tmp_path: Path) -> None:
    margin = 56.9  # 2 cm in points
    assert max(too_wide(document(list(KNOWN.values()), latex=True), tmp_path)) < margin


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize(("N", "P"), [(16, 4), (1024, 256)])
def test_equations_as_latex_are_no_wider_than_the_text(tmp_path: Path, N: int, P: int) -> None:
    begin, end = r"\documentclass{article}\usepackage{amsmath}\begin{document}", r"\end{document}"
    assert too_wide(f"{begin}\n{aligned(papers.equations(N, P))}\n{end}", tmp_path) == []


def test_formulas_in_headings_are_mathematics() -> None:
    headings = re.findall(r"^\\par\\textbf\{(.*)\}$", tex("bsp-1.6"), re.MULTILINE)
    assert any("by the assumption $R_{2^{n}}" in heading for heading in headings)
    assert not any(r"\textsubscript" in heading for heading in headings)


@pytest.mark.sampled(6, rest="long")
@pytest.mark.parametrize("name", NAMES)
def test_every_theorem_is_an_html_document_of_its_own(name: str) -> None:
    found = Tags()
    found.feed(html(name))
    assert not found.open and {"dl", "dt", "dd", "sub"} & found.seen
    assert f"{name}\n" in found.text and "<script" not in html(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_statement_is_the_kernels_and_every_step_has_a_reason(name: str) -> None:
    theorem = KNOWN[name]
    shown = [equation(part) if isinstance(part, Thm) else str(part) for part in theorem.prove()]
    found = read(theorem).arguments
    assert [argument.statement for argument in found[: len(shown)]] == shown
    stands = (
        [f"{name} = {value}" for name, value in theorem.letters()]
        if isinstance(theorem, BlockTheorem)
        else []
    )
    given = ", ".join(theorem.assumed()) if isinstance(theorem, BlockTheorem) else ""
    assert theorem.verdict().statement == f"{given} ⊢ " * bool(given) + "; ".join([*shown, *stands])
    for statement in shown:
        in_html = mathml(statement) if isinstance(theorem, Theorem) else marked(statement, HTML)
        assert in_html in html(name)
        assert marked(statement, FORMULA if isinstance(theorem, Theorem) else WORDS) in tex(name)
    for argument in found:
        assert argument.chains and all(chain.steps for chain in argument.chains)
        assert all(
            step.reason and step.formula for chain in argument.chains for step in chain.steps
        )
    titles = [argument.title for argument in found[len(shown) :]]
    reasons = " ".join(
        step.reason for argument in found for chain in argument.chains for step in chain.steps
    )
    assert titles == [f"Lemma {i}" for i in range(1, len(titles) + 1)]
    assert {int(number) for number in re.findall(r"Lemma (\d+)", reasons)} == set(
        range(1, len(titles) + 1)
    )


@pytest.mark.parametrize(
    ("phase", "latex"),
    [
        (Poly.of(1) / 2 ** nat("n"), "2^{-n}"),
        (Poly.of(Fraction(1, 256)) / 2 ** nat("n"), "2^{-n - 8}"),
        (Poly.of(Fraction(-3, 2)) / 2 ** (nat("n") + 1), "-3 2^{-n - 2}"),
        (Poly.of(Fraction(3, 10)) * 2 ** nat("n") / 3 ** nat("n"), "1/5 2^{n - 1} 3^{-n + 1}"),
        (Poly.of(-1) * size("r"), "-r"),
        (Poly.of(Fraction(1, 2)) * size("r"), "1/2 r"),
        (Poly.of(-1), "-1"),
    ],
)
def test_numbers_join_the_powers_of_their_primes(phase: Poly, latex: str) -> None:
    assert polynomial(phase) == latex


@pytest.mark.parametrize("name", sorted(theorems()))
def test_no_exponent_has_a_factor_of_one(name: str) -> None:
    for part in theorems()[name].prove():
        assert not re.search(r"(?<!-)\b1 [a-z]|\d 2\^\{-", equation(part))


def test_every_rule_of_the_kernel_is_said_in_words() -> None:
    assert IN_WORDS.keys() == RULES.keys() and REASONS.keys() <= RULES.keys()


def ends(name: str) -> list[tuple[str, str]]:
    chains = [
        argument.chains[0]
        for argument in read(KNOWN[name]).arguments
        if not argument.title.startswith("Lemma")
    ]
    return [(chain.start, chain.steps[-1].formula) for chain in chains]


@pytest.mark.parametrize(
    "name", ["cooley-tukey", "bsp-1.6", "bsp-2.8", "hypercube-prog-3", "bsp-1.12"]
)
def test_a_chain_leads_from_the_left_side_to_the_right_one(name: str) -> None:
    for (start, end), part in zip(ends(name), theorems()[name].prove(), strict=True):
        assert (start, end) == tuple(
            shown(plain(side), abbreviating(set())) for side in (part.left, part.right)
        )


@pytest.mark.long
def test_no_chain_says_that_a_formula_is_itself() -> None:
    """Neither in the middle of a chain nor at its beginning."""
    for known in KNOWN.values():
        for argument in read(known).arguments:
            for chain in argument.chains:
                lines = [chain.start, *(step.formula for step in chain.steps)]
                same = [line for line, after in pairwise(lines) if line == after]
                assert not same or chain.steps[-1].reason in ("the same, in one form", SAME), (
                    known.name,
                    same,
                )


def test_a_letter_is_what_it_stands_for() -> None:
    """Each definition is the kernel's own term; a letter is not written for another term."""
    h, n = size("h"), nat("n")
    for alpha in (0, Poly.of(Real("alpha")), Poly.of(Fraction(1, 3))):
        found = letter(fourier_stages.butterfly(h, Poly.of(alpha), -1))
        assert found is not None and (found.kind, found.sizes, found.alpha, found.sign) == (
            "B",
            (h * 2,),
            Poly.of(alpha),
            -1,
        )
    assert (
        letter(fourier_stages.reversal(n))
        and letter(fourier_stages.stages(n))
        and letter(fourier_stages.twiddle(h, size("r"), -1))
        and letter(hartley_stages.hartley(h))
    )
    for _, other in [
        *changes(fourier_stages.butterfly(h)),
        *changes(fourier_stages.reversal(n)),
        *changes(fourier_stages.stages(n)),
        *changes(hartley_stages.butterfly(h)),
    ]:
        assert letter(other) is None or letter(other) != letter(fourier_stages.butterfly(h))
        if isinstance(other, Pi):
            assert letter(other) is None or letter(other).sign == -1  # type: ignore[union-attr]
    used: set[str] = set()
    shown(fourier_stages.reversal(n), abbreviating(used))
    assert used == {"P"} and definitions()["P"].startswith("P_{2^{n}} = ∏")


def test_the_blocks_of_a_chain_end_in_zero() -> None:
    for name in block_theorems():
        for argument in read(KNOWN[name]).arguments:
            assert all(
                chain.steps[-1].formula == "0"
                for chain in argument.chains
                if chain.heading.endswith("= 0")
            )


# Path sums


def as_python(text: str) -> str:
    """Return an expression of a path sum as one of Python; numbers are fractions."""
    text = (
        re.sub(r"_\{(\d+)\}", r"\1", text)
        .replace("^{", "**(")
        .replace("}", ")")
        .replace("^-1", "**-1")
    )
    text = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", text)
    return re.sub(r"(?<![\w])(\d+)", r"Fraction(\1)", text)


def summands(text: str) -> list[str]:
    """Return what stands between the pluses and minuses outside of all brackets."""
    found, depth = [""], 0
    for i, x in enumerate(text):
        depth += (x in "({[") - (x in ")}]")
        if depth == 0 and x in "+-" and text[i - 1 : i] == " ":
            found.append(x if x == "-" else "")
        else:
            found[-1] += x
    return [one.strip() for one in found if one.strip()]


def residue(x: Fraction, q: int) -> int:
    return x.numerator * pow(x.denominator, -1, q) % q


def entry_of(text: str, at: dict[str, Any], field: Field) -> int:
    """Return the value of a printed entry over GF(q)."""
    q, total = field.q, 0
    for one in summands(text):
        phase = one[one.index("w^{") + 3 : -1] if "w^{" in one else "0"
        before = one.partition("w^{")[0]
        sums = re.findall(r"∑_\{(z(?:_\{\d+\})?) < ([^ ]*)\}", before)
        equalities = re.findall(r"([jk](?:_\{\d+\})?) = ([jk](?:_\{\d+\})?)", before)
        factor = as_python(re.sub(r"∑_\{.*\}|\[.*\]", "", before).strip().replace("- ", "-") or "1")
        factor = {"-": "-1"}.get(factor, factor)
        if any(eval(as_python(f"{a} - {b}"), None, at) for a, b in equalities):
            continue
        real, both = (Fraction(eval(factor, None, at | {"i": i})) for i in (0, 1))
        for values in product(*(range(at[bound]) for _, bound in sums)):
            digits = {as_python(x): v for (x, _), v in zip(sums, values, strict=True)}
            turns = Fraction(eval(as_python(phase), None, at | digits)) * field.L
            assert turns.denominator == 1
            root = pow(field.root, int(turns) % field.L, q)
            total += (
                residue(real, q) + residue(both - real, q) * pow(field.root, field.L // 4, q)
            ) * root
    return total % q


ENTRIES = [
    ("cooley-tukey", 0, {"r": 3, "s": 4}),
    ("cooley-tukey", 0, {"r": 4, "s": 2}),
    ("bsp-1.12", 0, {"q": 2, "alpha": 2}),
    ("bsp-theorem-2.2", 0, {"u": 2, "h": 2, "c": 3, "alpha": 1}),
    ("bsp-4.5", 0, {"u": 2, "r": 2, "h": 1, "c": 2, "alpha": 0}),
    ("bsp-4.5", 0, {"u": 2, "r": 1, "h": 2, "c": 2, "alpha": 3}),
    ("fht-step", 0, {"h": 3}),
    ("fht-step", 0, {"h": 4}),
]


@pytest.mark.parametrize(("name", "part", "numbers"), ENTRIES)
def test_printed_path_sums_are_the_entries_of_both_sides(
    name: str, part: int, numbers: dict[str, int]
) -> None:
    """Each line, phase by phase, at every row and column."""
    q = prime(192, Random(4))
    field = Field(192, q, root_of_unity(192, q))
    theorem = theorems()[name].prove()[part]
    chain = read(KNOWN[name]).arguments[part].chains[1]
    given = re.findall(r"(\w(?:_\{\d+\})?) < ([^,]*)", chain.heading)
    index = re.search(r"row (.*) and column (.*), where", chain.heading)
    assert index is not None
    at: dict[str, Any] = numbers | {"α": numbers.get("alpha", 0)}
    wanted = dense(theorem.left, dict(numbers), field) % q
    assert np.array_equal(wanted, dense(theorem.right, dict(numbers), field) % q)
    for line in (chain.start, *(step.formula for step in chain.steps)):
        found = np.full_like(wanted, -1)
        for values in product(
            *(range(int(eval(as_python(bound), None, at))) for _, bound in given)
        ):
            digits = at | {as_python(x): v for (x, _), v in zip(given, values, strict=True)}
            row, column = (int(eval(as_python(text), None, digits)) for text in index.groups())
            found[row, column] = entry_of(line, digits, field)
        assert np.array_equal(found, wanted), line


def test_a_theorem_of_one_step_shows_its_path_sums() -> None:
    """What cancels of F_{rs} is the integers j_1 k_1, in both documents."""
    for formula in (
        "w^{j_{1} k_{1} + r^-1 j_{1} k_{2} + r^-1 s^-1 j_{2} k_{2} + s^-1 j_{2} k_{1}}",
        "w^{r^-1 j_{1} k_{2} + r^-1 s^-1 j_{2} k_{2} + s^-1 j_{2} k_{1}}",
        "s j_{1} + j_{2}",
        "r k_{1} + k_{2}",
    ):
        assert marked(formula, FORMULA) in tex("cooley-tukey")
        assert mathml(formula) in html("cooley-tukey")
    for name in ("bsp-theorem-2.2", "bsp-4.5", "fht-step", "bsp-lemma-1.2"):
        assert html(name).count(
            "Entry by entry, the left side"
        ) >= 1 and "integers in the phase" in tex("fht-step")


def test_digits_take_letters_that_no_symbol_has() -> None:
    left, right = F(size("j")), F(size("j"))
    assert chain_of_entries(left, right, str).start == "w^{j^-1 x y}"
    with pytest.raises(Refused, match="no letters are left"):
        chain_of_entries(*[F(size("z") * size("v") * size("p") * size("d"))] * 2, str)


# The command


def test_prove_writes_both_documents(nodewright: Command, tmp_path: Path) -> None:
    files = [tmp_path / "proof.tex", tmp_path / "proof.html"]
    code, out, _ = nodewright(
        "prove", "cooley-tukey", "cormen-layout", "--latex", str(files[0]), "--html", str(files[1])
    )
    both = [KNOWN["cooley-tukey"], KNOWN["cormen-layout"]]
    assert code == 0 and "2 theorems" in out
    assert [file.read_text(encoding="utf-8") for file in files] == [
        document(both, latex=True),
        document(both, latex=False),
    ]
    assert sorted(tmp_path.iterdir()) == sorted(files)


@pytest.mark.parametrize("option", ["--latex", "--html"])
def test_a_file_that_cannot_be_written_is_one_line(
    nodewright: Command, option: str, tmp_path: Path
) -> None:
    for file in (tmp_path / "nowhere" / "x", tmp_path):
        code, out, err = nodewright("prove", "cooley-tukey", option, str(file))
        assert (code, out, err.count("\n")) == (2, "", 1) and str(file) in err
    assert not list(tmp_path.iterdir())


def test_an_equation_of_ones_own_has_documents_and_a_certificate(
    nodewright: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {word: tmp_path / f"own.{word}" for word in ("latex", "html", "certificate")}
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    formula = "F(2^n) = prod(k, 0, n-1, I(2^k) (x) B(2^(n-k))) * R(2^n)"
    code, out, _ = nodewright("prove", "--formula", formula, "--where", "n >= 1", *options)
    assert code == 0 and "proved for all sizes" in out
    assert mathml("F_{2^{n}} = (∏_{k = 0}^{n - 1} (I_{2^{k}} ⊗ B_{2^{n - k}})) P_{2^{n}}") in files[
        "html"
    ].read_text(encoding="utf-8")
    assert faults(files["latex"].read_text(encoding="utf-8")) == []
    found = Tags()
    found.feed(files["html"].read_text(encoding="utf-8"))
    assert not found.open and "Lemma 1" in found.text and "Your own equation" in found.text
    assert certificate_steps.main([str(files["certificate"])]) == 0
    assert f"proved {formula}, where n >= 1: " in capsys.readouterr().out


def test_what_is_not_proved_has_no_document(nodewright: Command, tmp_path: Path) -> None:
    code, out, _ = nodewright(
        "prove",
        "--formula",
        "F(n) = H(n)",
        "--html",
        str(tmp_path / "x"),
        "--certificate",
        str(tmp_path / "y"),
    )
    assert code == 1 and "was not written" in out and not list(tmp_path.iterdir())


def test_conditions_without_a_formula_are_refused(nodewright: Command) -> None:
    code, out, err = nodewright("prove", "cooley-tukey", "--where", "n >= 1")
    assert (code, out, err.count("\n")) == (2, "", 1) and "--where" in err


# The statement against the paper's formula

IN_THE_PAPERS_LETTERS: list[tuple[str, int, str, dict[str, int]]] = [
    (
        "cooley-tukey",
        0,
        "F(r*s) = F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, r)",
        {"r": 3, "s": 4},
    ),
    ("bsp-1.6", 0, "F(2^n) = prod(k, 0, n-1, A(2^(n-k), 2^n)) * P(2^n)", {"n": 4}),
    (
        "bsp-gamma-inverse",
        0,
        "Gamma(u, r*u, n*r*u) * inv(Gamma(u, r*u, n*r*u)) = I(n*r*u)",
        {"n": 4, "r": 3, "u": 2},
    ),
    (
        "bsp-stage-pair",
        0,
        "A(4*q, 4*b*q) * A(2*q, 4*b*q) = I(b) (x) D(4*q)",
        {"b": 3, "q": 2, "alpha": 0},
    ),
    ("bsp-1.12", 0, "B(4*q) * I(2) (x) B(2*q) = D(4*q)", {"q": 3, "alpha": 0}),
    (
        "bsp-theorem-2.2",
        1,
        "S(u, 2*c*h*u) * A(2*h*u, 2*c*h*u) * inv(S(u, 2*c*h*u)) = ButterflySum(2*h, 2*c*h, u)",
        {"u": 4, "h": 2, "c": 3},
    ),
    (
        "bsp-corollary-2.3",
        0,
        (
            "Gamma(u, r*u, 2*c*h*r*u) * A(2*h*u, 2*c*h*r*u) * inv(Gamma(u, r*u, 2*c*h*r*u)) = I(r)"
            " (x) ButterflySum(2*h, 2*c*h, u)"
        ),
        {"u": 2, "r": 3, "h": 2, "c": 2},
    ),
    (
        "bsp-2.7",
        0,
        (
            "F(2^(2*a+e)) = inv(Gamma(2^a, 2^a, 2^(2*a+e))) * prod(k, 0, a-1, AHat(2^(a+e-k), 2^a,"
            " 2^a, 2^(2*a+e))) * Gamma(2^a, 2^a, 2^(2*a+e)) * prod(k, 0, a+e-1, A(2^(a+e-k),"
            " 2^(2*a+e))) * P(2^(2*a+e))"
        ),
        {"a": 2, "e": 1},
    ),
    ("bsp-lemma-3.1", 0, "P(2^(d+q)) = S(2^q, 2^(d+q)) * P(2^d) (x) P(2^q)", {"d": 2, "q": 3}),
    (
        "bsp-corollary-3.2",
        0,
        "P(2^(d+q)) = I(2^q) (x) P(2^d) * P(2^q) (x) I(2^d) * S(2^q, 2^(d+q))",
        {"d": 3, "q": 2},
    ),
    (
        "bsp-3.5",
        0,
        (
            "Gamma(d*u, g*d*u, d*c*g*d*u) * inv(Gamma(u, g*d*u, d*c*g*d*u)) = I(g*d) (x) S(u, d*u)"
            " (x) I(c) * I(g) (x) S(d, d*d*u) (x) I(c) * I(g*d*u) (x) S(d, d*c)"
        ),
        {"c": 2, "d": 2, "g": 3, "u": 2},
    ),
    ("bsp-3.6", 0, "S(p, p*p*c) = S(p, p*p) (x) I(c) * I(p) (x) S(p, p*c)", {"c": 2, "p": 3}),
    (
        "bsp-4.2",
        0,
        (
            "Gamma(2^a, 2^(a+b), 2^(a+b+m)) * prod(k, 0, m-1, A(2^(m-k), 2^(a+b+m))) * P(2^(a+b+m))"
            " = Gamma(2^a, 2^(a+b), 2^(a+b+m)) * I(2^(a+b)) (x) F(2^m) * P(2^(a+b)) (x) I(2^m) *"
            " S(2^(a+b), 2^(a+b+m))"
        ),
        {"a": 1, "b": 2, "m": 2},
    ),
    (
        "bsp-phase-is-dft",
        0,
        "prod(k, 0, n-1, A(2^(n-k), 2^n)) * P(2^n) = F(2^n)",
        {"n": 4, "alpha": 0},
    ),
    (
        "bsp-fft-two-phases",
        0,
        (
            "F(p^2*e) = inv(Gamma(p, p, p^2*e)) * I(p) (x) F(p) (x) I(e) * Gamma(p, p, p^2*e) *"
            " T(p^2*e, p*e) * I(p) (x) F(p*e) * L(p^2*e, p)"
        ),
        {"p": 4, "e": 3},
    ),
    (
        "stride-lemma",
        0,
        "L(g*d, g) (x) I(s) * L(g*d*s, g*d) = I(g) (x) L(d*s, d) * L(g*d*s, g)",
        {"d": 2, "g": 3, "s": 5},
    ),
    (
        "bsp-fft-next-phase",
        0,
        (
            "I(g*d*u) (x) F(d) (x) I(e) * Gamma(u*d, g*d*u, d*e*g*d*u) * I(g) (x) T(u*d*d*e, u*d*e)"
            " * L(g*d, g) (x) I(u*d*e) * inv(Gamma(u, g*d*u, d*e*g*d*u)) * Gamma(u, g*d*u,"
            " d*e*g*d*u) * I(g*d) (x) F(u*d*e) * L(d*e*g*d*u, g*d) = Gamma(u*d, g*d*u, d*e*g*d*u) *"
            " I(g) (x) F(u*d*d*e) * L(d*e*g*d*u, g)"
        ),
        {"d": 2, "e": 3, "g": 2, "u": 2},
    ),
    (
        "any-radices",
        0,
        (
            "F(24) = F(2) (x) I(12) * T(24, 12) * I(2) (x) (F(4) (x) I(3) * T(12, 3)) * I(8) (x)"
            " F(3) * I(2) (x) L(12, 4) * L(24, 2)"
        ),
        {"H": 3, "N": products(3, 4, 2)},
    ),
    (
        "bsp-fft-phases",
        0,
        (
            "F(32) = inv(Gamma(8, 8, 32)) * I(8) (x) F(2) (x) I(2) * Gamma(8, 8, 32) * T(32, 16) *"
            " inv(Gamma(4, 8, 32)) * I(8) (x) F(4) * Gamma(4, 8, 32) * I(2) (x) T(16, 4) * L(8, 2)"
            " (x) I(4) * I(8) (x) F(4) * L(32, 8)"
        ),
        {"H": 2, "n": 4, "u": products(4, 2)},
    ),
    ("fht-step", 0, "H(2*h) = BH(2*h) * I(2) (x) H(h) * S(2, 2*h)", {"h": 6}),
    ("fht-factorization", 0, "prod(k, 0, n-1, LH(n-k, 2^n)) * P(2^n) = H(2^n)", {"n": 4}),
]
"""Theorem, part, formula by the grammar of derive/text/text_grammar.py, numbers."""


def sides_of(name: str, part: int, text: str, numbers: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Return each side of a theorem as a matrix over GF(q), as the kernel's terms and as derive/
    read it.

    The kernel's F has w = exp(2 pi i/N), derive's its conjugate: the root stands for either, and
    for i in both.
    """
    q = prime(192, Random(4))
    root = root_of_unity(192, q)
    theorem = theorems()[name].prove()[part]
    stated = written(parse(text), dict(numbers))
    found = []
    for term, formula in ((theorem.left, stated.left), (theorem.right, stated.right)):
        ring = Residues(RootField(q, 192, root))
        found.append(
            (
                dense(term, dict(numbers), Field(192, q, root)) % q,
                act(formula, ring.units(formula.size, range(formula.size)), ring) % q,
            )
        )
    return found


@pytest.mark.parametrize(("name", "part", "text", "numbers"), IN_THE_PAPERS_LETTERS)
def test_the_statement_is_the_papers_formula_entry_by_entry(
    name: str, part: int, text: str, numbers: dict[str, Any]
) -> None:
    for kernel, paper in sides_of(name, part, text, numbers):
        assert np.array_equal(kernel, paper)


@pytest.mark.parametrize(
    ("name", "text", "numbers"),
    [
        (
            "cooley-tukey",
            "F(r*s) = F(r) (x) I(s) * T(r*s, s) * I(r) (x) F(s) * L(r*s, s)",
            {"r": 3, "s": 4},
        ),
        ("bsp-1.6", "F(2^n) = prod(k, 0, n-1, A(2^(n-k), 2^n))", {"n": 3}),
        ("fht-step", "H(2*h) = BH(2*h) * I(2) (x) H(h) * L(2*h, h)", {"h": 4}),
    ],
)
def test_another_formula_is_seen_to_be_another(
    name: str, text: str, numbers: dict[str, Any]
) -> None:
    assert not all(
        np.array_equal(kernel, paper) for kernel, paper in sides_of(name, 0, text, numbers)
    )


def test_a_gloss_that_parses_says_what_the_kernel_says() -> None:
    gloss = theorems()["cooley-tukey"].gloss.removesuffix(".")
    text = gloss.replace("rs", "{r*s}")
    for kernel, paper in sides_of("cooley-tukey", 0, text, {"r": 3, "s": 4}):
        assert np.array_equal(kernel, paper)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "names",
    [["bsp-lemma-1.2", "fht-step"], pytest.param(NAMES, marks=pytest.mark.long)],
    ids=["two", "all"],
)
def test_an_assumption_of_an_induction_is_not_one_of_the_theorem(names: list[str]) -> None:
    """A hypothesis is one of bsp-lemma-1.2; other kernel proofs assume what their induction takes
    back.
    """
    for name in names:
        theorem = KNOWN[name]
        if isinstance(theorem, Theorem) and "assume" in theorem.verdict().rests_on:
            given = any(part.hypotheses for part in theorem.prove())
            assert (marked(IN_WORDS["assume"], HTML) in html(name)) == given
            assert (marked(OF_INDUCTION, HTML) in html(name)) != given


def test_what_block_theorems_assume_is_listed() -> None:
    for name in ("cormen-lemma-1", "cormen-vw", "cormen-layout"):
        theorem = KNOWN[name]
        assert isinstance(theorem, BlockTheorem)
        for reason, relations in theorem.assumed().items():
            assert marked(f"{reason}: {', '.join(map(str, relations))}", HTML) in html(name)
        assert "Assumed:" in tex(name)
    assert "Assumed:" not in tex("cormen-lemma-3") + tex("fht-partition") + tex("cooley-tukey")


@pytest.mark.long
def test_the_whole_html_document_has_an_index() -> None:
    """A line for each theorem, which leads to it; one theorem alone needs none."""
    text = document(list(KNOWN.values()), latex=False)
    anchors = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a>', text)
    assert [name for _, name in anchors] == list(KNOWN)
    assert re.findall(r'<h2 id="([^"]+)">', text) == [anchor for anchor, _ in anchors]
    assert len({anchor for anchor, _ in anchors}) == len(KNOWN)
    assert "href" not in html("cooley-tukey")


def test_programs_4_and_5_say_how_they_differ() -> None:
    four, five = (theorems()[f"hypercube-prog-{i}"] for i in (4, 5))
    assert (
        four.prove()[0].left == five.prove()[0].left
        and four.prove()[0].right == five.prove()[0].right
    )
    assert four.gloss != five.gloss and "Prog. 4" in five.gloss and "buffers" in five.gloss


@pytest.mark.parametrize("name", NAMES)
def test_a_short_document_has_statements_and_reasons_and_no_equalities(name: str) -> None:
    theorem = KNOWN[name]
    short = document([theorem], True, short=True)
    found = read(theorem).arguments
    assert faults(short) == [] and r"\step{" not in short and len(short) < len(tex(name))
    for argument in found:
        statement = argument.statement
        shown = f"${marked(statement, FORMULA)}$"
        assert (shown if isinstance(theorem, Theorem) else marked(statement, WORDS)) in short
        for chain in argument.chains:
            assert all(marked(step.reason, WORDS) in short for step in chain.steps)
    assert "<dl" not in document([theorem], False, short=True)


def test_a_short_document_is_asked_for_by_an_option(nodewright: Command, tmp_path: Path) -> None:
    file = tmp_path / "short.tex"
    assert nodewright("prove", "bsp-2.8", "--latex", str(file), "--short")[0] == 0
    assert file.read_text(encoding="utf-8") == document([KNOWN["bsp-2.8"]], True, short=True)
    code, _, err = nodewright("prove", "bsp-2.8", "--short")
    assert (code, err.count("\n")) == (2, 1) and "--short" in err


@pytest.mark.long
def test_every_theorem_stands_in_an_environment_with_its_proof() -> None:
    for name in NAMES:
        kinds = re.findall(r"\\begin\{(theorem|lemma|proof)\}", tex(name))
        assert kinds[::2].count("lemma") == tex(name).count(r"\begin{lemma}")
        assert set(kinds[1::2]) == {"proof"} and len(kinds) == 2 * len(read(KNOWN[name]).arguments)


class Balanced(HTMLParser):
    """Collects how many children each element of MathML has that wants a certain number."""

    WANTED = {"msub": 2, "msup": 2, "msubsup": 3, "mfrac": 2, "mover": 2}  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.open: list[list[Any]] = [["", 0]]

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open[-1][1] += 1
        self.open.append([tag, 0])

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.open[-1][1] += 1

    def handle_endtag(self, tag: str) -> None:
        name, children = self.open.pop()
        assert name == tag and children == self.WANTED.get(tag, children)


@pytest.mark.sampled(5, rest="long")
@pytest.mark.parametrize("name", sorted(theorems()))
def test_formulas_of_an_html_document_are_mathml(name: str) -> None:
    formulas = re.findall(r"<math>.*?</math>", html(name))
    assert formulas and not set(re.findall(r"<dt>(?:= )?(<\w+)", html(name))) - {"<math"}
    for formula in formulas:
        found = Balanced()
        found.feed(formula)
        assert found.open == [["", 1]]


def test_an_html_document_has_a_title_and_fits_a_telephone() -> None:
    head = html("cooley-tukey").partition("</head>")[0]
    assert "<title>Proof: cooley-tukey</title>" in head and 'name="viewport"' in head


@pytest.mark.parametrize(
    ("phase", "latex"),
    [
        ("w^{1/2 r^-1 j}", r"w^{\frac{j}{2\s r}}"),
        ("w^{-1/2 j + 3/4}", r"w^{-\frac{j}{2} + \frac{3}{4}}"),
        ("w^{j k}", r"w^{j\s k}"),
        ("w^{r^-2 j}", r"w^{\frac{j}{r^{2}}}"),
        ("A^-1 B", r"A^{-1}\s B"),
    ],
)
def test_quotients_in_exponents_are_fractions(phase: str, latex: str) -> None:
    assert marked(phase, FORMULA) == latex


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("I(a*(b+c)) = I(a*b+a*c)", "I_{a (b + c)} = I_{a b + a c}"),
        ("I(N/(r*s)) = I(N/r/s)", "I_{N/(r s)} = I_{N/r/s}"),
        ("transpose(F(2) * F(2)) = conj(F(2)) (+) F(2)", "(F_{2} F_{2})^T = F_{2}^{*} ⊕ F_{2}"),
        ("(F(2) (+) F(2)) * F(4) = Gamma(2,2,4)", "(F_{2} ⊕ F_{2}) F_{4} = Γ_{2,2,4}"),
        ("inv(L(n,r)) = inv(A(k,n,a))", "(L^{n}_{r})^-1 = (A_{k,n}^{a})^-1"),
        ("prod(k, 1, n, F(2)) * F(2) = I(2*3)", "(∏_{k = 1}^{n} F_{2}) F_{2} = I_{2 · 3}"),
        ("I((2*r)^n) = I(2-(r-1))", "I_{(2 r)^{n}} = I_{2 - (r - 1)}"),
    ],
)
def test_a_typed_equation_is_written_in_letters(text: str, letters: str) -> None:
    assert in_letters(parse(text)) == letters
