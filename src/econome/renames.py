"""Exchanges two names of a directory in one step, where the system can: what is replaced is then still at hand.

It knows the call and whether it is there. It decides nothing.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys

__all__ = ["exchange"]

_EXCHANGE = 2
_UNABLE = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM})

_call = None
if sys.platform.startswith(("linux", "darwin")):
    _library = ctypes.CDLL(None, use_errno=True)
    _call = getattr(
        _library, "renameat2" if sys.platform.startswith("linux") else "renameatx_np", None
    )


def exchange(fd: int, one: str, other: str) -> bool:
    """Exchange two names in the open directory *fd*; return False where this cannot be done here.

    Raises:
        OSError: one of them is not there, or the directory may not be written to.
    """
    if _call is None:
        return False
    arguments = (
        ctypes.c_int(fd),
        ctypes.c_char_p(os.fsencode(one)),
        ctypes.c_int(fd),
        ctypes.c_char_p(os.fsencode(other)),
        ctypes.c_uint(_EXCHANGE),
    )
    if _call(*arguments) == 0:
        return True
    number = ctypes.get_errno()
    if number in _UNABLE:
        return False
    raise OSError(number, os.strerror(number), one)
