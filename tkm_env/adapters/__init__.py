"""Games and environments in the forms that other libraries expect.

Each library is imported only when its adapter is.
"""
