"""Questions about positions with one right answer, made by seed and difficulty.

The engine or a proof gives each answer, and a second path confirms it.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
