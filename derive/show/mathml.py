"""LaTeX as MathML, which browsers show without scripts, fonts or a network: the one renderer of
mathematics in pages, and the one door to docutils in the product.
"""

from __future__ import annotations

import re

from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml

NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
_BETWEEN_DIGITS = re.compile(r"(?<=\d),(?=\d)")
"""A comma between indices, which is none of a decimal number."""
_BETWEEN_TAGS = re.compile(r">\n\s*<")


def of_latex(latex: str, as_block: bool = False) -> str:
    r"""Return LaTeX as MathML; raise ValueError where it cannot be read.

    A minus has its own sign, and capital Greek letters are upright as in LaTeX: a hyphen above a
    slanted letter is not seen.

    >>> print(of_latex(r"\Gamma_{2,4}^{-1}").removeprefix("<math>"))
    <msubsup><mi mathvariant="normal">Γ</mi><mrow><mn>2</mn><mo>,</mo><mn>4</mn></mrow><mrow><mo>−</mo><mn>1</mn></mrow></msubsup></math>
    >>> of_latex(r"\gama")
    Traceback (most recent call last):
    ValueError: \gama: Unknown LaTeX command "\gama".
    """  # noqa: E501
    try:
        found = tex2mathml(_BETWEEN_DIGITS.sub(", ", latex), as_block)
    except MathError as error:
        raise ValueError(f"{latex}: {error}") from error
    found = found.replace(NAMESPACE, "").replace('class="capital-greek"', 'mathvariant="normal"')
    return _BETWEEN_TAGS.sub("><", found)
