//! Media units: their descriptors, and the calls that read and write the pictures and streams described.
//!
//! Descriptors are read with the runtime's own getters when a call consumes them: the getters only read, as the call itself is about to.

mod ranges;

use crate::abi::*;
use crate::calls::actions::{self, Word, created, released};
use crate::calls::interpose;
use crate::record::Hook;
use aclsan_log::record::Access::{Read, Write};
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;
use std::ptr::null_mut;

interpose! {
    fn acldvppCreatePicDesc() -> *mut acldvppPicDesc = created;
    fn acldvppDestroyPicDesc(desc: *mut acldvppPicDesc) -> aclError = released (desc);
    fn acldvppCreateBatchPicDesc(size: u32) -> *mut acldvppBatchPicDesc = created;
    fn acldvppDestroyBatchPicDesc(desc: *mut acldvppBatchPicDesc) -> aclError = released (desc);
    fn acldvppCreateStreamDesc() -> *mut acldvppStreamDesc = created;
    fn acldvppDestroyStreamDesc(desc: *mut acldvppStreamDesc) -> aclError = released (desc);
    fn acldvppVpcResizeAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        config: *mut acldvppResizeConfig, stream: aclrtStream) -> aclError
        = launched (stream, ranges::pictures(input, output));
    fn acldvppVpcCropAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, stream: aclrtStream) -> aclError
        = launched (stream, ranges::pictures(input, output));
    fn acldvppVpcCropResizeAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, config: *mut acldvppResizeConfig, stream: aclrtStream) -> aclError
        = launched (stream, ranges::pictures(input, output));
    fn acldvppVpcCropAndPasteAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, paste: *mut acldvppRoiConfig, stream: aclrtStream) -> aclError
        = launched (stream, ranges::pictures(input, output));
    fn acldvppVpcCropResizePasteAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        crop: *mut acldvppRoiConfig, paste: *mut acldvppRoiConfig, config: *mut acldvppResizeConfig, stream: aclrtStream) -> aclError
        = launched (stream, ranges::pictures(input, output));
    fn acldvppVpcBatchCropAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc, counts: *mut u32, size: u32,
        outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig, stream: aclrtStream) -> aclError
        = launched (stream, ranges::batches(inputs, counts, size, outputs));
    fn acldvppVpcBatchCropAndPasteAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc, counts: *mut u32, size: u32,
        outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig, pastes: *mut *mut acldvppRoiConfig,
            stream: aclrtStream) -> aclError
        = launched (stream, ranges::batches(inputs, counts, size, outputs));
    fn acldvppVpcBatchCropResizeAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc, counts: *mut u32, size: u32,
        outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig, config: *mut acldvppResizeConfig,
            stream: aclrtStream) -> aclError
        = launched (stream, ranges::batches(inputs, counts, size, outputs));
    fn acldvppVpcBatchCropResizePasteAsync(channel: *mut acldvppChannelDesc, inputs: *mut acldvppBatchPicDesc, counts: *mut u32,
        size: u32, outputs: *mut acldvppBatchPicDesc, crops: *mut *mut acldvppRoiConfig, pastes: *mut *mut acldvppRoiConfig,
        config: *mut acldvppResizeConfig, stream: aclrtStream) -> aclError
        = launched (stream, ranges::batches(inputs, counts, size, outputs));
    fn acldvppVpcConvertColorAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, output: *mut acldvppPicDesc,
        stream: aclrtStream) -> aclError
        = launched (stream, ranges::pictures(input, output));
    fn acldvppJpegDecodeAsync(channel: *mut acldvppChannelDesc, data: *const c_void, size: u32, output: *mut acldvppPicDesc,
        stream: aclrtStream) -> aclError
        = launched (stream, [ranges::run(data as u64, size, Read), ranges::picture(output, Write)]);
    fn acldvppPngDecodeAsync(channel: *mut acldvppChannelDesc, data: *const c_void, size: u32, output: *mut acldvppPicDesc,
        stream: aclrtStream) -> aclError
        = launched (stream, [ranges::run(data as u64, size, Read), ranges::picture(output, Write)]);
    fn acldvppJpegEncodeAsync(channel: *mut acldvppChannelDesc, input: *mut acldvppPicDesc, data: *const c_void, size: *mut u32,
        config: *mut acldvppJpegeConfig, stream: aclrtStream) -> aclError
        = launched (stream, [ranges::picture(input, Read), ranges::encoded(data, size)]);
    fn aclvdecSendFrame(channel: *mut aclvdecChannelDesc, input: *mut acldvppStreamDesc, output: *mut acldvppPicDesc,
        config: *mut aclvdecFrameConfig, data: *mut c_void) -> aclError
        = launched (channel, ranges::frame(input, output));
    fn aclvdecSendSkippedFrame(channel: *mut aclvdecChannelDesc, input: *mut acldvppStreamDesc, config: *mut aclvdecFrameConfig,
        data: *mut c_void) -> aclError
        = launched (channel, ranges::frame(input, null_mut()));
    fn hi_mpi_vpc_resize(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, dest: *mut hi_vpc_pic_info, fx: hi_double, fy: hi_double,
        interpolation: hi_u32, task: *mut hi_u32, milli_sec: hi_s32) -> hi_s32
        = launched (channel(chn), [ranges::mpi_picture(source, Read), ranges::mpi_picture(dest, Write)]);
    fn hi_mpi_vpc_crop(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, crops: *mut hi_vpc_crop_region_info, count: hi_u32,
        task: *mut hi_u32, milli_sec: hi_s32) -> hi_s32
        = launched (channel(chn), ranges::mpi_regions(source, crops, count, |crop| &crop.dest_pic_info));
    fn hi_mpi_vpc_crop_resize(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, crops: *mut hi_vpc_crop_resize_region, count: hi_u32,
        task: *mut hi_u32, milli_sec: hi_s32) -> hi_s32
        = launched (channel(chn), ranges::mpi_regions(source, crops, count, |crop| &crop.dest_pic_info));
    fn hi_mpi_vpc_crop_resize_paste(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, crops: *mut hi_vpc_crop_resize_paste_region,
        count: hi_u32, task: *mut hi_u32, milli_sec: hi_s32) -> hi_s32
        = launched (channel(chn), ranges::mpi_regions(source, crops, count, |crop| &crop.dest_pic_info));
    fn hi_mpi_vpc_convert_color(chn: hi_vpc_chn, source: *const hi_vpc_pic_info, dest: *mut hi_vpc_pic_info, task: *mut hi_u32,
        milli_sec: hi_s32) -> hi_s32
        = launched (channel(chn), [ranges::mpi_picture(source, Read), ranges::mpi_picture(dest, Write)]);
    fn hi_mpi_vdec_send_stream(chn: hi_vdec_chn, stream: *const hi_vdec_stream, picture: *mut hi_vdec_pic_info, milli_sec: hi_s32) -> hi_s32
        = launched (decoder(chn), ranges::mpi_frame(stream, picture));
}

/// The queue of a channel that has no stream: its number, in a range that no pointer is in.
fn channel(number: i32) -> u64 {
    1 << 62 | number as u64
}

/// As [`channel`], of a decoder.
fn decoder(number: i32) -> u64 {
    channel(number) | 1 << 32
}

/// Records what the call reads and writes, forwards it, and records it with its queue.
fn launched(
    hook: &Hook,
    forward: impl FnOnce() -> i32,
    queue: impl Word,
    ranges: impl IntoIterator<Item = Option<RangeUse>>,
) -> i32 {
    // Getters are called outside of recording, which makes no calls into the runtime.
    let ranges = ranges.into_iter().flatten();
    actions::launched(hook, forward, |_| [queue.word(false)], ranges, queue)
}
