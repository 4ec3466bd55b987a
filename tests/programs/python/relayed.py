"""Leaks through a module in C."""
import extension


def direct():
    extension.attached(5001)  #:attached
    extension.detached(5002)  #:detached


def inner():
    extension.attached(5003)  #:inner


def outer():
    extension.relay(inner)  #:relayed


def other():
    extension.elsewhere(5004)


def visited():
    extension.detached(5005)  #:visited


direct()  #:direct
outer()  #:outer
other()
extension.visit(visited)
print("done")
