"""The search for the cheapest factorizations of the FFT on P ranks.

prices.py  what an exchange, a word, a message, a pass over memory and a flop are worth
plans.py   a plan where N and P are powers of two: its phases, and what they cost
best.py    dynamic programming over phases, groups of ranks and radices of such plans
digits.py  plans of any size and of several axes
"""
