"""The search for the cheapest derivations of an FFT on P ranks: `nodewright.search`.

found.py      what the search finds: plans with their derivations and programs
searching.py  the search itself
"""
