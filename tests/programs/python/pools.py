"""Children of every kind that `multiprocessing` and `os` create, while the parent's threads are running; each allocates and releases."""
import ctypes
import functools
import multiprocessing
import os
import sys
import threading


@functools.cache  # the loader's own state does not survive a fork during its work
def library():
    acl = ctypes.CDLL("libascendcl.so")
    acl.aclInit(None)
    acl.aclrtSetDevice(0)
    return acl


def pairs(count):
    acl = library()
    for _ in range(count):
        block = ctypes.c_void_p()
        acl.aclrtMalloc(ctypes.byref(block), ctypes.c_size_t(4096), 0)
        acl.aclrtFree(block)
    return count


def work(stopping):
    while not stopping.is_set():
        pairs(1)


def fork_in_thread(told):
    child = os.fork()
    if child == 0:
        pairs(30)
        os._exit(3)
    told.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    kind = sys.argv[1]
    pairs(5)
    stopping = threading.Event()
    threads = [threading.Thread(target=work, args=(stopping,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    if kind == "thread":
        told = []
        for _ in range(2):
            forking = threading.Thread(target=fork_in_thread, args=(told,))
            forking.start()
            forking.join()
        print(told)
    else:
        with multiprocessing.get_context(kind).Pool(2) as pool:
            print(sum(pool.map(pairs, [10] * 6, chunksize=1)))
            pool.close()
            pool.join()
    stopping.set()
    for thread in threads:
        thread.join()
