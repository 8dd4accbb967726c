import dataclasses

from tkm_env.core.settings import make_config, setting


@dataclasses.dataclass(frozen=True)
class Config:
    """The settings of a game of your own."""

    size: int = setting(3, "Length of a side.", kind="number", parse=int)


print(make_config(Config, None, {"size": 4}))
