"""The spectrum of a signal that lies on several ranks, and its convolution with a pulse:

mpiexec -n 4 python docs/examples/spectrum.py
"""

import numpy as np
from mpi4py import MPI

import nodewright as nw

comm, N = MPI.COMM_WORLD, 2**16
M = N // comm.size
t = (np.arange(comm.rank * M, (comm.rank + 1) * M)) / N  # this rank's block of one second
signal = np.sin(2 * np.pi * 440 * t) + 0.5 * np.sin(2 * np.pi * 1000 * t)
pulse = np.exp(-((np.minimum(t, 1 - t) / 0.001) ** 2))

with nw.FFT(comm, N, output="cyclic") as fft:
    # entry k of a spectrum in cyclic layout is on rank k mod P, so the work is balanced
    spectrum = fft.forward(signal.astype(complex))
    smooth = fft.backward(spectrum * fft.forward(pulse.astype(complex))).real

k = np.arange(M) * comm.size + comm.rank
power = np.where(k < N // 2, abs(spectrum) ** 2, 0)
loudest = max(comm.allgather((power.max(), k[power.argmax()])))
largest = max(comm.allgather(abs(smooth).max()))
if comm.rank == 0:
    print(f"loudest at {loudest[1]} Hz; the smooth signal is below {largest:.1f}")
