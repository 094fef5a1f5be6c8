"""The systems as records: what each computes, and the options of its programs, declared once.

record.py       what an option is, and what a system is
exchanges.py    the ways in which messages travel, as records
options.py      the options that several systems have, and kernels as records
fft.py, ..      a module for each system, with its record
table.py        all of them
"""
