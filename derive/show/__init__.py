"""How objects show themselves: pictures as data, SVG, and HTML for notebooks."""
