# Asks what machine it runs on, as libraries do that choose how to compute.
# all: refused (it goes on)
import contextlib
import os
import platform
from pathlib import Path

from attack import say

for path in (
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/self/status",
    "/sys/devices/system/cpu/online",
):
    Path(path).read_text()
for path in (
    "/proc/loadavg",
    "/sys/fs/cgroup/cpu.max",
    "/etc/os-release",
    "/proc/1/cgroup",
    "/sys/class/dmi/id/product_name",
):
    with contextlib.suppress(OSError):
        Path(path).read_text()
if not os.cpu_count() or not os.sysconf("SC_PHYS_PAGES"):
    raise RuntimeError("nothing is known")
platform.processor()
say("tried")
