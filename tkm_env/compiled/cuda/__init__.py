"""Arrays and kernels on a GPU."""
