"""The search for the cheapest factorizations of the FFT on P ranks.

prices.py  what an exchange, a word, a message, a pass over memory and a flop are worth
plans.py   a plan: its phases, and what they cost
best.py    dynamic programming over phases, groups of ranks and radices
trees.py   how many breakdown trees the search stands for
"""
