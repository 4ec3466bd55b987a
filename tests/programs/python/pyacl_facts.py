"""pyACL on the simulator: names, order of arguments, results. Each fact names the page of the pyACL reference that states it."""

import acl

ACL_HOST, ACL_DEVICE = 1, 0
H2D, D2H = acl.ACL_MEMCPY_HOST_TO_DEVICE, acl.ACL_MEMCPY_DEVICE_TO_HOST


def raises(call):
    """Wrong types are TypeError; wrong values are codes."""
    try:
        call()
    except TypeError as error:
        assert str(error), "the error says something"
    else:
        raise AssertionError("no TypeError")


def starts():
    assert acl.init() == 0  # "acl.init": ret, the path may be left out
    assert acl.rt.set_device(0) == 0
    assert acl.rt.get_device() == (0, 0)  # "get_device": device_id, ret
    count, ret = acl.rt.get_device_count()
    assert ret == 0 and count >= 1
    assert acl.rt.get_run_mode() == (ACL_HOST, 0)
    assert acl.get_soc_name().startswith("Ascend")  # "get_soc_name": a string, no code
    assert acl.app_log(0, "text, 100%s") is None  # acllite_logger.py of the samples: a level and a text
    assert acl.app_log(0, "function", "file", 1, "text") is None
    raises(lambda: acl.app_log(0))
    raises(lambda: acl.app_log(0, 1))
    raises(lambda: acl.app_log(0, "function", "file"))


def memory():
    pointer, ret = acl.rt.malloc(1000, acl.ACL_MEM_MALLOC_HUGE_FIRST)  # "malloc": dev_ptr, ret
    assert ret == 0 and pointer % 64 == 0
    assert acl.rt.malloc(0, 0)[1] == 100000  # a code, no exception
    host, ret = acl.rt.malloc_host(1000)
    assert ret == 0
    assert acl.rt.memset(pointer, 1000, 7, 1000) == 0
    assert acl.rt.memcpy(host, 1000, pointer, 1000, D2H) == 0
    assert acl.util.ptr_to_bytes(host, 1000) == b"\x07" * 1000
    free, total, ret = acl.rt.get_mem_info(acl.ACL_HBM_MEM)  # "get_mem_info": free, total, ret
    assert ret == 0 and 0 < free <= total
    text = b"from a bytes object"
    address = acl.util.bytes_to_ptr(text)
    assert acl.rt.memcpy(pointer, 1000, address, len(text), H2D) == 0
    assert acl.rt.memcpy(host, 1000, pointer, len(text), D2H) == 0
    assert acl.util.ptr_to_bytes(host, len(text)) == text
    rows = b"abcdefgh"
    address = acl.util.bytes_to_ptr(rows)
    assert acl.rt.memcpy2d(pointer, 16, address, 4, 4, 2, H2D) == 0  # "memcpy2d": two rows of 4 bytes, 16 apart
    assert acl.rt.memcpy(host, 1000, pointer, 20, D2H) == 0
    assert acl.util.ptr_to_bytes(host, 4) == rows[:4] and acl.util.ptr_to_bytes(host + 16, 4) == rows[4:]
    if hasattr(acl.rt, "get_memcpy_desc_size"):  # CANN 8.1 lacks some: then they are absent
        size, ret = acl.rt.get_memcpy_desc_size(6)  # size, ret; copies within a device
        assert ret == 0 and size > 0
    numbers = acl.util.vector_to_ptr([1, -2, 3])
    assert acl.util.ptr_to_bytes(numbers + 8, 8) == (-2).to_bytes(8, "little", signed=True)
    assert acl.rt.free(pointer) == 0 and acl.rt.free_host(host) == 0
    raises(lambda: acl.rt.malloc("1000", 0))
    raises(lambda: acl.rt.malloc(1000.0, 0))
    raises(lambda: acl.rt.malloc(1000))
    raises(lambda: acl.rt.malloc(1000, 0, 0))
    raises(lambda: acl.util.bytes_to_ptr("text"))
    raises(lambda: acl.init(5))
    raises(lambda: acl.util.numpy_to_ptr([1]))


def streams():
    stream, ret = acl.rt.create_stream()  # "create_stream": stream, ret
    assert ret == 0
    first, last = acl.rt.create_event()[0], acl.rt.create_event()[0]
    assert acl.rt.record_event(first, stream) == 0 and acl.rt.record_event(last, stream) == 0
    assert acl.rt.stream_wait_event(stream, first) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    if hasattr(acl.rt, "value_write"):
        block, ret = acl.rt.malloc(64, 0)
        assert acl.rt.value_write(block, 7, 0, stream) == 0  # "value_write": dev_addr, value, flag, stream
        assert acl.rt.value_wait(block, 7, 0, stream) == 0
        assert acl.rt.synchronize_stream(stream) == 0 and acl.rt.free(block) == 0
    for name in ("get_event_id", "get_stream_available_num", "get_device_info"):  # value, ret
        arguments = {"get_event_id": (first,), "get_device_info": (0, 1)}.get(name, ())
        assert not hasattr(acl.rt, name) or getattr(acl.rt, name)(*arguments)[1] == 0
    assert acl.rt.stream_abort(stream) == 0
    assert acl.rt.get_last_error(0) != 0 and acl.rt.get_last_error(0) == 0  # of the refused allocation; it is taken away
    elapsed, ret = acl.rt.event_elapsed_time(first, last)  # milliseconds, ret
    assert ret == 0 and elapsed >= 0
    assert acl.rt.query_event(last) == (0, 0)
    assert acl.rt.destroy_event(first) == 0 and acl.rt.destroy_event(last) == 0

    seen, state = [], {"run": True}

    def process(arguments):
        while arguments[0]["run"]:
            acl.rt.process_report(10)

    thread, ret = acl.util.start_thread(process, [state])  # "start_thread": thread_id, ret
    assert ret == 0 and acl.rt.subscribe_report(thread, stream) == 0
    assert acl.rt.launch_callback(seen.append, "called", 1, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert seen == ["called"]
    assert acl.rt.unsubscribe_report(thread, stream) == 0
    state["run"] = False
    assert acl.util.stop_thread(thread) == 0
    raises(lambda: acl.rt.launch_callback(1, 2, 0, stream))
    assert acl.rt.destroy_stream(stream) == 0


def descriptions():
    desc = acl.create_tensor_desc(acl.ACL_FLOAT, [1, 3, 4, 4], acl.ACL_FORMAT_NCHW)
    assert acl.get_tensor_desc_size(desc) == 192 and acl.get_tensor_desc_num_dims(desc) == 4
    assert acl.get_tensor_desc_dim_v2(desc, 1) == (3, 0)  # "get_tensor_desc_dim_v2": dim_size, ret
    assert acl.get_tensor_desc_type(desc) == acl.ACL_FLOAT
    assert acl.destroy_tensor_desc(desc) is None
    pointer, _ = acl.rt.malloc(64, 0)
    buffer = acl.create_data_buffer(pointer, 64)
    assert acl.get_data_buffer_addr(buffer) == pointer and acl.get_data_buffer_size_v2(buffer) == 64
    dataset = acl.mdl.create_dataset()
    assert acl.mdl.add_dataset_buffer(dataset, buffer) == (dataset, 0)  # "add_dataset_buffer": dataset, ret
    assert acl.mdl.get_dataset_num_buffers(dataset) == 1
    assert acl.mdl.get_dataset_buffer(dataset, 0) == buffer
    assert acl.mdl.destroy_dataset(dataset) == 0 and acl.destroy_data_buffer(buffer) == 0
    assert acl.rt.free(pointer) == 0
    attributes = acl.op.create_attr()
    assert acl.op.set_attr_float(attributes, "alpha", 0.5) == 0
    assert acl.op.set_attr_list_int(attributes, "axes", [0, 2]) == 0
    assert acl.op.set_attr_list_float(attributes, "scales", [1, 2.5]) == 0
    assert acl.op.destroy_attr(attributes) is None


def pictures():
    channel = acl.media.dvpp_create_channel_desc()
    assert acl.media.dvpp_create_channel(channel) == 0
    pointer, ret = acl.media.dvpp_malloc(96)
    assert ret == 0
    picture = acl.media.dvpp_create_pic_desc()
    assert acl.media.dvpp_set_pic_desc_data(picture, pointer) == 0
    assert acl.media.dvpp_get_pic_desc_data(picture) == pointer
    assert acl.media.dvpp_set_pic_desc_width(picture, 8) == 0
    assert acl.media.dvpp_get_pic_desc_width(picture) == 8
    assert acl.media.dvpp_destroy_pic_desc(picture) == 0
    source, targets = acl.media.dvpp_create_batch_pic_desc(1), acl.media.dvpp_create_batch_pic_desc(2)
    outputs = []
    for batch, index, size in ((source, 0, 32), (targets, 0, 16), (targets, 1, 16)):
        block, ret = acl.media.dvpp_malloc(size * size * 3 // 2)
        assert ret == 0
        outputs.append(block)
        one = acl.media.dvpp_get_pic_desc(batch, index)
        assert acl.media.dvpp_set_pic_desc_data(one, block) == 0
        assert acl.media.dvpp_set_pic_desc_format(one, 1) == 0
        assert acl.media.dvpp_set_pic_desc_width(one, size) == acl.media.dvpp_set_pic_desc_height(one, size) == 0
        assert acl.media.dvpp_set_pic_desc_width_stride(one, size) == 0
        assert acl.media.dvpp_set_pic_desc_height_stride(one, size) == 0
        assert acl.media.dvpp_set_pic_desc_size(one, size * size * 3 // 2) == 0
    luma = b"".join(bytes([row * 4 + column // 8 for column in range(32)]) for row in range(32))
    luma = luma + bytes(512)
    assert acl.rt.memcpy(outputs[0], len(luma), acl.util.bytes_to_ptr(luma), len(luma), H2D) == 0
    regions = [acl.media.dvpp_create_roi_config(0, 15, 0, 15), acl.media.dvpp_create_roi_config(16, 31, 16, 31)]
    stream, ret = acl.rt.create_stream()
    # "dvpp_vpc_batch_crop_async": dst_batch_pic_descs, ret
    assert acl.media.dvpp_vpc_batch_crop_async(channel, source, [2], targets, regions, stream) == (targets, 0)
    assert acl.rt.synchronize_stream(stream) == 0
    host, ret = acl.rt.malloc_host(1)
    assert acl.rt.memcpy(host, 1, outputs[2], 1, D2H) == 0
    assert acl.util.ptr_to_bytes(host, 1) == bytes([luma[16 * 32 + 16]])
    # "dvpp_vpc_batch_crop_and_paste_async": dst_batch_pic_descs, ret; those with a resize configuration: ret
    paste = acl.media.dvpp_vpc_batch_crop_and_paste_async
    places = [acl.media.dvpp_create_roi_config(0, 15, 0, 15) for _ in range(2)]
    assert paste(channel, source, [2], targets, regions[::-1], places, stream) == (targets, 0)
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.rt.memcpy(host, 1, outputs[1], 1, D2H) == 0
    assert acl.util.ptr_to_bytes(host, 1) == bytes([luma[16 * 32 + 16]])
    raises(lambda: paste(channel, source, [2], targets, regions, places[:1], stream))
    config = acl.media.dvpp_create_resize_config()
    assert acl.media.dvpp_vpc_batch_crop_resize_async(channel, source, [2], targets, regions, config, stream) == 0
    resize_paste = acl.media.dvpp_vpc_batch_crop_resize_paste_async
    assert resize_paste(channel, source, [2], targets, regions, places, config, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.media.dvpp_destroy_resize_config(config) == 0
    assert all(acl.media.dvpp_destroy_roi_config(place) == 0 for place in places)
    raises(lambda: acl.media.dvpp_vpc_batch_crop_async(channel, source, [3], targets, regions, stream))
    raises(lambda: acl.media.dvpp_vpc_batch_crop_async(channel, source, 2, targets, regions, stream))
    assert acl.rt.free_host(host) == 0 and acl.rt.destroy_stream(stream) == 0
    assert all(acl.media.dvpp_destroy_roi_config(region) == 0 for region in regions)
    assert acl.media.dvpp_destroy_batch_pic_desc(source) == acl.media.dvpp_destroy_batch_pic_desc(targets) == 0
    assert all(acl.media.dvpp_free(block) == 0 for block in outputs + [pointer])
    assert acl.media.dvpp_destroy_channel(channel) == 0
    assert acl.media.dvpp_destroy_channel_desc(channel) == 0


def settings():
    """What is passed beside a model: parameters of AIPP, and a configuration of its execution."""
    assert acl.mdl.get_aipp_data_size(1) == (160, 0)  # "get_aipp_data_size": size, ret
    parameters = acl.mdl.create_aipp(1)
    assert acl.mdl.set_aipp_dtc_pixel_mean(parameters, 104, 117, 123, 0, 0) == 0
    assert acl.mdl.set_aipp_dtc_pixel_min(parameters, 0, 0.5, 0, 0, 0) == 0
    assert acl.mdl.set_aipp_pixel_var_reci(parameters, 1.0, 1, 1, 1, 0) == 0
    assert acl.mdl.set_aipp_pixel_var_reci(parameters, 1.0, 1, 1, 1, 1) == 100000  # there is one image
    raises(lambda: acl.mdl.set_aipp_dtc_pixel_min(parameters, "0", 0, 0, 0, 0))
    assert acl.mdl.destroy_aipp(parameters) == 0
    if hasattr(acl.mdl, "create_exec_config_handle"):
        handle = acl.mdl.create_exec_config_handle()
        assert acl.mdl.set_exec_config_opt(handle, 0, 1000) == 0
        assert acl.mdl.execute_v2(0, 0, 0, 0, 0) == 100000  # a handle is asked for
        assert acl.mdl.destroy_exec_config_handle(handle) == 0


def decoders():
    """What is set can be read again; samples ask a decoder's mode before they set it."""
    desc = acl.media.vdec_create_channel_desc()
    assert acl.media.vdec_get_channel_desc_out_mode(desc) == 0  # "vdec_get_channel_desc_out_mode": the mode, no code
    assert acl.media.vdec_set_channel_desc_out_mode(desc, 0) == 0
    assert acl.media.vdec_set_channel_desc_entype(desc, 2) == 0 and acl.media.vdec_get_channel_desc_entype(desc) == 2
    assert acl.media.vdec_set_channel_desc_out_pic_format(desc, 1) == 0
    assert acl.media.vdec_get_channel_desc_out_pic_format(desc) == 1
    assert acl.media.vdec_set_channel_desc_ref_frame_num(desc, 4) == 0
    assert acl.media.vdec_get_channel_desc_ref_frame_num(desc) == 4
    assert acl.media.vdec_get_channel_desc_out_pic_width(desc) == acl.media.vdec_get_channel_desc_out_pic_height(desc) == 0
    assert acl.media.vdec_destroy_channel_desc(desc) == 0


def files():
    """"dvpp_png_get_image_info": width, height, components, ret; "dvpp_png_predict_dec_size": size, ret."""
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (33).to_bytes(4, "big") + (34).to_bytes(4, "big") + b"\x08\x06\0\0\0\0"
    address = acl.util.bytes_to_ptr(header)
    assert acl.media.dvpp_png_get_image_info(address, len(header)) == (33, 34, 4, 0)
    assert acl.media.dvpp_png_predict_dec_size(address, len(header), 12) == (128 * 3 * 48, 0)
    assert acl.media.dvpp_png_decode_async(0, address, len(header), 0, 0) == 100000


starts()
memory()
streams()
descriptions()
pictures()
settings()
decoders()
files()
assert not hasattr(acl, "tdt") and not hasattr(acl.rt, "malloc_type") and not hasattr(acl.rt, "memcpy_2d")
assert acl.mdl.bundle_get_model_num(0)[1] != 0  # model_num, ret
assert acl.rt.reset_device(0) == 0
assert acl.finalize() == 0
print("ok")
