"""Objects as they show themselves: pictures as data, SVG, and HTML for notebooks."""
