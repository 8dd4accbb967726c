"""*That Time You Killed Me*: three eras, copies that travel in time, chapters and powers."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submodules=["events"])
