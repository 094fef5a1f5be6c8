"""Bounds of elements hold for whatever views of memory are written and read: random programs beside
the same ones in floating point.
"""

import math
from random import Random

import numpy as np
import pytest

from derive.fields import RootField, progression
from proofs.certify.exact.constants import Recognizer
from proofs.certify.arrays.elements import Elements, fft

ORDER, COUNT, INPUTS = 48, 12, 3
FIELD = RootField.draw(ORDER, np.random.default_rng(1), progression(ORDER))
RECOGNIZER = Recognizer(FIELD)
CONSTANTS = [2, 0.5, -1, 1j, 4, np.exp(2j * np.pi / 48 * 5), 2**0.5, 1 + 1j, -0.25]


def complexes(parts):
    """Return the numbers of real coefficients of shape (.., parts, inputs)."""
    return parts[..., 0, :] + (1j * parts[..., 1, :] if parts.shape[-2] == 2 else 0)


def coefficients(numbers):
    return np.stack([numbers.real, numbers.imag], axis=-2)


def viewed(random, elements, parts):
    """Return the same view of an array of elements and of its coefficients."""
    for _ in range(random.randint(0, 3)):
        count, is_complex = len(elements), parts.shape[-2] == 2
        match random.randint(0, 5):
            case 0:
                a = random.randint(0, count - 1)
                b = random.randint(a + 1, count)
                elements, parts = elements[a:b], parts[a:b]
            case 1:
                step = random.choice([2, 3, -1, -2])
                elements, parts = elements[::step], parts[::step]
            case 2 if is_complex:
                elements, parts = elements.real, parts[..., 0:1, :]
            case 3 if is_complex:
                elements, parts = elements.imag, parts[..., 1:2, :]
            case 4 if is_complex and elements.flags.c_contiguous:
                elements, parts = elements.view(float), parts.reshape(-1, 1, INPUTS)
            case 5 if not is_complex and elements.flags.c_contiguous and count % 2 == 0:
                elements, parts = elements.view(complex), parts.reshape(-1, 2, INPUTS)
    return elements, parts


def made(random, one, other):
    """Return something made of two views, as elements and as coefficients, or None."""
    (x, s), (y, t) = one, other
    if x.shape != y.shape:
        return None
    match random.randint(0, 3):
        case 0:
            return y.copy(), t.copy()
        case 1:
            c = random.choice(CONSTANTS)
            return y * c, coefficients(complexes(t) * c)
        case 2:
            return x + y, coefficients(complexes(s) + complexes(t))
        case 3 if ORDER % len(y) == 0:
            return fft(y), coefficients(np.fft.fft(complexes(t), axis=0))
    return None


def is_bounded(elements, parts):
    largest = np.abs(complexes(parts)).max(initial=0)
    return largest == 0 or math.log2(largest) <= elements.past.magnitude + 1e-6


def check(seed):
    """Do 25 things to three arrays, by views made now or before; assert that bounds hold."""
    random, arrays, before = Random(seed), [], []
    for _ in range(3):
        elements, parts = (
            Elements.zeros(COUNT, complex, RECOGNIZER, 2),
            np.zeros((COUNT, 2, INPUTS)),
        )
        elements[...] = 1
        parts[:, 0, 0] = 1
        arrays.append((elements, parts))

    def pick():
        if before and random.random() < 0.4:
            return random.choice(before)
        before.append(viewed(random, *random.choice(arrays)))
        return before[-1]

    for _ in range(25):
        target, parts = pick()
        found = made(random, (target, parts), pick())
        if found is None or found[0].parts.shape[-2] > parts.shape[-2]:
            continue
        assert is_bounded(*found), seed
        target[...] = found[0]
        parts[...] = 0
        parts[..., : found[1].shape[-2], :] = found[1][..., : parts.shape[-2], :]
        for elements, whole in [*arrays, pick()]:
            assert is_bounded(elements, whole), seed


@pytest.mark.parametrize("seed", range(0, 600, 100))
def test_bounds_hold_whatever_is_viewed(seed):
    for each in range(seed, seed + 100):
        check(each)


def test_a_view_that_was_made_before_the_memory_is_written_counts_its_halvings():
    z = Elements.zeros(4, complex, RECOGNIZER, 2)
    z[...] = 1
    real, turn = z.real, np.exp(2j * np.pi * 5 / 48)
    for _ in range(10):  # cos^10, of which 2^10 times is an integer
        z[...] = z * turn
        z[...] = real
    assert z.past.halves >= 10


def test_pairs_of_neighbours_that_were_written_with_others_are_larger():
    z = Elements.zeros(4, complex, RECOGNIZER, 2)
    z[...] = 2
    apart = z.view(float)[1:7].view(complex)
    assert apart.past == z.past.grown(1, 1)
    apart[...] = 2
    assert apart.past.magnitude == 1 and z.past.magnitude == 2
