"""Bit matrices as callers have them, and in files."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from derive.call_arguments import is_integer
from derive.fields import BitMatrix
from derive.files import read_bytes
from derive.gf2.bits import Affine, bit_matrix

LARGEST_FILE = 2**20
"""The file of a bit matrix has at most so many bytes."""


def map_of(matrix: ArrayLike | Affine) -> Affine:
    """Return the map of a matrix: rows of zeros and ones, or its packed columns; a map is one.

    Raises ValueError for anything else.

    >>> map_of([1, 3, 6]) == map_of([[1, 1, 0], [0, 1, 1], [0, 0, 1]])
    True
    """
    if isinstance(matrix, Affine):
        return matrix
    if isinstance(matrix, list | tuple | np.ndarray) and all(map(is_integer, matrix)):
        return Affine(tuple(int(column) for column in matrix), len(matrix))
    return Affine.of(bit_matrix(matrix))


def read_matrix(path: Path) -> BitMatrix:
    """Return the bit matrix in a file: n lines of n characters 0/1 (row i on line i), or a .npy of
    shape (n, n).

    Raises ValueError where the file holds anything else, OSError where it cannot be read.
    """
    if path.suffix == ".npy":
        try:
            matrix = bit_matrix(
                np.load(io.BytesIO(read_bytes(path, LARGEST_FILE)), allow_pickle=False)
            )
        except (ValueError, EOFError, MemoryError) as error:
            raise ValueError(f"{path}: {error}") from error
    else:
        try:
            lines = read_bytes(path, LARGEST_FILE).decode().split()
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{path}: no text: the matrix is n lines of n characters 0 or 1, or a .npy file"
            ) from error
        for i, line in enumerate(lines):
            for j, character in enumerate(line):
                if character not in "01":
                    raise ValueError(
                        f"{path}: {character!r} in row {i}, column {j}: a bit matrix has entries 0"
                        " and 1 only"
                    )
            if len(line) != len(lines):
                raise ValueError(
                    f"{path}: row {i} has {len(line)} entries in a file of {len(lines)} rows: the"
                    " matrix is n lines of n characters"
                )
        if not lines:
            raise ValueError(f"{path}: no rows: the matrix is n lines of n characters 0 or 1")
        matrix = bit_matrix([[int(character) for character in line] for line in lines])
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{path}: shape {matrix.shape}: the matrix of a permutation is square")
    return matrix


def complement(text: str) -> int:
    """Return the c of y = A x + c, written as digits or with 0x or 0b before them.

    Raises ValueError for anything else.

    >>> complement("21"), complement("0x15"), complement("0b10101")
    (21, 21, 21)
    """
    if not re.fullmatch(r"-?([0-9]{1,1300}|0x[0-9a-fA-F]{1,1024}|0b[01]{1,4096})", text):
        raise ValueError(
            f"--complement must be an integer, such as 21, 0x15 or 0b10101; got {text!r}"
        )
    return int(text, 10 if text.lstrip("-").isdecimal() else 0)
