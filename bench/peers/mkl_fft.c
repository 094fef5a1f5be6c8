/* The transform of 2^LG_N complex numbers by MKL's Cluster FFT, natural order: prints the least seconds of the slowest rank, and an error.
   mpicc -I E/include mkl_fft.c -o mkl_fft -Wl,--no-as-needed E/lib/libmkl_{cdft_core,intel_lp64,sequential,core,blacs_intelmpi_lp64}.so.* -lm -ldl -Wl,-rpath,E/lib
   with E where mpich, mkl and mkl-include of the Python package index are; mpiexec -n P ./mkl_fft LG_N REPEATS */
#include <math.h>
#include <mkl.h>
#include <mkl_cdft.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    MPI_Init(&count, &words);
    int rank, lg = atoi(words[1]), repeats = atoi(words[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mkl_set_num_threads(1);
    MKL_LONG size = 1L << lg, elements, inputs, first_input, outputs, first_output, status;
    DFTI_DESCRIPTOR_DM_HANDLE plan;
    status = DftiCreateDescriptorDM(MPI_COMM_WORLD, &plan, DFTI_DOUBLE, DFTI_COMPLEX, 1, size);
    if (!status) status = DftiGetValueDM(plan, CDFT_LOCAL_SIZE, &elements);
    if (!status) status = DftiGetValueDM(plan, CDFT_LOCAL_NX, &inputs);
    if (!status) status = DftiGetValueDM(plan, CDFT_LOCAL_X_START, &first_input);
    if (!status) status = DftiGetValueDM(plan, CDFT_LOCAL_OUT_NX, &outputs);
    if (!status) status = DftiGetValueDM(plan, CDFT_LOCAL_OUT_X_START, &first_output);
    if (!status) status = DftiSetValueDM(plan, DFTI_PLACEMENT, DFTI_NOT_INPLACE);
    double *x = mkl_malloc(16 * elements, 64), *y = mkl_malloc(16 * elements, 64), *work = mkl_malloc(16 * elements, 64);
    if (!status) status = DftiSetValueDM(plan, CDFT_WORKSPACE, work);
    if (!status) status = DftiCommitDescriptorDM(plan);
    double best = 1e9, slowest, wrong = 0, all;
    for (int repeat = 0; repeat < repeats && !status; repeat++) {
        for (MKL_LONG i = 0; i < inputs; i++) x[2 * i] = first_input + i == 1, x[2 * i + 1] = 0; /* e_1, whose transform has entries exp(-2 pi i k / N) */
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        status = DftiComputeForwardDM(plan, x, y);
        double seconds = MPI_Wtime() - start;
        MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (slowest < best) best = slowest;
    }
    if (status) {
        fprintf(stderr, "mkl_fft: %s\n", DftiErrorMessage(status));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (MKL_LONG i = 0; i < outputs; i++) {
        double angle = -2 * M_PI * (double)(first_output + i) / (double)size;
        wrong = fmax(wrong, hypot(y[2 * i] - cos(angle), y[2 * i + 1] - sin(angle)));
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("{\"seconds_min\": %.9f, \"error\": %g}\n", best, all);
    DftiFreeDescriptorDM(&plan);
    MPI_Finalize();
    return 0;
}
