"""Stages of butterflies, and transforms that are sent part by part."""
