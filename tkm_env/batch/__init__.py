"""Many games side by side: compiled, on a GPU, or one by one in plain Python."""
