"""Supersteps of ranks that share memory: what is done after an exchange reads the messages where
their senders wrote them.

A rank writes to `work`, the half of its part of the window that is read next, and to `out`. The
last operation before an exchange writes to `work`, the last of all to `out`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from codegen.emit.arrangements import of_messages
from codegen.emit.steps.array_names import Operation, Stage
from codegen.emit.steps.computations import PIECE
from codegen.emit.steps.fourier_passes import IN_PASSES, IN_PLACE
from codegen.kernels.loops import View
from codegen.systems.exchanges import Way
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
    turned = tuple((count + inside)[axis] for axis in order)
    back = tuple(np.argsort(order).tolist())
    message = "message" if inside else "message[0]"
    return {
        "macro": "place" if inside and not count[1:] else "place_one_by_one",
        "reads": True,
        "count": count,
        "there": f".reshape{turned}{'.T' if back == (1, 0) else f'.transpose{back}'}",
        "message": message + f".reshape{inside}" * (len(inside) > 1),
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
                done[-2:] = [{**done[-2], **_butterfly(done[-2]["size"] > PIECE)}]
        stage["operations"] = done
    if waiting:
        stages[-1]["operations"].append(GATHER.copy())


ONCE = "a barrier each"
"""In words that ranks wait for each other once in an exchange."""
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
    lines = {"parts": (*["plain_messages"] * (plain > 0), "products")}
    return [{**operation, **parts, **lines, "macro": "products", "reads": True}]


def _butterfly(in_pieces: bool) -> Operation:
    """Return how F_2 of two messages is done after the twiddles of the second."""
    if in_pieces:
        return {"macro": "butterfly", "parts": ("butterfly",), "needs": ("butterfly",)}
    return {"macro": "butterfly", "parts": ("butterfly_at_once",)}


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
            last |= {"next": operation["table"], "parts": (MAIL, "next_sent")}
            last = operation
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
            exchange["parts"] = (EXCHANGE, "next_half")
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
        operation["exchange"]["parts"] = ("returned",)
    elif "passes" in operation:
        operation["macro"] = IN_PASSES
    elif "home" not in operation:
        operation["parts"] = (*operation.get("parts", [operation["macro"]]), "waits")


def view(operations: list[Operation], halves: int) -> View:
    """Return what the template prints of a window: of how many halves it is, whether results are
    stored where messages were, and in words how often ranks wait for each other.
    """
    returns = any(each.get("parts") == ("returned",) for each in operations)
    exchanges = sum(each["macro"] == EXCHANGE for each in operations)
    waits = sum(
        "waits" in each.get("parts", ()) or each["macro"] == IN_PASSES for each in operations
    )
    barriers = "two barriers each" if halves == 1 else ONCE
    if returns:
        barriers = f"{exchanges + waits} barriers" if waits else ONCE
    return {"halves": halves, "returns": returns, "barriers": barriers}


def forms(found: View, way: Way) -> dict[str, tuple[str, ...]]:
    """Return the macros that the functions and classes for messages consist of, from what the
    template prints of messages and of a window.
    """
    one, returns = found["halves"] == 1, found["returns"]
    said = ["stores_results"] * returns + ["has_second_barrier"] * (found["barriers"] != ONCE)
    window = ["window", *said] if one else ["window_of_halves"]
    window += ["window_made", *["window_checked"] * (not way.otherwise), "window_mapped"]
    window += ["window_messages"] * found["of_messages"]
    window += ["window_both"] * (way.otherwise != "" and found["of_both"])
    window += ["window_exchange", *["window_turned"] * (not one), "window_stored"]
    window += [*["window_returned"] * returns, "window_freed"]
    some = ["mailbox_messages"] * found["of_messages"] + ["mailbox_both"] * found["of_both"]
    mailbox = [*some, "mailbox_exchange"]
    if found["of_all"]:
        mailbox = ["mailbox_of_all", *["mailbox_returned"] * returns]
    mailbox = ["mailbox", *mailbox, *["mailbox_waits"] * one, "mailbox_freed"]
    return {
        "window": (*window,),
        "mailbox": (*mailbox,),
        "traded": ("traded_in_turns" if way.in_turns else "traded",),
        "rounds": ("rounds", "rounds_in_place" if way.in_place else "rounds_of_two"),
    }


def _reads_first(operation: Operation) -> bool:
    """Return whether an operation has read all messages before it writes where others read, or
    writes where nobody else does.
    """
    return operation["target"] == "out" or "passes" in operation or "exchange" in operation
