//! Media units: their descriptors, and the calls that read and write the pictures and streams described.
//!
//! Descriptors are read with the runtime's own getters when a call consumes them: the getters only read, as the call itself is about to.

mod ranges;

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents};
use crate::record::Hook;
use aclsan_log::record::Access::{Read, Write};
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;

/// Represents the queue of a channel that has no stream: its number, in a range that no pointer is in.
const CHANNEL: u64 = 1 << 62;

interpose! {
    fn acldvppCreatePicDesc() -> *mut acldvppPicDesc = on_create;
    fn acldvppDestroyPicDesc(desc: *mut acldvppPicDesc) -> aclError = on_destroy;
    fn acldvppCreateBatchPicDesc(size: u32) -> *mut acldvppBatchPicDesc = on_create_batch;
    fn acldvppDestroyBatchPicDesc(desc: *mut acldvppBatchPicDesc) -> aclError = on_destroy_batch;
    fn acldvppCreateStreamDesc() -> *mut acldvppStreamDesc = on_create_stream;
    fn acldvppDestroyStreamDesc(desc: *mut acldvppStreamDesc) -> aclError = on_destroy_stream;
    fn acldvppVpcResizeAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        config: *mut acldvppResizeConfig, stream: aclrtStream) -> aclError = on_resize;
    fn acldvppVpcCropAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, stream: aclrtStream) -> aclError = on_crop;
    fn acldvppVpcCropResizeAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, config: *mut acldvppResizeConfig, stream: aclrtStream) -> aclError = on_crop_resize;
    fn acldvppVpcCropAndPasteAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, paste: *mut acldvppRoiConfig, stream: aclrtStream) -> aclError = on_paste;
    fn acldvppVpcCropResizePasteAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, paste: *mut acldvppRoiConfig, config: *mut acldvppResizeConfig, stream: aclrtStream)
        -> aclError = on_resize_paste;
    fn acldvppVpcBatchCropAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc, counts: *mut u32, size: u32,
        outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig, stream: aclrtStream) -> aclError = on_batch_crop;
    fn acldvppVpcBatchCropAndPasteAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc, counts: *mut u32, size: u32,
        outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig, pastes: *mut *mut acldvppRoiConfig, stream: aclrtStream)
        -> aclError = on_batch_crop_paste;
    fn acldvppVpcBatchCropResizeAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc, counts: *mut u32, size: u32,
        outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig, config: *mut acldvppResizeConfig, stream: aclrtStream)
        -> aclError = on_batch_crop_resize;
    fn acldvppVpcBatchCropResizePasteAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc, counts: *mut u32,
        size: u32, outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig, pastes: *mut *mut acldvppRoiConfig,
        config: *mut acldvppResizeConfig, stream: aclrtStream) -> aclError = on_batch_paste;
    fn acldvppVpcConvertColorAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        stream: aclrtStream) -> aclError = on_convert;
    fn acldvppJpegDecodeAsync(channel: *mut acldvppChannelDesc, data: *const c_void, size: u32, output: *mut acldvppPicDesc,
        stream: aclrtStream) -> aclError = on_jpeg_decode;
    fn acldvppPngDecodeAsync(channel: *mut acldvppChannelDesc, data: *const c_void, size: u32, output: *mut acldvppPicDesc,
        stream: aclrtStream) -> aclError = on_png_decode;
    fn acldvppJpegEncodeAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, data: *const c_void, size: *mut u32,
        config: *mut acldvppJpegeConfig, stream: aclrtStream) -> aclError = on_jpeg_encode;
    fn aclvdecSendFrame(channel: *mut aclvdecChannelDesc, input: *mut acldvppStreamDesc, output: *mut acldvppPicDesc,
        config: *mut aclvdecFrameConfig, data: *mut c_void) -> aclError = on_frame;
    fn aclvdecSendSkippedFrame(channel: *mut aclvdecChannelDesc, input: *mut acldvppStreamDesc, config: *mut aclvdecFrameConfig,
        data: *mut c_void) -> aclError = on_skipped_frame;
    fn hi_mpi_vpc_resize(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, dest: *mut hi_vpc_pic_info, fx: hi_double, fy: hi_double,
        interpolation: hi_u32, task: *mut hi_u32, milli_sec: hi_s32) -> hi_s32 = on_mpi_resize;
    fn hi_mpi_vpc_crop(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, crops: *mut hi_vpc_crop_region_info, count: hi_u32,
        task: *mut hi_u32, milli_sec: hi_s32) -> hi_s32 = on_mpi_crop;
    fn hi_mpi_vpc_crop_resize(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, crops: *mut hi_vpc_crop_resize_region, count: hi_u32,
        task: *mut hi_u32, milli_sec: hi_s32) -> hi_s32 = on_mpi_crop_resize;
    fn hi_mpi_vpc_crop_resize_paste(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, crops: *mut hi_vpc_crop_resize_paste_region,
        count: hi_u32, task: *mut hi_u32, milli_sec: hi_s32) -> hi_s32 = on_mpi_paste;
    fn hi_mpi_vpc_convert_color(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, dest: *mut hi_vpc_pic_info, task: *mut hi_u32,
        milli_sec: hi_s32) -> hi_s32 = on_mpi_convert;
    fn hi_mpi_vdec_send_stream(chn: hi_vdec_chn, stream: *const hi_vdec_stream, picture: *mut hi_vdec_pic_info, milli_sec: hi_s32)
        -> hi_s32 = on_mpi_stream;
}

/// Records the ranges that a call is about to use, forwards it, and records the call.
fn launch(
    hook: &Hook,
    queue: u64,
    ranges: impl IntoIterator<Item = Option<RangeUse>>,
    forward: impl FnOnce() -> i32,
) -> i32 {
    // Getters are called outside of recording, which makes no calls into the runtime.
    let ranges: Vec<RangeUse> = ranges.into_iter().flatten().collect();
    hook.record(|recorder| {
        let call = recorder.call(0);
        for &used in &ranges {
            recorder.record_use(&call, used, queue);
        }
    });
    let status = forward();
    hook.record(|recorder| recorder.record_call(0, &[queue], status));
    status
}

/// Records the handle of a descriptor.
fn made<T>(hook: &Hook, desc: *mut T) -> *mut T {
    if !desc.is_null() {
        hook.record(|recorder| {
            let call = recorder.call(0);
            recorder.record_descriptor(&call, desc as u64, &[]);
        });
    }
    desc
}

/// Generates hooks of calls that use ranges: queue, ranges, then the call.
macro_rules! launching {
    ($($behavior:ident: $name:ident($($arg:ident: $ty:ty),*), $queue:expr, $ranges:expr;)+) => {
        $(#[allow(clippy::too_many_arguments)] // the header's
        fn $behavior(hook: &Hook, next: $name::Fn $(, $arg: $ty)*) -> i32 {
            // SAFETY: the caller's own arguments.
            launch(hook, $queue, $ranges, || unsafe { next($($arg),*) })
        })+
    };
}

launching! {
    on_resize: acldvppVpcResizeAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        config: *mut acldvppResizeConfig, stream: aclrtStream), stream as u64, ranges::pictures(input, output);
    on_crop: acldvppVpcCropAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, stream: aclrtStream), stream as u64, ranges::pictures(input, output);
    on_crop_resize: acldvppVpcCropResizeAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, config: *mut acldvppResizeConfig, stream: aclrtStream),
        stream as u64, ranges::pictures(input, output);
    on_paste: acldvppVpcCropAndPasteAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, paste: *mut acldvppRoiConfig, stream: aclrtStream),
        stream as u64, ranges::pictures(input, output);
    on_resize_paste: acldvppVpcCropResizePasteAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc,
        output: *mut acldvppPicDesc, crop: *mut acldvppRoiConfig, paste: *mut acldvppRoiConfig, config: *mut acldvppResizeConfig,
        stream: aclrtStream), stream as u64, ranges::pictures(input, output);
    on_batch_crop: acldvppVpcBatchCropAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc, counts: *mut u32,
        size: u32, outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig, stream: aclrtStream),
        stream as u64, ranges::batches(inputs, counts, size, outputs);
    on_batch_crop_paste: acldvppVpcBatchCropAndPasteAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc,
        counts: *mut u32, size: u32, outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig,
        pastes: *mut *mut acldvppRoiConfig, stream: aclrtStream),
        stream as u64, ranges::batches(inputs, counts, size, outputs);
    on_batch_crop_resize: acldvppVpcBatchCropResizeAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc,
        counts: *mut u32, size: u32, outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig,
        config: *mut acldvppResizeConfig, stream: aclrtStream),
        stream as u64, ranges::batches(inputs, counts, size, outputs);
    on_batch_paste: acldvppVpcBatchCropResizePasteAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc,
        counts: *mut u32, size: u32, outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig,
        pastes: *mut *mut acldvppRoiConfig, config: *mut acldvppResizeConfig, stream: aclrtStream),
        stream as u64, ranges::batches(inputs, counts, size, outputs);
    on_convert: acldvppVpcConvertColorAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        stream: aclrtStream), stream as u64, ranges::pictures(input, output);
    on_jpeg_decode: acldvppJpegDecodeAsync(channel: *mut acldvppChannelDesc, data: *const c_void, size: u32,
        output: *mut acldvppPicDesc, stream: aclrtStream),
        stream as u64, [ranges::run(data as u64, size, Read), ranges::picture(output, Write)];
    on_png_decode: acldvppPngDecodeAsync(channel: *mut acldvppChannelDesc, data: *const c_void, size: u32,
        output: *mut acldvppPicDesc, stream: aclrtStream),
        stream as u64, [ranges::run(data as u64, size, Read), ranges::picture(output, Write)];
    on_jpeg_encode: acldvppJpegEncodeAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, data: *const c_void,
        size: *mut u32, config: *mut acldvppJpegeConfig, stream: aclrtStream),
        stream as u64, [ranges::picture(input, Read), ranges::encoded(data, size)];
    on_frame: aclvdecSendFrame(channel: *mut aclvdecChannelDesc, input: *mut acldvppStreamDesc, output: *mut acldvppPicDesc,
        config: *mut aclvdecFrameConfig, data: *mut c_void), channel as u64, ranges::frame(input, output);
    on_skipped_frame: aclvdecSendSkippedFrame(channel: *mut aclvdecChannelDesc, input: *mut acldvppStreamDesc,
        config: *mut aclvdecFrameConfig, data: *mut c_void), channel as u64, ranges::frame(input, std::ptr::null_mut());
    on_mpi_resize: hi_mpi_vpc_resize(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, dest: *mut hi_vpc_pic_info, fx: hi_double,
        fy: hi_double, interpolation: hi_u32, task: *mut hi_u32, milli_sec: hi_s32),
        CHANNEL | chn as u64, [ranges::mpi_picture(source, Read), ranges::mpi_picture(dest, Write)];
    on_mpi_crop: hi_mpi_vpc_crop(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, crops: *mut hi_vpc_crop_region_info,
        count: hi_u32, task: *mut hi_u32, milli_sec: hi_s32), CHANNEL | chn as u64,
        ranges::mpi_regions(source, crops, count, |crop| &crop.dest_pic_info);
    on_mpi_crop_resize: hi_mpi_vpc_crop_resize(chn: hi_vpc_chn, source: *const hi_vpc_pic_info,
        crops: *mut hi_vpc_crop_resize_region, count: hi_u32, task: *mut hi_u32, milli_sec: hi_s32),
        CHANNEL | chn as u64, ranges::mpi_regions(source, crops, count, |crop| &crop.dest_pic_info);
    on_mpi_paste: hi_mpi_vpc_crop_resize_paste(chn: hi_vpc_chn, source: *const hi_vpc_pic_info,
        crops: *mut hi_vpc_crop_resize_paste_region, count: hi_u32, task: *mut hi_u32, milli_sec: hi_s32),
        CHANNEL | chn as u64, ranges::mpi_regions(source, crops, count, |crop| &crop.dest_pic_info);
    on_mpi_convert: hi_mpi_vpc_convert_color(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, dest: *mut hi_vpc_pic_info,
        task: *mut hi_u32, milli_sec: hi_s32), CHANNEL | chn as u64,
        [ranges::mpi_picture(source, Read), ranges::mpi_picture(dest, Write)];
    on_mpi_stream: hi_mpi_vdec_send_stream(chn: hi_vdec_chn, stream: *const hi_vdec_stream, picture: *mut hi_vdec_pic_info,
        milli_sec: hi_s32), CHANNEL | 1 << 32 | chn as u64, ranges::mpi_frame(stream, picture);
}

fn on_create(hook: &Hook, next: acldvppCreatePicDesc::Fn) -> *mut acldvppPicDesc {
    // SAFETY: takes nothing.
    made(hook, unsafe { next() })
}

fn on_create_batch(
    hook: &Hook,
    next: acldvppCreateBatchPicDesc::Fn,
    size: u32,
) -> *mut acldvppBatchPicDesc {
    // SAFETY: the caller's own argument.
    made(hook, unsafe { next(size) })
}

fn on_create_stream(hook: &Hook, next: acldvppCreateStreamDesc::Fn) -> *mut acldvppStreamDesc {
    // SAFETY: takes nothing.
    made(hook, unsafe { next() })
}

fn on_destroy(hook: &Hook, next: acldvppDestroyPicDesc::Fn, desc: *mut acldvppPicDesc) -> aclError {
    // SAFETY: the caller's own argument.
    heap::release(hook, desc as u64, || unsafe { next(desc) })
}

fn on_destroy_batch(
    hook: &Hook,
    next: acldvppDestroyBatchPicDesc::Fn,
    desc: *mut acldvppBatchPicDesc,
) -> aclError {
    // SAFETY: the caller's own argument.
    heap::release(hook, desc as u64, || unsafe { next(desc) })
}

fn on_destroy_stream(
    hook: &Hook,
    next: acldvppDestroyStreamDesc::Fn,
    desc: *mut acldvppStreamDesc,
) -> aclError {
    // SAFETY: the caller's own argument.
    heap::release(hook, desc as u64, || unsafe { next(desc) })
}
