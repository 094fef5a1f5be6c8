"""Lines of emitted programs, at which tests change them."""

import re

IMPORT = "import numpy as np\n"
START = "    x, out = arrays(x, plan, out)\n"
"""The first line of transform."""
END = "    return out\n"
DEFINITION = "def root_of_unity(e, order):"
"""A function before which others may be defined."""
LAST = "# What follows is the same in every program of this kind"
"""The end of what a program has of its own."""
PLAN = "            self.work = np.empty(M, DTYPE)\n"
PEERS = "enumerate(zip(*peers))"
SENDRECV = "comm.Sendrecv(source[part], to, recvbuf=target[part], source=come_from)"
ALLTOALL = "group.Alltoall(source, target)"
"""What `by_function` leaves of all exchanges of a program."""


def by_function(program):
    """Return a program in which every Alltoall is a call of one function, `exchange`."""
    called = re.sub(r"plan\.(\w+)\.Alltoall\((\w+), (\w+)\)", r"exchange(plan.\1, \2, \3)", program)
    assert called != program, "the program has no Alltoall"
    function = f"def exchange(group, source, target):\n    {ALLTOALL}\n\n\n"
    return called.replace(DEFINITION, function + DEFINITION, 1)
