"""Annotations that a program makes for aclsan: pools, epochs, names, what to ignore.

Without libaclsan.so preloaded, the calls work the same and do nothing. `aclsan.h` documents each call.

    import aclsan                                  # PYTHONPATH="$(aclsan env --includedir)"

    with aclsan.pool("activations", block, size) as pool:
        pool.alloc(block + 256, 1024)
        pool.free(block + 256)
    with aclsan.ignored():
        warm_up()
    for step in range(10):
        aclsan.epoch(f"step {step}")

    @aclsan.recording()                            # with ACLSAN_OPTIONS=start=paused
    def one_step():
        ...

`import aclsan.torch` says what the memory of a PyTorch program is for.

Addresses and streams are integers, or anything that `int()` or ctypes takes as a pointer.
"""

import contextlib
import ctypes
import os

if "__path__" not in globals():
    # As a single file: `aclsan.torch` is in a folder beside it, not beside programs' own `torch`.
    __path__ = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "aclsan_parts")]

__all__ = [
    "categorize",
    "category",
    "check",
    "epoch",
    "ignored",
    "interface",
    "name_block",
    "paused",
    "pool",
    "recording",
    "snapshot",
    "start",
    "stop",
    "Pool",
]

_word, _text, _pointer = ctypes.c_uint64, ctypes.c_char_p, ctypes.c_void_p


def _find(symbol, result, *arguments):
    """The function of the shim, or one that does nothing."""
    try:
        # CDLL(None) is the whole program, including preloaded libraries.
        found = getattr(ctypes.CDLL(None), "__aclsan_" + symbol)
    except (AttributeError, OSError, TypeError):
        return lambda *_: 0
    found.restype, found.argtypes = result, arguments
    return found


_interface = _find("interface", ctypes.c_int)
_pool_create = _find("pool_create", _word, _text, _pointer, ctypes.c_size_t)
_pool_policy = _find("pool_policy", None, _word, ctypes.c_size_t, ctypes.c_size_t)
_pool_alloc = _find("pool_alloc", None, _word, _pointer, ctypes.c_size_t, _pointer)
_pool_free = _find("pool_free", None, _word, _pointer, _pointer)
_pool_destroy = _find("pool_destroy", None, _word)
_epoch = _find("epoch", None, _text)
_name_block = _find("name_block", None, _pointer, _text)
_snapshot = _find("snapshot", None, _text)
_ignore_begin = _find("ignore_begin", None)
_ignore_end = _find("ignore_end", None)
_category = _find("category", None, _pointer, _text)
_category_push = _find("category_push", None, _text)
_category_pop = _find("category_pop", None)
_start = _find("start", ctypes.c_int)
_stop = _find("stop", ctypes.c_int)
_check = _find("check", ctypes.c_size_t)


def _bytes(text):
    # A NUL would end the text, and a lone surrogate cannot be encoded as UTF-8.
    return str(text).encode("utf-8", "replace").replace(b"\0", b"?")


class Pool:
    """Memory that the program suballocates. Ends with its `with` block, or with `destroy`."""

    def __init__(self, name, address=None, size=0, alignment=0, rounding=0):
        self._id = _pool_create(_bytes(name), address, size)
        if alignment or rounding:
            _pool_policy(self._id, alignment, rounding)

    def alloc(self, address, size, stream=None):
        """The pool has allocated `size` bytes at `address`."""
        _pool_alloc(self._id, address, size, stream)

    def free(self, address, stream=None):
        """The pool is about to free its sub-block at `address`."""
        _pool_free(self._id, address, stream)

    def destroy(self):
        """Destroys the pool, and with it all of its sub-blocks."""
        ended, self._id = self._id, 0
        if ended:
            _pool_destroy(ended)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.destroy()


pool = Pool


@contextlib.contextmanager
def ignored():
    """Inside, blocks that this thread allocates are no leaks, and its findings are neither printed nor counted. Also a decorator."""
    _ignore_begin()
    try:
        yield
    finally:
        _ignore_end()


def categorize(address, name):
    """Says what the block, or part of a pool, that contains `address` is for."""
    _category(address, _bytes(name))


@contextlib.contextmanager
def category(name):
    """Inside, blocks and parts of pools that this thread allocates have this category. Also a decorator."""
    _category_push(_bytes(name))
    try:
        yield
    finally:
        _category_pop()


def start():
    """Starts recording. Returns whether it was stopped."""
    return bool(_start())


def stop():
    """Stops recording, for the whole process. Returns whether it was on."""
    return bool(_stop())


@contextlib.contextmanager
def recording():
    """Records inside, if recording was stopped. Also a decorator."""
    was_stopped = start()
    try:
        yield
    finally:
        if was_stopped:
            stop()


@contextlib.contextmanager
def paused():
    """Stops recording inside, if it was on. Also a decorator."""
    was_on = stop()
    try:
        yield
    finally:
        if was_on:
            start()


def epoch(name):
    """Marks the beginning of a step."""
    _epoch(_bytes(name))


def name_block(address, name):
    """Names the live block that contains `address`."""
    _name_block(address, _bytes(name))


def snapshot(name):
    """Records how many blocks and bytes are live now."""
    _snapshot(_bytes(name))


def check():
    """Checks guards now, and returns how many live blocks have an overwritten one that was not reported yet."""
    return _check()


def interface():
    """The interface version of the loaded libaclsan.so; 0 if there is none."""
    return _interface()
