"""The same functions for messages that are sent while others are computed."""

from __future__ import annotations

import numpy as np

from codegen.emit.verbatim.given import G


def exchange_list(partner, low, high, y, other, plan):
    """Store the sum of two lists (on the higher rank the difference) in the first list of y, while the other one is sent to the second list of the partner."""
    kept, sent = (np.subtract, np.add) if plan.own.rank > partner else (np.add, np.subtract)
    coming = plan.own.Irecv(other[G:], partner)
    sent(low, high, out=other[:G])
    going = plan.own.Isend(other[:G], partner)
    kept(low, high, out=y[:G])
    coming.Wait()
    going.Wait()
    np.copyto(y[G:], other[G:])
