"""Certificates of emitted programs: what a program's text computes, sends and costs."""
