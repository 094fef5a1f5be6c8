/* The transpose of a 2^Q x 2^(LG_N - Q) matrix of doubles by FFTW's MPI part, FFTW_MEASURE: prints the least seconds.
   mpicc fftw_transpose.c -o fftw_transpose -lfftw3_mpi -lfftw3 -lm; mpiexec -n 2 ./fftw_transpose LG_N Q */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    MPI_Init(&count, &words);
    fftw_mpi_init();
    int rank, lg = atoi(words[1]), q = atoi(words[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ptrdiff_t size[2] = {1L << q, 1L << (lg - q)}, rows, first_row, columns, first_column;
    ptrdiff_t elements = fftw_mpi_local_size_2d_transposed(size[0], size[1], MPI_COMM_WORLD, &rows, &first_row, &columns, &first_column);
    double *x = fftw_alloc_real(2 * elements), *y = fftw_alloc_real(2 * elements);
    fftw_plan plan = fftw_mpi_plan_many_transpose(size[0], size[1], 1, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, x, y, MPI_COMM_WORLD, FFTW_MEASURE);
    for (ptrdiff_t i = 0; i < rows * size[1]; i++) x[i] = (double)(first_row * size[1] + i);
    double best = 1e9;
    for (int repeat = 0; repeat < 15; repeat++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        fftw_execute(plan);
        MPI_Barrier(MPI_COMM_WORLD);
        double seconds = MPI_Wtime() - start;
        if (seconds < best) best = seconds;
    }
    double wrong = 0;
    for (ptrdiff_t j = 0; j < columns; j++)
        for (ptrdiff_t i = 0; i < size[0]; i++) wrong += y[j * size[0] + i] != (double)(i * size[1] + first_column + j);
    if (rank == 0) printf("{\"seconds_min\": %.9f, \"wrong\": %g}\n", best, wrong);
    MPI_Finalize();
    return wrong != 0;
}
