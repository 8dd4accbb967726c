"""How Python becomes machine code and runs on several cores.

Here are the decorators, the cache, linking, threads, and what kernels of all games share.
"""
