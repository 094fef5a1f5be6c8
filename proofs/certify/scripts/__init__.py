"""What is asked of a program: scripts of transforms, jobs, the traffic that they cause, and what is
expected of exchanges and kernels.
"""
