/* The transform of an array of complex numbers by FFTW's MPI part, or of real ones to their half spectrum, FFTW_MEASURE, slabs to slabs of the first axis in natural order: prints the least seconds of the slowest rank, and an error.
   mpicc fftw_arrays.c -o fftw_arrays -lfftw3_mpi -lfftw3 -lm; mpiexec -n P ./fftw_arrays REPEATS TRANSPOSED(0|1) REAL(0|1) N [N ..] */
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    MPI_Init(&count, &words);
    fftw_mpi_init();
    int rank, repeats = atoi(words[1]), transposed = atoi(words[2]), real = atoi(words[3]), axes = count - 4;
    ptrdiff_t shape[8], rest = 1, inputs, first_input, outputs, first_output, elements;
    for (int axis = 0; axis < axes; axis++) shape[axis] = atol(words[4 + axis]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsigned flags = FFTW_MEASURE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0);
    if (axes == 1) {
        elements = fftw_mpi_local_size_1d(shape[0], MPI_COMM_WORLD, FFTW_FORWARD, flags, &inputs, &first_input, &outputs, &first_output);
    } else {
        if (real) shape[axes - 1] = shape[axes - 1] / 2 + 1;
        elements = fftw_mpi_local_size_transposed(axes, shape, MPI_COMM_WORLD, &inputs, &first_input, &outputs, &first_output);
        if (!transposed) outputs = inputs, first_output = first_input;
        for (int axis = transposed ? 2 : 1; axis < axes; axis++) rest *= shape[axis];
        if (transposed) rest *= shape[0];
    }
    fftw_complex *x = fftw_alloc_complex(elements), *y = fftw_alloc_complex(elements);
    ptrdiff_t half = shape[axes - 1];
    if (real) shape[axes - 1] = atol(words[3 + axes]);
    fftw_plan plan = real ? fftw_mpi_plan_dft_r2c(axes, shape, x[0], y, MPI_COMM_WORLD, flags)
                   : axes == 1 ? fftw_mpi_plan_dft_1d(shape[0], x, y, MPI_COMM_WORLD, FFTW_FORWARD, flags)
                               : fftw_mpi_plan_dft(axes, shape, x, y, MPI_COMM_WORLD, FFTW_FORWARD, flags);
    shape[axes - 1] = half; /* of rows, which real numbers fill but for the last ones */
    double best = 1e9, slowest, wrong = 0, all;
    ptrdiff_t inner = 1;
    for (int axis = 1; axis < axes; axis++) inner *= shape[axis];
    for (int repeat = 0; repeat < repeats; repeat++) {
        for (ptrdiff_t i = 0; i < inputs * inner; i++) /* e_1 along the first axis, whose transform has entries exp(-2 pi i k / N) */
            x[i][0] = first_input * inner + i == inner, x[i][1] = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        fftw_execute(plan);
        double seconds = MPI_Wtime() - start;
        MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (slowest < best) best = slowest;
    }
    for (ptrdiff_t i = 0; i < outputs * rest; i++) {
        ptrdiff_t k = transposed ? i % rest / (rest / shape[0]) : first_output + i / rest;
        double angle = -2 * M_PI * (double)k / (double)shape[0];
        wrong = fmax(wrong, hypot(y[i][0] - cos(angle), y[i][1] - sin(angle)));
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("{\"seconds_min\": %.9f, \"error\": %g}\n", best, all);
    MPI_Finalize();
    return 0;
}
