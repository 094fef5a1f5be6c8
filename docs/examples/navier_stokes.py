"""The Taylor-Green vortex: Navier-Stokes equations in a periodic box by Orszag's spectral method
on any number of ranks, compared with numpy on one:

mpiexec -n 3 python docs/examples/navier_stokes.py
"""

from functools import partial

import numpy as np
from mpi4py import MPI

import nodewright as nw

comm, shape, viscosity, dt, steps = MPI.COMM_WORLD, (22, 20, 18), 0.02, 0.02, 25
axes = (1, 2, 3)  # of an array of three components


def wave_vectors(indices):
    """Return the integer wave vectors, |k|^2 (1 for k = 0) and which k the 2/3 rule keeps."""
    each = [np.fft.fftfreq(n, 1 / n)[index] for n, index in zip(shape, indices, strict=True)]
    k = np.stack(np.broadcast_arrays(*each))
    kept = (abs(k) < np.reshape(shape, (3, 1, 1, 1)) / 3).all(axis=0)
    return k, np.maximum((k**2).sum(axis=0), 1), kept


def cross(a, b):
    """Return the vector product at every point."""
    return np.stack([a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)])


def slope(u, forward, backward, k, k2, kept):
    """Return du/dt = u x curl u - grad p + viscosity laplace u of Fourier coefficients u."""
    product = kept * forward(cross(backward(u), backward(1j * cross(k, u))))
    pressure = (k * product).sum(axis=0) / k2  # which makes the divergence 0
    return product - k * pressure - viscosity * k2 * u


def advanced(u, **transforms):
    """Return u after one step of the fourth order by Runge and Kutta."""
    f = partial(slope, **transforms)
    a = f(u)
    b = f(u + dt / 2 * a)
    c = f(u + dt / 2 * b)
    d = f(u + dt * c)
    return u + dt / 6 * (a + 2 * b + 2 * c + d)


def vortex(indices):
    """Return the velocity of the Taylor-Green vortex at grid points."""
    x, y, z = (2 * np.pi * j / n for j, n in zip(indices, shape, strict=True))
    u = np.sin(x) * np.cos(y) * np.cos(z)
    return np.stack([u, -np.cos(x) * np.sin(y) * np.cos(z), 0 * u])


def solved(indices, wave_indices, forward, backward):
    """Return the velocity after all steps, of a part of the box or of the whole one."""
    k, k2, kept = wave_vectors(wave_indices)
    u = forward(vortex(indices))
    for _ in range(steps):
        u = advanced(u, forward=forward, backward=backward, k=k, k2=k2, kept=kept)
    return backward(u)


layouts = {"input": "block,whole,whole", "output": "whole,block,whole"}
with nw.RFFT(comm, shape, batch=3, **layouts) as rfft:
    ends = rfft.input_index(), rfft.output_index()
    points, waves = ([along[0] for along in indices[1:]] for indices in ends)
    velocity = solved(points, waves, rfft.forward, rfft.backward)
    energy = comm.allreduce((velocity**2).sum()) / 2 / np.prod(shape)
    parts = comm.gather((rfft.input_slices, velocity))

if comm.rank == 0:
    whole, half = np.ogrid[:22, :20, :18], np.ogrid[:22, :20, :10]
    inverse = partial(np.fft.irfftn, s=shape, axes=axes)
    by_numpy = solved(whole, half, partial(np.fft.rfftn, axes=axes), inverse)
    print("planes of each rank:", *(part.shape[1] for _, part in parts))
    print(f"energy: {energy:.6f} after t = {dt * steps}, at first 0.125")
    print("as numpy:", all(np.allclose(part, by_numpy[own], atol=1e-12) for own, part in parts))
