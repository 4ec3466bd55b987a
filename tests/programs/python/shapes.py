"""A leak from each kind of Python code. A mark after a call names its line."""
import asyncio
import ctypes
import threading

detached = ctypes.CDLL("libascendcl.so")  # releases the GIL during a call
attached = ctypes.PyDLL("libascendcl.so")  # keeps it


def allocate(library, size):
    block = ctypes.c_void_p()
    failed = library.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(size), 0)  #:call
    return failed


def nested():
    def inner():
        return allocate(detached, 1001)  #:inner

    return inner()  #:nested


def generate():
    yield allocate(detached, 1002)  #:generate


async def leaf():
    return allocate(attached, 1003)  #:leaf


async def coroutine():
    await asyncio.sleep(0)
    return await leaf()  #:coroutine


class Model:
    def load(self):
        return allocate(attached, 1004)  #:load

    def __lt__(self, other):
        return allocate(detached, 1005) == 1  #:less


def recurse(depth):
    if depth == 0:
        return allocate(detached, 1006)  #:bottom
    return recurse(depth - 1)  #:again


def thread():
    detached.aclrtSetDevice(0)
    allocate(detached, 1007)  #:thread


def caught():
    try:
        raise ValueError("never mind")
    except ValueError:
        allocate(attached, 1008)  #:caught
    finally:
        allocate(detached, 1009)  #:finally


def two(first, second):
    return first + second


detached.aclInit(None)
detached.aclrtSetDevice(0)
nested()  #:nesting
list(generate())  #:generating
asyncio.run(coroutine())  #:awaiting
Model().load()  #:loading
sorted([Model(), Model()])  #:sorting
recurse(900)  #:recursing
worker = threading.Thread(target=thread)
worker.start()
worker.join()
caught()  #:catching
two(allocate(detached, 1010), allocate(detached, 1010))  #:twice
print("done")
