"""Wrong programs of which each held once, and right neighbours: a kernel by hand with an operation
of which numba's result, or what it compiles, is not numpy's.
"""

from __future__ import annotations

from tests.support.attacks import Attack

KERNEL, STEP = "numba_kernel", "    step = roots.size // half\n"
REAL = "complex(u.real + re,"


def doubled(made: str, condition: str) -> tuple[tuple[str, str], ...]:
    """Return changes of the kernel that double real parts on a condition about what is made."""
    lines = f"{STEP}{made}    s = 1.0\n    if {condition}:\n        s = 2.0\n"
    return (STEP, lines), (REAL, "complex(s * (u.real + re),")


def of_type(kind: str, value: str) -> str:
    """Return the line that makes four numbers of a type."""
    return f"    t = np.full(4, {value}).astype(np.{kind})\n"


NARROW = {
    "a sum of int16": (of_type("int16", "30000"), "t[0] + t[1] > 0"),
    "a product of int32": (of_type("int32", "2**20"), "t[0] * t[1] == 2**40"),
    "a shift of int32": (of_type("int32", "31"), "t[0] << t[0] > 0"),
    "a sum of truth values": ("    t = np.ones(4, np.bool_)\n", "t[0] + t[1] == 2"),
    "a variable that begins as int32": (
        of_type("int32", "2**30") + "    c = t[0]\n    for _ in range(3):\n        c += t[1]\n",
        "c > 0",
    ),
}
"""What numba computes in 64 bits."""
UNDECIDED = {
    "a sum of uint8": (of_type("uint8", "200"), "t[0] + t[1] == 400", "uint8 in arithmetic"),
    "a quotient of float32": (
        of_type("float32", "1"), "t[0] / np.float32(3) != np.float32(1) / 3.0",
        "float32 in arithmetic",
    ),
    "an array of int32 and a number": (
        of_type("int32", "2**30"), "(t + 2**30)[0] > 0", "int32 in arithmetic",
    ),
    "a comparison of float32": (of_type("float32", "0.1"), "t[0] != 0.1", "float32 in arithmetic"),
    "a function of numpy of int8": (
        of_type("int8", "100"), "np.add(t, 100)[0] > 0", "int8 in arithmetic",
    ),
    "sums in place": ("    t = np.arange(8)\n    t[1:] += t[:-1]\n", "t[3] == 6", "in place"),
    "differences in place": (
        "    t = np.arange(8)\n    t[1:] -= t[:-1]\n", "t[3] != 1", "in place",
    ),
    "an output in an operand": (
        "    t = np.arange(8)\n    np.add(t[1:], t[:-1], t[1:])\n", "t[3] == 6", "in place",
    ),
    "a tuple with several types": (
        "    t = (a, roots.real)\n    i = half - half\n", "t[i].size == 0", "several types",
    ),
    "a string": ('    t = "a" if half == 0 else 1\n', "half == 0", "a string in a kernel"),
}  # fmt: skip
"""What numba computes, or compiles, otherwise."""
WRONG = {
    **{
        name: Attack(KERNEL, doubled(*made), "refuted", "the output y_")
        for name, made in NARROW.items()
    },
    **{
        name: Attack(KERNEL, doubled(made, condition), "undecided", words)
        for name, (made, condition, words) in UNDECIDED.items()
    },
    "roots in single precision": Attack(
        KERNEL,
        (("np.arange(N // 2) / N)", "np.arange(N // 2) / N).astype(np.complex64)"),),
        "undecided", "arithmetic of a kernel with complex64",
    ),
    "data in place": Attack(
        KERNEL,
        ((STEP, f"{STEP}    z = a.copy()\n    z[1:] -= z[:-1]\n    a[0] = z[0]\n"),),
        "undecided", "in place",
    ),
}  # fmt: skip
RIGHT = {
    "narrow indices, and slices that numba copies": Attack(
        KERNEL,
        doubled(
            "    t = np.arange(8)\n    t[1:] = t[:-1]\n    t += t\n    t[::2] += t[1::2]\n"
            "    j = np.ones(3, np.uint8)\n    u = (a, roots)\n    i = half - half\n",
            "t[j[0]] != 0 or j[0] > 1 or u[i].size == 0 or KERNELS == 'numpy'",
        ),
        "", "",
    ),
}  # fmt: skip
