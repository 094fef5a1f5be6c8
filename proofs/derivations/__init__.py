"""Derivations: a formula, rewritten by rules at places, each step proved by the kernel.

paths.py      where a part stands in a formula
size_products.py       sizes of formulas as products of powers
matching.py    what the letters of a rule stand for
namesakes.py   why a formula that reads as a pattern does not match it
rules.py       the rules that come with the package
hypotheses.py  equations that are assumed
derivation_steps.py       the proof of a step
derivation.py  steps, lemmas, the theorem at the end
script.py      derivations as text, a step a line
derivation_proofs.py     derivations as proofs to be read
radix_derivation.py     the derivation of a transform of any size, or of several axes
"""
