"""The pictures in docs/workbench.md: python -m tests.support.workbench_pictures docs."""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.browser import CHROMIUM, served, visit

MILLISECONDS = 120_000
"""What anything may take on a machine that does other things, too."""
STILL = 3_000
"""After so many milliseconds the page has drawn what was asked for."""
COLORS = 128


def opened(browser: Browser, address: str, width: int, height: int, scheme: str) -> Page:
    """Return the page in a window of this size, `scheme` being light or dark."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    page.set_default_timeout(MILLISECONDS)
    visit(page, address)
    return page


def click(page: Page, name: str, *, exact: bool = False) -> None:
    """Click a button, and wait for what it does."""
    page.get_by_role("button", name=name, exact=exact).first.click()
    page.wait_for_timeout(STILL)


def derive(page: Page) -> None:
    """Make two steps of a derivation, end it, and look at a part of the formula."""
    for count, step in enumerate(("cooley-tukey with r=r, s=s", "commute at 1 with m=r, n=s"), 1):
        click(page, step)
        expect(page.locator(".reason")).to_have_count(count)
    page.locator(".row button:has(math)").nth(1).click()
    page.wait_for_timeout(STILL)
    click(page, "end", exact=True)
    expect(page.get_by_text("proved", exact=True)).to_be_visible()


def permute(page: Page) -> None:
    """Click a bit of the bit reversal."""
    page.get_by_role("tab", name="permutations").click()
    page.locator(".bits button").first.wait_for()
    page.locator(".bits button").first.click()


def step(page: Page) -> None:
    """Go to the second superstep of a program."""
    page.get_by_role("tab", name="programs").click()
    expect(page.get_by_text("cyclic, 16 elements on each of 4 ranks")).to_be_visible()
    for _ in range(2):
        page.get_by_role("slider").press("ArrowRight")
        page.wait_for_timeout(STILL)


def certify(page: Page) -> None:
    """Certify the program that the page begins with."""
    page.get_by_role("tab", name="programs").click()
    expect(page.get_by_text("cyclic, 16 elements on each of 4 ranks")).to_be_visible()
    page.get_by_role("tab", name="certificate").click()
    click(page, "certify")
    expect(page.get_by_text("What stays assumed")).to_be_visible()


PICTURES = {
    "workbench-derive": (1280, 860, "light", derive),
    "workbench-derive-narrow": (400, 1000, "dark", derive),
    "workbench-permutations": (1280, 860, "dark", permute),
    "workbench-programs": (1280, 940, "light", step),
    "workbench-certificate": (1280, 800, "light", certify),
}


def main(folder: Path) -> None:
    """Write the pictures."""
    expect.set_options(timeout=MILLISECONDS)
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, (width, height, scheme, shown) in PICTURES.items():
            page = opened(browser, address, width, height, scheme)
            shown(page)
            page.mouse.move(0, 0)
            page.wait_for_timeout(STILL)
            file = folder / f"{name}.png"
            page.screenshot(path=file)
            Image.open(file).convert("RGB").quantize(COLORS).save(file, optimize=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
