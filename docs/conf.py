"""The documentation site. The pages are those of the repository, so its root is the source:

python -m sphinx -W -n -c docs . docs/_build/html
"""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # what is documented, and the extensions

project, author = "nodewright", "the authors of nodewright"
version = release = version_of("nodewright")
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "docs.support.docstrings",
    "docs.support.commands",
    "docs.support.mathml",
]

root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CHANGELOG.md",
    "docs/**.md",
    "bench/README.md",
    "bench/mutants.md",
    "generated/README.md",
    "nodewright/data/README.md",
    "proofs/coq/README.md",
]
exclude_patterns = [".*", "build", "docs/_build", "tests"]

html_theme = "furo"
html_title = "nodewright"
html_static_path, html_css_files = ["support/static"], ["site.css"]
html_extra_path = ["support/index.html"]  # the first page lies one folder further down
html_show_sourcelink = html_copy_source = html_show_sphinx = html_show_copyright = False

myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

nb_execution_mode, nb_execution_timeout = "force", 120
nb_execution_in_temp = nb_execution_raise_on_error = nb_merge_streams = True

html_math_renderer = "mathml"
smartquotes = False  # -- is what an option begins with
default_role = "literal"  # `name` in a docstring
autodoc_typehints = "none"  # the signature has them
autodoc_member_order = "bysource"
