"""Values that programs make and Python does not have, and what operators do with values."""
