"""Products of symbolic length: opened, cut, put side by side, read as transforms. Not trusted."""
