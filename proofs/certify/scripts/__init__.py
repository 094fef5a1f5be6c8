"""What is asked of a program: scripts of transforms, jobs, and the traffic that they cause."""
