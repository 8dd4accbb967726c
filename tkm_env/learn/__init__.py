"""Building blocks for training: opponents made of past learners, advantages in self-play.

`tkm_env.learn.sb3` has callbacks for Stable-Baselines3, `tkm_env.learn.export_policy` writes
policies trained with PyTorch to files that play, and `tkm_env.learn.value_training` trains value
networks, as `tkm train` does.
"""

from __future__ import annotations

from tkm_env.learn.advantages import zero_sum_gae
from tkm_env.learn.snapshots import Snapshots

__all__ = ["Snapshots", "zero_sum_gae"]
