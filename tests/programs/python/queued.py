# Operators that another thread runs, and one that runs where it is called; two are given less workspace than they need.
import ctypes
import os

queue = ctypes.CDLL(os.path.abspath("queued.so"))


def forward():
    queue.multiply(0, 1)


def backward():
    queue.multiply(16, 1)


def update():
    queue.multiply(16, 0)


queue.open_queue()
forward()
backward()
update()
queue.close_queue()
