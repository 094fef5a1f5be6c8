"""Equations for symbolic sizes, derived by rewriting."""
