"""The language of node programs: what is in it, and the evaluator of its statements."""
