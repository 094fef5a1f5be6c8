"""Certificates of emitted programs: what a program computes, sends and costs."""
