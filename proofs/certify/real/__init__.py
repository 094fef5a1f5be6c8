"""A program on real ranks under mpiexec, in namespaces of its own."""
