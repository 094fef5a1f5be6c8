"""Supersteps of ranks that share memory: what is done after an exchange reads the messages where
their senders wrote them.

A rank writes to `work`, the half of its part of the window that is read next, and to `out`. The
last operation before an exchange writes to `work`, the last of all to `out`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.emit.arrangements import of_messages
from codegen.emit.steps.arrays import Operation, Stage
from codegen.emit.steps.computations import PIECE
from codegen.emit.steps.passes import IN_PASSES, IN_PLACE
from codegen.kernels.loops import View
from codegen.systems.record import Request
from derive.formula.permutations import lg
from derive.gf2.bits import Affine

EXCHANGE = "exchange"
"""The macro of an operation that waits for messages."""
MAIL = "mailed"
"""The macro of an operation that sends messages which are read where they are received."""
STORED = EXCHANGE, MAIL
"""The operations before which messages are stored: where one is the first, x is copied there."""
ONE_HALF = 2**21
"""From so many elements of a rank on, a window that can do with one half has one, and a second
barrier an exchange: it is worth some microseconds.
"""


def placed(unpack: Affine, messages: int, m: int, whole: tuple[Any, ...]) -> Operation:
    """Return the transpose that unpacks so many messages that lie apart."""
    _, count, inside, order = of_messages(unpack, m, lg(messages), whole) or whole
    return {
        "macro": "place",
        "reads": True,
        "count": count,
        "shape": inside,
        "turned": tuple((count + inside)[axis] for axis in order),
        "back": tuple(np.argsort(order).tolist()),
    }


def read_messages(stages: list[Stage], M: int) -> None:
    """Have the operations of supersteps after an exchange read its messages."""
    waiting = 0
    for stage in stages:
        done = list[Operation]()
        for operation in stage["operations"]:
            done += _reading(operation, waiting, M) if waiting else [operation]
            waiting = operation.get("messages", 0)
            if _is_butterfly(done[-2:]):
                needs = ("butterfly",) if done[-2]["size"] > PIECE else ()
                done[-2:] = [{**done[-2], "macro": "butterfly", "needs": needs}]
        stage["operations"] = done
    if waiting:
        stages[-1]["operations"].append(GATHER.copy())


GATHER: Operation = {"macro": "gather", "reads": True}


def _reading(operation: Operation, messages: int, M: int) -> list[Operation]:
    """Return an operation that reads so many messages, or puts them together before."""
    if operation.get("reads"):
        return [operation]
    size = M // messages
    if operation["macro"] != "multiply" or operation["first"] % size:
        return [GATHER.copy(), operation]
    plain = operation["first"] // size
    parts = {"count": messages - plain, "size": size, "plain": plain}
    return [{**operation, **parts, "macro": "products", "reads": True}]


def _is_butterfly(operations: list[Operation]) -> bool:
    """Return whether these multiply the second of two messages, and are F_2 of both."""
    match operations:
        case [{"macro": "products", "size": size, "plain": 1}, {"macro": "fourier", "d": 2} as f]:
            return bool(f["copies"] == 1 and f["c"] == size)
    return False


def stretches(operations: list[Operation]) -> list[list[Operation]]:
    """Return the operations before, between and after the exchanges whose messages are read where
    they lie.
    """
    found = [list[Operation]()]
    for operation in operations:
        if operation["macro"] in STORED:
            found.append([])
        else:
            found[-1].append(operation)
    return found


def name_mail(operations: list[Operation]) -> None:
    """Say what reads messages of which mail, and after which exchange those of the next are
    stored.
    """
    last: Operation = {}
    for operation in operations:
        if operation["macro"] == MAIL:
            last["next"], last = operation["table"], operation
        elif operation.get("mail"):
            operation["mail"] = last["table"]


def receive(views: list[View], operations: list[Operation], M: int) -> str:
    """Return for how many elements mail is received: M, or the room of a kernel, where this is the
    memory that messages come to. So it is if no kernel that reads messages has a room.
    """
    mails = [each for each in views if each["macro"] == "mail"]
    rooms = [each for each in views if each["name"] == "room" and each["given"][0] >= M]
    taken = any(each.get("mail") and each["rooms"] for each in operations)
    if taken or len(mails) != 1 or not rooms:
        return "M"
    rooms[0]["macro"] = "received"
    return str(rooms[0]["given"][0])


def halves(operations: list[Operation], request: Request) -> int:
    """Return of how many halves the window is: one, if a rank has so many elements and every
    message is read into the result or by the first of two passes, or results are stored where
    messages were, or if messages are received there; none without exchanges. Where there is one,
    ranks wait for those that read; where they take turns, an exchange says whether what follows it
    writes to one.
    """
    exchanges = [operation for operation in operations if operation["macro"] == EXCHANGE]
    if request.way.of_all or not exchanges:
        return min(1, len(exchanges))
    reading = [operation for operation in operations if operation.get("reads")]
    _find_returns(operations)
    if request.M >= ONE_HALF and all(_reads_first(each) for each in reading):
        for each in reading:
            _share_half(each)
        return min(1, len(reading))
    for exchange, after in zip(exchanges, stretches(operations)[1:], strict=True):
        if any(each["target"] == "work" for each in after):
            exchange["turns"] = True
    return 2


def _find_returns(operations: list[Operation]) -> None:
    """Say of a transform whose rows are messages from all ranks, and whose results go to all, that
    it can store these where the messages were: nobody else reads there. Then each rank has what it
    is sent in its own segment, where nobody else reads until it stores again.
    """
    for sent, transform, exchange, last in zip(*(operations[i:] for i in range(4)), strict=False):
        rows = sent.get("of_all") and transform.get("rows")
        returns = rows and exchange.get("table") == sent["table"]
        if returns and last.get("reads") and last["target"] == "out":
            transform["exchange"], last["home"] = exchange, True


def _share_half(operation: Operation) -> None:
    """Say how an operation reads messages from the one half of a window."""
    if "exchange" in operation:
        operation.update(macro=IN_PLACE, streams=False)
        operation["exchange"]["returned"] = True
    elif "passes" in operation:
        operation["macro"] = IN_PASSES
    elif "home" not in operation:
        operation["waits"] = True


def view(operations: list[Operation], halves: int) -> View:
    """Return what the template prints of a window: of how many halves it is, whether results are
    stored where messages were, and in words how often ranks wait for each other.
    """
    returns = any(each.get("returned") for each in operations)
    exchanges = sum(each["macro"] == EXCHANGE for each in operations)
    waits = sum("waits" in each or each["macro"] == IN_PASSES for each in operations)
    barriers = "two barriers each" if halves == 1 else "a barrier each"
    if returns:
        barriers = f"{exchanges + waits} barriers" if waits else "a barrier each"
    return {"halves": halves, "returns": returns, "barriers": barriers}


def _reads_first(operation: Operation) -> bool:
    """Return whether an operation has read all messages before it writes where others read, or
    writes where nobody else does.
    """
    return operation["target"] == "out" or "passes" in operation or "exchange" in operation
