/* The transform of 2^LG_N complex numbers by FFTW's MPI part, FFTW_MEASURE: prints the least seconds of the slowest rank, and an error.
   mpicc fftw_fft.c -o fftw_fft -lfftw3_mpi -lfftw3 -lm; mpiexec -n P ./fftw_fft LG_N REPEATS SCRAMBLED(0|1) */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    MPI_Init(&count, &words);
    fftw_mpi_init();
    int rank, lg = atoi(words[1]), repeats = atoi(words[2]), scrambled = atoi(words[3]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ptrdiff_t size = 1L << lg, inputs, first_input, outputs, first_output;
    unsigned flags = FFTW_MEASURE | (scrambled ? FFTW_MPI_SCRAMBLED_OUT : 0);
    ptrdiff_t elements = fftw_mpi_local_size_1d(size, MPI_COMM_WORLD, FFTW_FORWARD, flags, &inputs, &first_input, &outputs, &first_output);
    fftw_complex *x = fftw_alloc_complex(elements), *y = fftw_alloc_complex(elements);
    fftw_plan plan = fftw_mpi_plan_dft_1d(size, x, y, MPI_COMM_WORLD, FFTW_FORWARD, flags);
    double best = 1e9, slowest, wrong = 0, all;
    for (int repeat = 0; repeat < repeats; repeat++) {
        for (ptrdiff_t i = 0; i < inputs; i++) x[i][0] = first_input + i == 1, x[i][1] = 0; /* e_1, whose transform has entries exp(-2 pi i k / N) */
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        fftw_execute(plan);
        double seconds = MPI_Wtime() - start;
        MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (slowest < best) best = slowest;
    }
    for (ptrdiff_t i = 0; i < outputs; i++) {
        double angle = -2 * M_PI * (double)(first_output + i) / (double)size;
        double found = scrambled ? hypot(y[i][0], y[i][1]) - 1 : hypot(y[i][0] - cos(angle), y[i][1] - sin(angle));
        wrong = fmax(wrong, fabs(found));
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("{\"seconds_min\": %.9f, \"error\": %g}\n", best, all);
    MPI_Finalize();
    return 0;
}
