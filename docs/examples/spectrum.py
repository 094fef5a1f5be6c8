"""The spectrum of a signal that lies on several ranks, and its convolution with a pulse:

mpiexec -n 4 python docs/examples/spectrum.py
"""

import numpy as np
from mpi4py import MPI

import nodewright as nw

comm, N = MPI.COMM_WORLD, 2**16
with nw.FFT(comm, N, output="cyclic") as fft:
    # entry k of a spectrum in cyclic layout is on rank k mod P, so the work is balanced
    t, k = fft.input_index() / N, fft.output_index()  # this rank's block of one second; frequencies
    signal = np.sin(2 * np.pi * 440 * t) + 0.5 * np.sin(2 * np.pi * 1000 * t)
    pulse = np.exp(-((np.minimum(t, 1 - t) / 0.001) ** 2))
    spectrum = fft.forward(signal)
    smooth = fft.backward(spectrum * fft.forward(pulse)).real

power = np.where(k < N // 2, abs(spectrum) ** 2, 0)
loudest = max(comm.allgather((power.max(), k[power.argmax()])))
largest = max(comm.allgather(abs(smooth).max()))
if comm.rank == 0:
    print(f"loudest at {loudest[1]} Hz; the smooth signal is below {largest:.1f}")
