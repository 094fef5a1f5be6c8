"""The search for the cheapest factorizations of the FFT on P ranks.

prices.py  what an exchange, a word, a message, a pass over memory and a flop are worth
local_transforms.py   the cheapest radices of what a rank transforms between exchanges
digits.py  plans of any size and of several axes
"""
