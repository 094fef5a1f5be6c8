"""The page of the language says what the evaluator accepts."""

from __future__ import annotations

from proofs.certify.evaluation.language_page import document
from tests.support.paths import ROOT


def test_the_page_is_made_from_the_tables():
    page = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    assert page == document(), "nodewright certify --language > docs/language.md"


def test_certify_prints_the_page(nodewright):
    status, out, _ = nodewright("certify", "--language")
    assert (status, out) == (0, document())
