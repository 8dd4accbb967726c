"""The tag of the wheel: it needs no version of Python, but one kind of system."""

from __future__ import annotations

import sysconfig
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelTag(BuildHookInterface[Any]):
    """Sets the tag."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Set the tag.

        Args:
            version: the version of the target, which makes no difference.
            build_data: what the builder uses; changed in place.
        """
        system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        # Object files ask nothing of the C library.
        build_data["tag"] = f"py3-none-{system.replace('linux_', 'manylinux_2_17_')}"
        build_data["pure_python"] = False
