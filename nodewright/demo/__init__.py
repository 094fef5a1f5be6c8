"""The main job on real data, from a formula to a certified run."""
