"""The examples of docstrings, which are found without importing what they are of; and the order in
which workers take tests.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from doctest import ELLIPSIS, DocTestParser, DocTestRunner
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import WorkStealingScheduling

LONG = {"nodewright.api.checks.symbolic_fft"}
"""Examples that take seconds."""


class Wrong(Exception):
    """An example prints something else than its docstring shows."""


class Example(pytest.Item):
    """The examples of one docstring, whose names are those of its module."""

    def __init__(self, module: str, docstring: str, line: int, **others: Any) -> None:
        super().__init__(**others)
        self.module, self.docstring, self.line = module, docstring, line

    def runtest(self) -> None:
        names, said = dict(vars(import_module(self.module))), StringIO()
        test = DocTestParser().get_doctest(
            self.docstring, names, self.name, str(self.path), self.line
        )
        if DocTestRunner(verbose=False, optionflags=ELLIPSIS).run(test, out=said.write).failed:
            raise Wrong(said.getvalue())

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, Wrong):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.line, self.name


class Examples(pytest.File):
    """The docstrings of a module that show examples."""

    def collect(self) -> Iterator[Example]:
        module = ".".join(self.path.relative_to(self.config.rootpath).with_suffix("").parts)
        module = module.removesuffix(".__init__")
        for name, docstring, line in documented(ast.parse(self.path.read_bytes()), module):
            if ">>>" in docstring:
                example = Example.from_parent(
                    self, name=name, module=module, docstring=docstring, line=line
                )
                if name in LONG:
                    example.add_marker("long")
                yield example


def documented(node: Any, name: str) -> Iterator[tuple[str, str, int]]:
    """Yield the name, docstring and line of a module or class, and of all that it defines."""
    if docstring := ast.get_docstring(node, clean=False):
        yield name, docstring, node.body[0].lineno - 1
    if not isinstance(node, ast.FunctionDef):
        for each in node.body:
            if isinstance(each, ast.FunctionDef | ast.ClassDef):
                yield from documented(each, f"{name}.{each.name}")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Examples | None:
    """Return the examples of a module that shows some."""
    if file_path.suffix == ".py" and ">>>" in file_path.read_text("utf-8"):
        return Examples.from_parent(parent, path=file_path)
    return None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> WorkStealingScheduling | None:
    """Give each worker a run of neighbours, so that what a file makes is made by one."""
    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None
