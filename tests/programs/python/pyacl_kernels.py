"""pyACL on the simulator: binaries, kernels, lists of arguments, memory that needs repair. Each fact names the page of the pyACL reference that
states it. CANN 8.1 lacks some of these functions: they are absent there."""

import ctypes

import acl

D2H = acl.ACL_MEMCPY_DEVICE_TO_HOST
INVALID, ABSENT_FEATURE = 100000, 207000
MAGIC, CORE = 2, 0x43554245  # "aclrtBinaryLoadOptionType"
TIMEOUT = 7  # "aclrtLaunchKernelAttrId"


def raises(call):
    """Wrong types are TypeError; wrong values are codes."""
    try:
        call()
    except TypeError as error:
        assert str(error), "the error says something"
    else:
        raise AssertionError("no TypeError")


class Arguments(ctypes.Structure):
    _fields_ = [("to", ctypes.c_void_p), ("table", ctypes.POINTER(ctypes.c_uint32)), ("factor", ctypes.c_uint64)]


# The kernels of the binary are functions of the host, which the simulator finds by name.
simulator = ctypes.CDLL(None)


@ctypes.CFUNCTYPE(None, ctypes.POINTER(Arguments))
def fill(arguments):
    given = arguments.contents
    value = ctypes.c_uint32(given.table[1] * given.factor)
    simulator.aclsimStore(ctypes.c_void_p(given.to), ctypes.byref(value), ctypes.c_size_t(4))


def content(pointer):
    host, ret = acl.rt.malloc_host(4)
    assert ret == 0 and acl.rt.memcpy(host, 4, pointer, 4, D2H) == 0
    data = acl.util.ptr_to_bytes(host, 4)
    assert acl.rt.free_host(host) == 0
    return int.from_bytes(data, "little")


def address(value):
    return ctypes.addressof(value)


def appended(arguments, block, factor):
    """"kernel_args_append": param_handle, ret; "kernel_args_get_place_holder_buffer": buffer_addr, ret."""
    to, ret = acl.rt.kernel_args_append(arguments, address(block), 8)
    assert ret == 0 and to
    table, ret = acl.rt.kernel_args_append_place_holder(arguments)
    assert ret == 0
    last, ret = acl.rt.kernel_args_append(arguments, address(factor), 8)
    assert ret == 0
    memory, ret = acl.rt.kernel_args_get_place_holder_buffer(arguments, table, 8)
    assert ret == 0
    ctypes.cast(memory, ctypes.POINTER(ctypes.c_uint32))[1] = 14
    assert acl.rt.kernel_args_finalize(arguments) == 0
    return last


def launches(function, stream):
    pointer, ret = acl.rt.malloc(64, 0)
    block, factor = ctypes.c_uint64(pointer), ctypes.c_uint64(3)
    arguments, ret = acl.rt.kernel_args_init(function)  # args_handle, ret
    assert ret == 0
    last = appended(arguments, block, factor)
    assert acl.rt.launch_kernel_with_config(function, 1, stream, [], arguments, 0) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and content(pointer) == 42
    factor.value = 5
    assert acl.rt.kernel_args_para_update(arguments, last, address(factor), 8) == 0
    limits = [{"id": TIMEOUT, "value": 9}]
    assert acl.rt.kernel_args_finalize(arguments) == 0
    assert acl.rt.launch_kernel_with_config(function, 1, stream, limits, arguments, 0) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and content(pointer) == 70

    size, ret = acl.rt.kernel_args_get_mem_size(function, 32)  # "kernel_args_get_mem_size": actual_args_size, ret
    assert ret == 0 and size >= 32
    handle_size, ret = acl.rt.kernel_args_get_handle_mem_size(function)
    assert ret == 0 and handle_size > 0
    own, memory = ctypes.create_string_buffer(handle_size), ctypes.create_string_buffer(size)
    assert acl.rt.kernel_args_init_by_user_mem(function, address(own), address(memory), size) == 0
    appended(address(own), block, ctypes.c_uint64(2))
    assert acl.rt.launch_kernel_with_config(function, 1, stream, [], address(own), 0) == 0
    assert acl.rt.synchronize_stream(stream) == 0 and content(pointer) == 28
    assert acl.rt.free(pointer) == 0

    raises(lambda: acl.rt.launch_kernel_with_config(function, 1, stream, 0, arguments, 0))
    raises(lambda: acl.rt.launch_kernel_with_config(function, 1, stream, [0], arguments, 0))
    raises(lambda: acl.rt.launch_kernel_with_config(function, 1, stream, [{"id": TIMEOUT}], arguments, 0))
    raises(lambda: acl.rt.kernel_args_append(arguments, 0))
    assert acl.rt.kernel_args_init(0)[1] == INVALID


def binaries(stream):
    code = ctypes.create_string_buffer(b"code for the chip")
    assert simulator.aclsimDefineKernel(b"fill", fill) == 0
    binary = acl.rt.create_binary(address(code), len(code))  # "create_binary": binary, no code
    loaded, ret = acl.rt.binary_load(binary)
    assert ret == 0 and acl.rt.destroy_binary(binary) == 0
    function, ret = acl.rt.binary_get_function(loaded, "fill")
    assert ret == 0
    assert acl.rt.get_function_name(function, 16) == ("fill", 0)
    assert acl.rt.get_function_addr(function)[2] == 0  # two addresses, ret
    launches(function, stream)
    assert acl.rt.register_cpu_func(loaded, "fill", "fill")[1] == ABSENT_FEATURE
    assert acl.rt.binary_unload(loaded) == 0
    raises(lambda: acl.rt.binary_get_function(loaded, 1))
    raises(lambda: acl.rt.get_function_name(function, 1 << 20))


def files():
    assert acl.rt.binary_load_from_file("/nonexistent.o", [])[1] != 0
    raises(lambda: acl.rt.binary_load_from_file(1, []))
    raises(lambda: acl.rt.binary_load_from_file("/nonexistent.o", {"type": MAGIC, "value": CORE}))
    if not hasattr(acl.rt, "binary_load_from_data"):
        return
    code = ctypes.create_string_buffer(b"code for the chip")
    for options in ([], [{"type": MAGIC, "value": CORE}]):
        loaded, ret = acl.rt.binary_load_from_data(address(code), len(code), options)  # bin_handle, ret
        assert ret == 0 and acl.rt.binary_unload(loaded) == 0
    assert acl.rt.binary_load_from_data(0, 4, [])[1] == INVALID


def repairs():
    """"get_mem_uce_info": a list of dictionaries, ret. No memory of the simulator is damaged."""
    assert acl.rt.get_mem_uce_info(0, 20) == ([], 0)
    assert acl.rt.get_mem_uce_info(99, 20)[1] != 0
    damaged = {"addr": 4096, "len": 64, "reserved": [0] * 14}
    assert acl.rt.mem_uce_repair(0, [damaged]) == ABSENT_FEATURE
    raises(lambda: acl.rt.mem_uce_repair(0, [{"addr": 4096, "len": 64}]))
    raises(lambda: acl.rt.mem_uce_repair(0, 1))
    raises(lambda: acl.rt.get_mem_uce_info(0))


assert acl.init() == acl.rt.set_device(0) == 0
queue, code = acl.rt.create_stream()
if hasattr(acl.rt, "get_function_name"):
    binaries(queue)
files()
if hasattr(acl.rt, "get_mem_uce_info"):
    repairs()
assert acl.rt.destroy_stream(queue) == acl.rt.reset_device(0) == acl.finalize() == 0
print("ok")
