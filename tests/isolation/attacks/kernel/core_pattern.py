# Opens the setting that says which program of the machine's runs when one crashes.
# process: reached or refused (as root); restricted, sandbox: refused
import os

os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)
