"""One file over HTTP, resumed where it broke. Knows nothing of data sets or checksums."""

import time
from pathlib import Path

import dpmc

# small, because what has arrived of a chunk is lost when the transfer breaks
_CHUNK = 1 << 14
_CONNECT_SECONDS = 10.0
# answers that may be better a moment later: time-out, too early, too many requests, server errors
_PASSING = {408, 425, 429, 500, 502, 503, 504}


class TransferFailed(Exception):
    """A download that did not succeed. The message continues a sentence that starts with the URL.

    Attributes
    ----------
    final : bool
        Another attempt would not change the answer.
    """

    def __init__(self, message: str, *, final: bool = False):
        super().__init__(message)
        self.final = final


def transfer(
    url: str,
    part: Path,
    *,
    title: str,
    size: int | None = None,
    progress: bool = True,
    timeout: float = 30.0,
    attempts: int = 3,
    pause: float = 1.0,
) -> bool:
    """Download ``url`` to ``part``; what ``part`` already holds is not asked for again.

    The part stays where it is if the download breaks, for the next call. ``size`` is the bytes that
    the whole file has; less is an interrupted transfer. After ``timeout`` seconds without a single
    byte the transfer counts as stalled; ``pause`` are the seconds before the second attempt,
    doubled before each further one. The progress bar, labelled ``title``, is shown if standard
    error is a terminal. Return whether the file was put together from more than one answer of the
    server.
    """
    for attempt in range(1, attempts + 1):
        try:
            return _attempt(url, part, title, size, progress, timeout)
        except TransferFailed as error:
            kept = part.stat().st_size if part.exists() else 0
            if not kept:
                part.unlink(missing_ok=True)
            if error.final:
                raise
            if attempt == attempts:
                rest = f"; the first {kept:,} bytes are kept for the next try" if kept else ""
                raise TransferFailed(f"{error} (attempt {attempt} of {attempts}{rest})") from error
        time.sleep(pause * 2 ** (attempt - 1))
    raise ValueError(f"attempts must be at least 1, got {attempts}")


def _attempt(url, part, title, size, progress, timeout) -> bool:
    import requests

    have = part.stat().st_size if part.exists() else 0
    # without compression, so that byte positions are those of the file
    headers = {"Accept-Encoding": "identity", "User-Agent": f"dpmc/{dpmc.__version__}"}
    if have:
        headers["Range"] = f"bytes={have}-"
    timeouts = (min(_CONNECT_SECONDS, timeout), timeout)
    try:
        with requests.get(url, headers=headers, stream=True, timeout=timeouts) as response:
            start = _start(response, part, have)
            if start is None:
                return True
            _receive(response, part, start, title, progress)
    except requests.RequestException as error:
        raise TransferFailed(_reason(error, timeout)) from error
    arrived = part.stat().st_size
    if size is not None and arrived < size:
        raise TransferFailed(f"was cut off after {arrived:,} of {size:,} bytes")
    return start > 0


def _start(response, part: Path, have: int) -> int | None:
    """Return the position that the answer starts at, None if all bytes have arrived already."""
    status = response.status_code
    content_range = response.headers.get("Content-Range", "")
    if status == 200:  # also the answer of a server that cannot resume: the file from its start
        return 0
    if status == 206 and content_range.startswith(f"bytes {have}-"):
        return have
    if status == 416 and content_range == f"bytes */{have}":
        return None
    if status in (206, 416):
        part.unlink(missing_ok=True)
        raise TransferFailed("cannot resume this download")
    raise TransferFailed(f"answered {status} {response.reason}", final=status not in _PASSING)


def _receive(response, part: Path, start: int, title: str, progress: bool) -> None:
    from tqdm import tqdm

    length = response.headers.get("Content-Length")
    bar = tqdm(
        desc=title,
        total=start + int(length) if length else None,
        initial=start,
        unit="B",
        unit_scale=True,
        disable=None if progress else True,
    )
    with open(part, "ab" if start else "wb") as stream, bar:
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
