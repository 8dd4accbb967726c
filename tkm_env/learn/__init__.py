"""Parts for whoever trains: opponents that are copies of the learner, and advantages in self-play.

Those for Stable-Baselines3 are in `tkm_env.learn.sb3`; `tkm_env.learn.policy_file` writes what PyTorch trained to files that play.
`tkm_env.learn.value_training` learns what positions are worth, as `tkm train` does.
"""

from __future__ import annotations

from tkm_env.learn.advantages import zero_sum_gae
from tkm_env.learn.snapshots import Snapshots

__all__ = ["Snapshots", "zero_sum_gae"]
