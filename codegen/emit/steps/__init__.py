"""Lines of a node program for each kind of superstep."""
