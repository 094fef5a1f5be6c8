"""The page of the workbench in a browser: each tab is clicked through, and what it shows is looked
at. One server and one browser serve all tests, which go on where the last one ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from nodewright.api.derivation_calls import built_in
from nodewright.workbench import workbench_command
from nodewright.workbench.derivations import begun, shown
from tests.support.browser import CHROMIUM, served, visit
from tests.support.paths import ROOT

SECONDS = 60_000
"""The milliseconds that anything may take on a machine that does other things, too."""
TOO_WIDE = """() => [...document.querySelectorAll(".stack *")].filter(each => {
  if (each.getBoundingClientRect().right <= innerWidth + 1) return false;
  for (let at = each.parentElement; at; at = at.parentElement)
    if (at.matches(".stack *") && getComputedStyle(at).overflowX != "visible") return false;
  return true;
}).map(each => each.outerHTML.slice(0, 80))"""
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a workbench, which is ended after all."""
    with served() as found:
        yield found


@pytest.fixture(scope="module")
def opened(address: str) -> Iterator[SimpleNamespace]:
    """The page, what was asked for by it, and what the browser complained about."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(SECONDS)
        expect.set_options(timeout=SECONDS)
        asked, errors = set[str](), list[str]()
        page.on("request", lambda request: asked.add(urlsplit(request.url).hostname or ""))
        page.on("pageerror", lambda error: errors.append(str(error)))
        visit(page, address)
        yield SimpleNamespace(page=page, asked=asked, errors=errors)
        browser.close()


@pytest.fixture
def page(opened: SimpleNamespace) -> Page:
    return opened.page


def click(page: Page, name: str, **more: bool) -> None:
    page.get_by_role("button", name=name, **more).first.click()


def go_to(page: Page, tab: str) -> None:
    page.get_by_role("tab", name=tab).click()


@needs_chromium
@pytest.mark.long
def test_a_formula_is_derived_by_clicks_and_ends_as_a_document(page: Page) -> None:
    click(page, "four-step with r=r, s=s")
    expect(page.locator(".reason")).to_have_text("four-step with r=r, s=s")
    click(page, "commute at 1 with m=r, n=s")
    expect(page.locator(".reason")).to_have_count(2)
    boxes = [each.bounding_box() for each in page.locator(".chain math").all()]
    assert len(boxes) > 10
    assert all(box and box["width"] > 4 and box["height"] > 4 for box in boxes)
    click(page, "undo")
    expect(page.locator(".reason")).to_have_count(1)
    click(page, "end", exact=True)
    expect(page.get_by_text("proved", exact=True)).to_be_visible()
    page.get_by_text("the document").click()
    document = page.frame_locator("iframe")
    expect(document.get_by_text("What it rests on")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_text("script", exact=True).click()
    assert download.value.suggested_filename == "derivation.derivation"
    script = download.value.path().read_text(encoding="utf-8").splitlines()
    assert script[:2] == ["start F(r*s)", "apply four-step with r=r, s=s"]


@needs_chromium
@pytest.mark.long
def test_a_file_with_a_derivation_is_opened(page: Page) -> None:
    page.get_by_text("a derivation from a file").click()
    page.locator("input[type=file]").first.set_input_files(built_in()["six-step"])
    click(page, "open", exact=True)
    expect(page.locator(".reason")).to_have_count(2)
    click(page, "end", exact=True)
    with page.expect_download() as download:
        page.get_by_text("LaTeX", exact=True).click()
    assert download.value.suggested_filename == "six-step.tex"


@pytest.mark.long
@needs_chromium
def test_a_click_on_a_part_shows_the_rules_at_it(page: Page) -> None:
    go_to(page, "derive")
    page.get_by_label("formula").fill("F(r*s)")
    click(page, "begin")
    click(page, "four-step with r=r, s=s")
    expect(page.locator(".reason")).to_have_text("four-step with r=r, s=s")
    page.locator(".row button:has(math)").first.click()
    expect(page.get_by_text("Rules that apply at 1")).to_be_visible()
    words = page.locator(".uses button").all_inner_texts()
    assert words
    assert all(" at 1" in each for each in words)


@needs_chromium
@pytest.mark.long
def test_a_wrong_formula_and_a_false_lemma_say_what_is_wrong(page: Page) -> None:
    go_to(page, "derive")
    page.get_by_label("formula").fill("F(r*t)")
    click(page, "begin")
    click(page, "six-step with r=r, s=t")
    expect(page.locator(".reason")).to_have_text("six-step with r=r, s=t")
    page.get_by_label("formula").fill("F(r*s")
    click(page, "begin")
    expect(page.get_by_role("alert")).to_contain_text("column 6")
    assert page.get_by_role("alert").inner_text().splitlines()[1:] == ["F(r*s", "     ^"]
    expect(page.locator(".reason")).to_have_count(1)
    page.get_by_text("a lemma of your own").click()
    page.get_by_label("name", exact=True).fill("wrong")
    page.get_by_label("equation").fill("F(n) = H(n)")
    click(page, "prove")
    expect(page.get_by_role("alert")).to_contain_text("refuted: F(n) = H(n): at n = 3")
    if not page.get_by_role("button", name="assume").is_visible():
        page.get_by_text("a lemma of your own").click()
    click(page, "assume")
    expect(page.get_by_role("alert")).to_contain_text("hypothesis wrong is refuted: at n = 3")


@needs_chromium
@pytest.mark.long
def test_the_words_of_a_rule_stand_on_its_button(page: Page) -> None:
    page.get_by_label("formula").fill("F(4*s_1*t)")
    click(page, "begin")
    wanted = [words for words, _ in shown(begun("F(4*s_1*t)")).uses]
    expect(page.locator(".uses button").first).to_have_text(wanted[0])
    assert page.locator(".uses button").all_inner_texts() == wanted
    assert any(words.count("*") > 1 for words in wanted)


@needs_chromium
def test_a_bit_that_is_clicked_changes_the_permutation(page: Page) -> None:
    go_to(page, "permutations")
    expect(page.get_by_text("4 messages of 1 element from every rank").first).to_be_attached()
    bits = page.locator(".bits button")
    assert bits.all_inner_texts()[:5] == ["0", "0", "0", "1", "0"]
    bits.nth(3).click()
    expect(page.get_by_role("alert")).to_contain_text("singular over GF(2)")
    assert bits.all_inner_texts()[:5] == ["0", "0", "0", "0", "0"]
    bits.nth(3).click()
    expect(page.get_by_text("complement c = 0")).to_be_visible()
    bits.nth(4).click()
    expect(page.get_by_text("complement c = 1")).to_be_visible()
    page.get_by_role("slider").press("ArrowRight")
    expect(page.get_by_text("N = 2⁴ elements on P = 2³ ranks").first).to_be_attached()


@needs_chromium
def test_the_slider_marks_the_lines_of_each_superstep(page: Page) -> None:
    go_to(page, "programs")
    expect(page.get_by_text("cyclic, 16 elements on each of 4 ranks")).to_be_visible()
    expect(page.locator(".listing .now")).to_have_count(0)
    for comment in ("# (I_4 ⊗ F_16)", "# Γ_{4,4,64} T^64_16", "# (I_4 ⊗ F_4 ⊗ I_4)"):
        page.get_by_role("slider").press("ArrowRight")
        expect(page.locator(".listing .now").first).to_have_text(comment)
    expect(page.locator(".beside svg")).to_have_count(1)
    page.get_by_role("slider").press("ArrowLeft")
    expect(page.locator(".beside svg")).to_have_count(2)
    expect(page.get_by_text("least words")).to_be_visible()
    page.get_by_label("size N").fill("99")
    click(page, "show")
    expect(page.get_by_role("alert")).to_contain_text("99 elements")
    page.get_by_label("size N").fill("16")
    page.get_by_label("ranks P").fill("2")
    click(page, "show")
    expect(page.get_by_text("cyclic, 8 elements on each of 2 ranks")).to_be_visible()
    page.get_by_label("kernels").select_option("numba")
    click(page, "show")
    expect(page.get_by_text("--kernels numba")).to_be_visible()


@needs_chromium
@pytest.mark.long
def test_a_certification_can_be_stopped_and_ends_with_what_stays_assumed(page: Page) -> None:
    go_to(page, "certificate")
    click(page, "certify")
    expect(page.get_by_role("status")).to_be_visible()
    click(page, "stop")
    expect(page.get_by_role("alert")).to_have_text("stopped")
    click(page, "certify")
    expect(page.get_by_text("What stays assumed")).to_be_visible()
    verdicts = page.locator(".scroll td:first-child").all_inner_texts()
    assert verdicts[:3] == ["layout", "messages", "function"]
    expect(page.get_by_text("holds", exact=True)).to_be_visible()


@needs_chromium
@pytest.mark.sampled(2, rest="long")
@pytest.mark.parametrize("width", [1280, 400])
def test_no_tab_is_wider_than_the_window(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if width == 400 else "light")
    for tab in ("derive", "permutations", "programs", "certificate"):
        go_to(page, tab)
        page.locator(".stack").nth(1).wait_for()
        page.wait_for_timeout(300)
        assert page.evaluate(TOO_WIDE) == [], tab


@needs_chromium
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_buttons_are_as_dark_or_as_light_as_the_page(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    go_to(page, "derive")
    button = page.get_by_role("button", name="begin").first
    light = "color(srgb 0.9" if scheme == "light" else "color(srgb 0.1"
    expect(button).to_have_css("background-color", re.compile(re.escape(light)))


@needs_chromium
def test_a_minus_above_a_letter_is_seen(page: Page) -> None:
    go_to(page, "programs")
    shown = page.locator(".part math", has_text="Γ").first
    assert shown.locator("msubsup mo").last.text_content() == "−"
    assert shown.locator("mi").first.get_attribute("mathvariant") == "normal"


@needs_chromium
def test_the_page_asks_no_other_machine_and_raises_nothing(opened: SimpleNamespace) -> None:
    assert opened.asked <= {"127.0.0.1", ""}
    assert opened.errors == []


def test_without_marimo_one_line_says_what_to_install(nodewright, monkeypatch) -> None:
    monkeypatch.setattr(workbench_command, "find_spec", lambda name: None)
    assert nodewright("workbench") == (
        2,
        "",
        "nodewright: the workbench is a marimo app: pip install 'nodewright[workbench]'\n",
    )


@pytest.mark.parametrize("port", [80, 70000])
def test_a_port_that_is_none_is_refused(nodewright, port) -> None:
    status, _, err = nodewright("workbench", "--port", port)
    assert (status, err.count("\n")) == (2, 1)
    assert f"--port {port}: a port lies between" in err


@pytest.mark.long
def test_the_server_is_told_to_stay_on_this_machine_and_to_ask_for_a_token(
    nodewright, monkeypatch
) -> None:
    called = []

    class Server:
        returncode = 3

        def __init__(self, words: list[str], **options: object) -> None:
            called.append((words, options["env"]))

        def communicate(self, token: bytes) -> None:
            called.append(token.decode())

        def kill(self) -> None: ...

    monkeypatch.setattr(workbench_command.subprocess, "Popen", Server)
    monkeypatch.setattr(workbench_command.signal, "signal", lambda *_: None)
    status, out, err = nodewright("workbench", "--headless")
    (words, environment), token = called
    assert f"http://127.0.0.1:{words[words.index('--port') + 1]}?access_token={token}" in out
    assert words[words.index("--host") + 1] == "127.0.0.1"
    assert token not in words
    assert "--headless" in words
    assert environment["PYTHONPATH"].split(":")[0] == str(ROOT)
    assert (status, err) == (1, "nodewright: the server of the page ended with exit status 3\n")
