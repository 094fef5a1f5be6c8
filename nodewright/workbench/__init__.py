"""The workbench: a page in a browser with four tabs, on this machine alone.

workbench_command.py       `nodewright workbench`, which starts the page
page.py          the page: what a click does, and where what is found stands
derivations.py   a formula, the rules that apply to it, the document at the end
permutation_tab.py  a matrix of bits, its factors and its messages as pictures
programs.py      a program superstep by superstep, its text, its cost
certificates.py  verdicts, what each means, what stays assumed
parts.py         the parts of the page as HTML, and wrong texts with their column
jobs.py          work in a process of its own, which can be stopped; worker.py is that process

The tabs are pure functions: what is asked for in, texts and pictures out.
"""
