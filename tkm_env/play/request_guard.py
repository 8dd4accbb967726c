"""Access control for the server: only this machine, and only its own page.

Any site that a person visits can send requests to servers on the same machine, and by DNS rebinding even read the responses. So
requests must name a host that no other site can claim, and must not come from another origin.
"""

from __future__ import annotations

import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

from tkm_env.errors import ConfigError

#: Sent with every response: nothing may be loaded from elsewhere, framed by another site, or cached.
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


#: The policy for a single-file page with inline script and style.
INLINE_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)


def check_address(host: str, *, allow_remote: bool) -> bool:
    """Whether other machines can reach this address.

    Raises:
        ConfigError: if they can, and that is not allowed.

    >>> check_address("127.0.0.1", allow_remote=False)
    False
    """
    if _is_loopback(host):
        return False
    if not allow_remote:
        raise ConfigError("host", host, "other machines could reach it; use --allow-remote to allow that")
    return True


def refusal(host: str, origin: str | None, remote_name: str | None = None) -> str | None:
    """Why a request is refused; None if it is not.

    Args:
        host: its Host header.
        origin: its Origin header, which browsers send with every POST from a page.
        remote_name: the address the server listens on, if other machines may reach it.

    >>> refusal("127.0.0.1:8000", "http://127.0.0.1:8000")
    >>> refusal("evil.example:8000", None)
    "the host 'evil.example:8000' is not this server's"
    >>> refusal("127.0.0.1:8000", "http://evil.example")
    "the origin 'http://evil.example' is not this page's"
    """
    name = _name_in(host)
    if not (_is_loopback(name) or (remote_name is not None and _is_own(name, remote_name))):
        return f"the host {host!r} is not this server's"
    if origin is not None and origin != f"http://{host}":
        return f"the origin {origin!r} is not this page's"
    return None


def _name_in(host: str) -> str:
    """The name in a Host header, without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_loopback(name: str) -> bool:
    return name == "localhost" or ((address := _address(name)) is not None and address.is_loopback)


def _is_own(name: str, remote_name: str) -> bool:
    """Whether a name can be this machine's: an IP address, which no other site can rebind, or one of its own names."""
    return _address(name) is not None or name in (remote_name.lower(), socket.gethostname().lower())


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
