# Releases a block twice, through a module that is called as pybind11's are.
import bound


def load():
    bound.grow(3000)


def unload():
    bound.drop(0)


load()
unload()
unload()
