# Raises its own limits.
# process: reached or refused (as root with all rights); restricted, sandbox: refused
import resource

limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit + 1, limit + 1))
except ValueError as error:
    raise PermissionError(str(error)) from None
