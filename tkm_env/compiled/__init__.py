"""How Python becomes machine code and runs on several cores: decorators, cache, linking, threads, and what kernels share."""
