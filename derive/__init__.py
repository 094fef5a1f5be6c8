"""The mathematics: bit matrices, layouts, formulas, factorizations and their exact checks."""
