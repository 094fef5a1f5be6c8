"""Derivations: a formula, rewritten by rules at places, each step proved by the kernel.

places.py      where a part stands in a formula
matching.py    what the letters of a rule stand for
rules.py       the rules that come with the package
hypotheses.py  equations that are assumed
derivation.py  steps, lemmas, the theorem at the end
script.py      derivations as text, a step a line
phases.py      the derivation of an FFT in phases, for all radices
radices.py     that of a transform of any size, or of several axes
"""
