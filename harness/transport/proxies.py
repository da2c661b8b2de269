"""Which proxy leads to a URL, as the usual environment variables say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

_SCHEME = re.compile(r"\w+://")


class ProxyProblem(ValueError):
    """A variable that names no proxy we can use; the text says which, without what may be a secret in it."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy of HTTP. `auth`: user and password, both "" where it wants none."""

    scheme: str
    host: str
    port: int
    auth: tuple[str, str] = ("", "")


def proxy_for(url: str) -> Proxy | None:
    """The proxy for a URL: HTTP_PROXY, HTTPS_PROXY or ALL_PROXY, unless NO_PROXY excepts its host. Raises ProxyProblem.

    Small letters do as well, and a host and port without a scheme.
    """
    parts, known = urlsplit(url), getproxies()
    given = known.get(parts.scheme) or known.get("all")
    if not given or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    name = f"{parts.scheme if parts.scheme in known else 'all'}_proxy".upper()
    try:
        return _read(given if _SCHEME.match(given) else f"http://{given}")
    except ValueError as error:
        raise ProxyProblem(f"{name} must be an address such as http://proxy.example:3128 ({error})") from None


def _read(text: str) -> Proxy:
    """Raises ValueError."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("only proxies of HTTP are known" if parts.scheme else "it has no host")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return Proxy(parts.scheme, parts.hostname, port, (unquote(parts.username or ""), unquote(parts.password or "")))
