"""pyACL on the simulator: dictionaries, attributes of pointers, keys for other processes. Each fact names the page of the pyACL reference that
states it. CANN 8.1 lacks some of these functions: they are absent there."""

import subprocess
import sys

import acl

D2H = acl.ACL_MEMCPY_DEVICE_TO_HOST
HOST, DEVICE = 0, 1  # "aclrtMemLocationType"
HUGE = 4  # "aclrtMemAttr": ACL_HBM_MEM_HUGE
MODULE_ID, DEVICE_ID = 1, 2  # "aclrtMallocAttrType"
WITHIN = 6  # "set_memcpy_desc": ACL_MEMCPY_INNER_DEVICE_TO_DEVICE
KEY_LENGTH = 65  # "ipc_mem_get_export_key": the fixed length
STEP = 2 << 20


def raises(call):
    """Wrong types are TypeError; wrong values are codes."""
    try:
        call()
    except TypeError as error:
        assert str(error), "the error says something"
    else:
        raise AssertionError("no TypeError")


def content(pointer, size):
    host, ret = acl.rt.malloc_host(size)
    assert ret == 0 and acl.rt.memcpy(host, size, pointer, size, D2H) == 0
    data = acl.util.ptr_to_bytes(host, size)
    assert acl.rt.free_host(host) == 0
    return data


def configurations():
    """"malloc_with_cfg", "malloc_host_with_cfg": an empty dictionary is no configuration."""
    module = {"attrs": [{"attr": MODULE_ID, "value": {"moduleId": 33}}], "numAttrs": 1}
    for config in ({}, module):
        pointer, ret = acl.rt.malloc_with_cfg(1000, 0, config)
        assert ret == 0 and acl.rt.memset(pointer, 1000, 7, 1000) == 0
        assert acl.rt.free(pointer) == 0
        host, ret = acl.rt.malloc_host_with_cfg(1000, config)
        assert ret == 0 and acl.rt.free_host(host) == 0
    other = {"attrs": [{"attr": DEVICE_ID, "value": {"deviceId": 9}}], "numAttrs": 1}
    assert acl.rt.malloc_with_cfg(1000, 0, other)[1] != 0  # "aclrtMallocAttrValue": another device is an error
    assert acl.rt.malloc_with_cfg(0, 0, {})[1] == 100000
    reserved = {"attrs": [{"attr": MODULE_ID, "value": {"rsv": [33, 0]}}], "numAttrs": 1}
    pointer, ret = acl.rt.malloc_for_task_scheduler(64, 0, reserved)
    assert ret == 0 and acl.rt.free(pointer) == 0
    wrong = [None, [], 1, {"attrs": []}, {"numAttrs": 0}, {"attrs": [1], "numAttrs": 1}, {"attrs": [], "numAttrs": 1}]
    wrong += [{"attrs": [{"attr": "1", "value": {"moduleId": 33}}], "numAttrs": 1}]
    wrong += [{"attrs": [{"attr": 1, "value": value}], "numAttrs": 1} for value in (33, {}, {"moduleId": "33"})]
    for config in wrong:
        raises(lambda: acl.rt.malloc_with_cfg(1000, 0, config))
        raises(lambda: acl.rt.malloc_host_with_cfg(1000, config))
    raises(lambda: acl.rt.malloc_with_cfg(1000, 0))
    raises(lambda: acl.rt.malloc_with_cfg("1000", 0, {}))


def properties(location):
    return {"handleType": 0, "allocationType": 0, "memAttr": HUGE, "location": location, "reserve": 0}


def physical():
    """"malloc_physical": handle, ret; mapped to an address that was reserved."""
    prop = properties({"id": 0, "type": DEVICE})
    granularity, ret = acl.rt.mem_get_allocation_granularity(prop, 0)
    assert (granularity, ret) == (STEP, 0)
    address, ret = acl.rt.reserve_mem_address(STEP, 0, 0, 1)
    assert ret == 0
    handle, ret = acl.rt.malloc_physical(STEP, prop, 0)
    assert ret == 0 and acl.rt.map_mem(address, STEP, 0, handle, 0) == 0
    assert acl.rt.memset(address, STEP, 5, STEP) == 0 and content(address, 4) == b"\x05" * 4
    shared, ret = acl.rt.mem_export_to_shareable_handle(handle, 0, 0)
    assert ret == 0 and acl.rt.mem_set_pid_to_shareable_handle(shared, [1, 2]) == 0
    raises(lambda: acl.rt.mem_set_pid_to_shareable_handle(shared, 1))
    assert acl.rt.unmap_mem(address) == acl.rt.free_physical(handle) == acl.rt.release_mem_address(address) == 0
    assert acl.rt.malloc_physical(STEP, prop, 1)[1] != 0
    for wrong in (None, {}, properties(0), properties({"id": 0}), properties({"id": 0, "type": "device"})):
        raises(lambda: acl.rt.malloc_physical(STEP, wrong, 0))
        raises(lambda: acl.rt.mem_get_allocation_granularity(wrong, 0))


def attributes():
    """"pointer_get_attributes": attributes, ret."""
    pointer, ret = acl.rt.malloc(4 * STEP, acl.ACL_MEM_MALLOC_HUGE_FIRST)
    found, ret = acl.rt.pointer_get_attributes(pointer)
    assert ret == 0 and found["location"] == {"id": 0, "type": DEVICE}
    assert found["page_size"] == STEP and found["rsv"] == [0] * 4
    host, ret = acl.rt.malloc_host(1000)
    found, ret = acl.rt.pointer_get_attributes(host)
    assert ret == 0 and found["location"]["type"] == HOST
    assert acl.rt.pointer_get_attributes(0)[1] == 100000
    assert acl.rt.free_host(host) == acl.rt.free(pointer) == 0
    raises(lambda: acl.rt.pointer_get_attributes("0"))


def descriptors():
    """"set_memcpy_desc": desc, ret."""
    size, ret = acl.rt.get_memcpy_desc_size(WITHIN)
    source, target, desc = (acl.rt.malloc(size, 0)[0] for size in (64, 64, size))
    assert acl.rt.memset(source, 64, 3, 64) == acl.rt.memset(target, 64, 0, 64) == 0
    stream, ret = acl.rt.create_stream()
    assert acl.rt.set_memcpy_desc(desc, WITHIN, source, target, 64, 0) == (desc, 0)
    assert acl.rt.memcpy_async_with_desc(desc, WITHIN, stream) == acl.rt.synchronize_stream(stream) == 0
    assert content(target, 64) == b"\x03" * 64
    assert acl.rt.destroy_stream(stream) == 0
    assert all(acl.rt.free(block) == 0 for block in (source, target, desc))
    raises(lambda: acl.rt.set_memcpy_desc(desc, WITHIN, source, target, 64))


def keys():
    """"ipc_mem_get_export_key": key, ret; "ipc_mem_set_import_pid": the only processes that may import."""
    block, ret = acl.rt.malloc(STEP, 0)
    assert acl.rt.memset(block, STEP, 9, STEP) == 0
    key, ret = acl.rt.ipc_mem_get_export_key(block, STEP, KEY_LENGTH, 0)
    assert ret == 0 and isinstance(key, str) and key
    child = subprocess.Popen([sys.executable, __file__, "import"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process = int(child.stdout.readline())
    assert acl.rt.ipc_mem_set_import_pid(key, [process]) == 0
    answer, _ = child.communicate(key.encode() + b"\n")
    assert answer.split() == [b"imported"] and child.returncode == 0
    assert content(block, 2) == b"\x01\x09"  # what the other process wrote
    assert acl.rt.ipc_mem_close(key) == 0
    assert acl.rt.ipc_mem_get_export_key(block, STEP, 1, 0)[1] != 0
    assert acl.rt.free(block) == 0
    raises(lambda: acl.rt.ipc_mem_get_export_key(block, STEP, 1 << 20, 0))
    raises(lambda: acl.rt.ipc_mem_set_import_pid(1, [process]))
    raises(lambda: acl.rt.ipc_mem_set_import_pid(key, process))
    raises(lambda: acl.rt.ipc_mem_set_import_pid(key, ["1"]))
    notify, ret = acl.rt.create_notify(0)
    assert ret == 0
    key, ret = acl.rt.notify_get_export_key(notify, KEY_LENGTH, 0)  # "notify_get_export_key": key, ret
    assert ret == 0 and key
    assert acl.rt.notify_set_import_pid(notify, [1]) == 0
    raises(lambda: acl.rt.notify_import_by_key(1, 0))
    assert acl.rt.destroy_notify(notify) == 0


def importer():
    """The other process."""
    process, ret = acl.rt.device_get_bare_tgid()
    print(process, flush=True)
    key = sys.stdin.readline().strip()
    block, ret = acl.rt.ipc_mem_import_by_key(key, 0)  # "ipc_mem_import_by_key": dev_ptr, ret
    assert ret == 0 and content(block, 2) == b"\x09\x09"
    assert acl.rt.memset(block, 1, 1, 1) == 0
    assert acl.rt.ipc_mem_close(key) == 0
    print("imported")


def encoder():
    """There is none: codes, 0 and NULL."""
    media, unsupported = acl.media, 207000
    assert media.venc_create_channel_desc() == media.venc_create_frame_config() == 0
    assert media.venc_set_channel_desc_callback(0, print) == unsupported
    assert media.venc_set_channel_desc_pic_width(0, 128) == media.venc_create_channel(0) == unsupported
    assert media.venc_send_frame(0, 0, 0, 0, None) == unsupported
    assert media.venc_get_frame_config_eos(0) == 0
    assert media.venc_get_channel_desc_pic_width(0) == media.venc_get_channel_desc_buf_addr(0) == 0
    assert media.venc_get_channel_desc_callback(0) is print
    raises(lambda: media.venc_set_channel_desc_callback(0, 0))
    raises(lambda: media.venc_set_channel_desc_pic_width("0", 128))


def encoder_parameters():
    """"venc_set_channel_desc_param": ret; "venc_get_channel_desc_param": the value, ret. A callback is the function itself."""
    media, unsupported = acl.media, 207000
    callback, width, thread = 1, 4, 0  # "aclvencChannelDescParamType"
    assert media.venc_set_channel_desc_param(0, width, 128) == media.venc_set_channel_desc_param(0, thread, 1 << 40) == unsupported
    assert media.venc_set_channel_desc_param(0, callback, max) == unsupported
    assert media.venc_get_channel_desc_param(0, callback) == (max, 0)
    assert media.venc_get_channel_desc_param(0, width) == (0, unsupported)
    raises(lambda: media.venc_set_channel_desc_param(0, callback, 1))
    raises(lambda: media.venc_set_channel_desc_param(0, width, "128"))
    assert media.venc_destroy_channel_desc(0) == unsupported
    for forgotten in (media.venc_get_channel_desc_callback, lambda desc: media.venc_get_channel_desc_param(desc, callback)):
        try:
            forgotten(0)
        except RuntimeError as error:  # as in the module's published source
            assert str(error)
        else:
            raise AssertionError("no RuntimeError")


def maps_of_colors():
    """There are none, and no borders in batches: codes, 0 and NULL."""
    media, unsupported = acl.media, 207000
    assert media.dvpp_create_lut_map() == media.dvpp_get_lut_map_dims(0) == 0
    assert media.dvpp_get_lut_map_data(0, 0) == (0, 0, unsupported)  # data, len, ret
    assert media.dvpp_destroy_lut_map(0) == media.dvpp_vpc_equalize_hist_async(0, 0, 0, 0, 0) == unsupported
    assert media.dvpp_vpc_batch_crop_resize_make_border_async(0, 0, [1], 0, [0], [0], 0, 0) == unsupported
    raises(lambda: media.dvpp_vpc_batch_crop_resize_make_border_async(0, 0, [1], 0, [0], [], 0, 0))
    raises(lambda: media.dvpp_get_lut_map_data(0, "0"))


def histograms_and_borders():
    """There are none, either."""
    media, unsupported = acl.media, 207000
    assert media.dvpp_create_hist() == media.dvpp_create_border_config() == 0
    assert media.dvpp_get_hist_data(0, 0) == (0, 0, unsupported) and media.dvpp_get_hist_dims(0) == 0
    assert media.dvpp_get_hist_ret_code(0) == media.dvpp_vpc_calc_hist_async(0, 0, 0, 0, 0) == unsupported
    assert media.dvpp_set_border_config_value(0, 1, 2.5) == media.dvpp_set_border_config_top(0, 2) == unsupported
    assert media.dvpp_get_border_config_value(0, 1) == 0.0 and media.dvpp_get_border_config_left(0) == 0
    assert media.dvpp_vpc_make_border_async(0, 0, 0, 0, 0) == unsupported
    raises(lambda: media.dvpp_set_border_config_value(0, 1, "2.5"))
    raises(lambda: media.dvpp_get_border_config_value(0, "1"))


def queues():
    """"load_from_file_with_q": model_id, ret. Nothing is loaded."""
    numbers = acl.util.vector_to_ptr([1])
    assert acl.mdl.load_from_file_with_q("model.om", numbers, 1, numbers, 1) == (0, 207000)
    assert acl.mdl.load_from_mem_with_q(numbers, 8, numbers, 1, numbers, 1) == (0, 207000)
    assert acl.mdl.load_from_file_with_q("model.om", 0, 1, numbers, 1)[1] == 100000
    raises(lambda: acl.mdl.load_from_file_with_q(1, numbers, 1, numbers, 1))


assert acl.init() == acl.rt.set_device(0) == 0
if sys.argv[1:] == ["import"]:
    importer()
else:
    configurations()
    physical()
    attributes()
    if hasattr(acl.rt, "set_memcpy_desc"):
        descriptors()
    if hasattr(acl.rt, "ipc_mem_get_export_key"):
        keys()
    encoder()
    encoder_parameters()
    maps_of_colors()
    histograms_and_borders()
    queues()
assert acl.rt.reset_device(0) == acl.finalize() == 0
if sys.argv[1:] != ["import"]:
    print("ok")
