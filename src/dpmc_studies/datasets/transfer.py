"""Download of one file over HTTP, with retries. Knows nothing of data sets or checksums."""

import time
from pathlib import Path

import dpmc

_CHUNK = 1 << 16
_CONNECT_SECONDS = 10.0
# answers that may be better a moment later: time-out, too early, too many requests, server errors
_PASSING = {408, 425, 429, 500, 502, 503, 504}


class TransferFailed(Exception):
    """A failed download. The message continues a sentence that starts with the URL.

    ``final`` means that another attempt would give the same answer.
    """

    def __init__(self, message: str, *, final: bool = False):
        super().__init__(message)
        self.final = final


def transfer(
    url: str,
    target: Path,
    *,
    title: str,
    size: int | None = None,
    progress: bool = True,
    timeout: float = 30.0,
    attempts: int = 3,
    pause: float = 1.0,
) -> None:
    """Download ``url`` to ``target``, each attempt from the start.

    ``size`` is the number of bytes of the whole file; fewer mean an interrupted transfer. A
    transfer without a byte for ``timeout`` seconds has stalled. ``pause`` is the number of seconds
    before the second attempt; it doubles before each further one. The progress bar, labelled
    ``title``, is shown if standard error is a terminal.
    """
    for attempt in range(1, attempts + 1):
        try:
            return _attempt(url, target, title, size, progress, timeout)
        except TransferFailed as error:
            if error.final:
                raise
            if attempt == attempts:
                raise TransferFailed(f"{error} (attempt {attempt} of {attempts})") from error
        time.sleep(pause * 2 ** (attempt - 1))
    raise ValueError(f"attempts must be at least 1, got {attempts}")


def _attempt(url, target, title, size, progress, timeout) -> None:
    import requests

    headers = {"User-Agent": f"dpmc/{dpmc.__version__}"}
    timeouts = (min(_CONNECT_SECONDS, timeout), timeout)
    try:
        with requests.get(url, headers=headers, stream=True, timeout=timeouts) as response:
            if response.status_code != 200:
                status = f"{response.status_code} {response.reason}"
                final = response.status_code not in _PASSING
                raise TransferFailed(f"answered {status}", final=final)
            _receive(response, target, title, progress)
    except requests.RequestException as error:
        raise TransferFailed(_reason(error, timeout)) from error
    arrived = target.stat().st_size
    if size is not None and arrived < size:
        raise TransferFailed(f"was cut off after {arrived:,} of {size:,} bytes")


def _receive(response, target: Path, title: str, progress: bool) -> None:
    from tqdm import tqdm

    length = response.headers.get("Content-Length")
    bar = tqdm(
        desc=title,
        total=int(length) if length else None,
        unit="B",
        unit_scale=True,
        disable=None if progress else True,
    )
    with open(target, "wb") as stream, bar:
        for chunk in response.iter_content(_CHUNK):
            stream.write(chunk)
            bar.update(len(chunk))


def _reason(error: Exception, timeout: float) -> str:
    import requests

    # a stall in the middle of the body is a ConnectionError, not a Timeout
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return f"sent nothing for {timeout:g} s"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "was cut off"
    return f"cannot be reached ({type(error).__name__})"
