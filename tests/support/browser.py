"""A browser that looks at pages as wide as a phone and as a screen."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from shutil import which

from playwright.sync_api import Page

from tests.support.paths import ROOT

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")
LOOK = """<!doctype html><meta charset="utf-8"><body><script>
async function look(page, width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = `width: ${width}px; height: 900px; border: 0`;
  frame.src = page;
  await new Promise(done => { frame.onload = done; document.body.append(frame); });
  const top = frame.contentDocument.documentElement;
  const formulas = [...top.querySelectorAll("math")].map(each => each.getBoundingClientRect());
  const found = [];
  if (top.scrollWidth > width) found.push(`${top.scrollWidth - width} pixels too wide`);
  if (formulas.some(each => !each.width || !each.height)) found.push("a formula without a picture");
  frame.remove();
  return found.map(what => `${page} at ${width}: ${what}`);
}
(async () => {
  const found = [];
  for (const page of PAGES) for (const width of [400, 1280]) found.push(...await look(page, width));
  document.body.innerHTML = "<pre></pre>";
  document.body.firstChild.textContent = JSON.stringify(found);
})();
</script>"""
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files")


@contextmanager
def served() -> Iterator[str]:
    """Yield the address of a workbench, which ends then."""
    words = [sys.executable, "-m", "nodewright", "workbench", "--headless", "--json"]
    server = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield json.loads(server.stdout.readline())["url"]
    finally:
        server.terminate()
        assert server.wait(20) == 0


def visit(page: Page, address: str) -> None:
    """Go to an address, as soon as its server listens."""
    for _ in range(60):
        try:
            page.goto(address)
            break
        except Exception:
            page.wait_for_timeout(500)


def complaints(site: Path, pages: list[str]) -> list[str]:
    """Return what is wrong with pages of a site: wider than the window, or a formula not shown."""
    assert CHROMIUM
    look = site / "look.html"
    look.write_text(LOOK.replace("PAGES", json.dumps(pages)), encoding="utf-8")
    seen = subprocess.run(
        [CHROMIUM, *OPTIONS, "--virtual-time-budget=1000000", "--dump-dom", look.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout
    look.unlink()
    found = re.search("<pre>(.*)</pre>", seen, re.DOTALL)
    assert found, seen[-300:]
    return list(json.loads(unescape(found[1])))
