"""Networks of a hypercube that simulations are compared on."""

from itertools import product

from codegen.cost.hypercube_times import Network

NETWORKS = tuple(Network(*figures) for figures in product((1,), (0, 4, 64), (1, 6), (0, 2), (1, 2)))
"""Small networks, in units of a flop."""
