"""Which requests the server accepts: to this machine, from its own page, in JSON.

Any site that a person visits can send requests to servers on that person's machine and, by DNS
rebinding, even read the responses. So requests must name a host that no other site can claim, and
must not come from another origin.
"""

import ipaddress
import socket
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from flask import Flask, Response, abort, request

from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.files import parsed_json

#: The maximum number of bytes in the body of a request.
MAX_REQUEST_BYTES: Final = 1 << 14
#: Sent with every response: nothing may be loaded from elsewhere, framed by another site, or
#: cached.
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
#: The policy for a single-file page with inline script and style.
INLINE_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'none'"
)


def guard(
    app: Flask,
    remote_name: str | None,
    public_url: str | None = None,
    headers: Mapping[str, str] = HEADERS,
) -> None:
    """Make an application refuse requests that `refusal` rejects or that are too large.

    Args:
        app: the application.
        remote_name: as for `refusal`.
        public_url: as for `refusal`.
        headers: sent with every response.
    """
    app.config["MAX_CONTENT_LENGTH"] = MAX_REQUEST_BYTES

    @app.before_request
    def check_request() -> None:
        reason = refusal(request.host, request.headers.get("Origin"), remote_name, public_url)
        if reason is not None:
            abort(403, reason)

    @app.after_request
    def add_headers(response: Response) -> Response:
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        return response


def json_body(*keys: str) -> dict[str, Any]:
    """Return the JSON object in the body of the request.

    Raises:
        ConfigError: if the body is not a JSON object, or has keys other than these.
    """
    if not request.is_json:
        abort(415, "The content type must be application/json.")
    content = request.get_data()
    try:
        body = parsed_json(content)
    except ValueError as error:
        raise ConfigError("request", content, str(error)) from None
    if not isinstance(body, dict):
        raise ConfigError("request", body, "it must be a JSON object")
    for key in body:
        if key not in keys:
            raise ConfigError(
                "request", key, f"there is no such key; valid keys: {', '.join(keys) or 'none'}"
            )
    return body


def check_address(host: str, *, allow_remote: bool) -> bool:
    """Return whether other machines can reach this address.

    Args:
        host: the name or address to listen on.
        allow_remote: whether other machines may reach it.

    Returns:
        Whether they can.

    Raises:
        ConfigError: if they can but may not.
    """
    if _is_loopback(host):
        return False
    if not allow_remote:
        raise ConfigError(
            "host", host, "other machines could reach it; use --allow-remote to allow that"
        )
    return True


def checked_public_url(url: str) -> str:
    """Return a server's public address as browsers write it.

    Raises:
        ConfigError: if it is not an address, or has a path.

    >>> checked_public_url("https://Cup.example.org:443/")
    'https://cup.example.org'
    """
    usual = {"http": 80, "https": 443}
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    name = (parts.hostname or "").lower()
    if (
        parts.scheme not in usual
        or url.rstrip("/") != f"{parts.scheme}://{parts.netloc}"
        or (not name or "@" in parts.netloc)
    ):
        reason = "it must be an address without a path, such as https://cup.example.org"
        raise ConfigError("url", url, reason)
    name = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{name}{'' if port in (None, usual[parts.scheme]) else f':{port}'}"


def refusal(
    host: str, origin: str | None, remote_name: str | None = None, public_url: str | None = None
) -> str | None:
    """Return why a request with these headers is refused; None if it is not.

    Args:
        host: the header ``Host``.
        origin: the header ``Origin``; None if there is none.
        remote_name: the address that the server listens on, if other machines may reach it; None if
            not.
        public_url: the address of the page, if another server passes requests on to this one; None
            if not.

    Returns:
        The reason, in a sentence.

    >>> refusal("127.0.0.1:8000", "http://evil.example")
    "the origin 'http://evil.example' is not this page's"
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        name = ""
    if public_url is not None and host == urlsplit(public_url).netloc:
        return (
            None
            if origin in (None, public_url.rstrip("/"))
            else f"the origin {origin!r} is not this page's"
        )
    if not (_is_loopback(name) or (remote_name is not None and _is_own(name, remote_name))):
        return f"the host {host!r} is not this server's"
    if origin is not None and origin != f"http://{host}":
        return f"the origin {origin!r} is not this page's"
    return None


def _is_loopback(name: str) -> bool:
    return name == "localhost" or ((address := _address(name)) is not None and address.is_loopback)


def _is_own(name: str, remote_name: str) -> bool:
    """Whether a name can be this machine's: an IP address, or one of its own names.

    No other site can rebind an IP address.
    """
    return _address(name) is not None or name in (remote_name.lower(), socket.gethostname().lower())


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
