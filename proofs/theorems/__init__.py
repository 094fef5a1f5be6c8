"""The theorems, a file per paper."""
