//! The memory ranges of pictures and coded frames.
//!
//! Strides and format determine how many bytes of a picture are touched. Its size field may be larger, and the units reject a smaller one.
//! Without strides, the size field counts.

use crate::abi::*;
use crate::runtime::slots::{self, Getter};
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;

/// A field of a record of the runtime's; `None` if the runtime lacks the getter.
fn field<T, R>(getter: &Getter<T, R>, record: *const T) -> Option<R> {
    if record.is_null() {
        return None;
    }
    getter.call(|get| get(record))
}

/// `size` bytes from `address`; `None` for an empty range.
pub fn run(address: u64, size: u32, access: Access) -> Option<RangeUse> {
    (address != 0 && size != 0).then_some(RangeUse {
        address,
        size: size.into(),
        access,
    })
}

/// Size in bytes of a picture with these strides, the width stride in bytes; `None` for formats with other layouts.
fn layout(format: u32, width_stride: u32, height_stride: u32) -> Option<u64> {
    let first = u64::from(width_stride) * u64::from(height_stride);
    let bytes = match format {
        PIXEL_FORMAT_YUV_400 => first,
        PIXEL_FORMAT_YUV_SEMIPLANAR_420 | PIXEL_FORMAT_YVU_SEMIPLANAR_420 => first + first / 2,
        PIXEL_FORMAT_YUV_SEMIPLANAR_422 | PIXEL_FORMAT_YVU_SEMIPLANAR_422 => first * 2,
        PIXEL_FORMAT_YUV_SEMIPLANAR_444 | PIXEL_FORMAT_YVU_SEMIPLANAR_444 => first * 3,
        PIXEL_FORMAT_YUYV_PACKED_422..=PIXEL_FORMAT_BGRA_8888 => first,
        _ => return None,
    };
    (bytes > 0).then_some(bytes)
}

/// The number of bytes of a picture that are touched, by its record.
fn touched(size: u32, format: u32, width_stride: u32, height_stride: u32) -> u32 {
    let bytes = layout(format, width_stride, height_stride);
    bytes.map_or(size, |bytes| u64::from(size).min(bytes) as u32)
}

/// A picture of the first interface.
pub fn picture(desc: *const acldvppPicDesc, access: Access) -> Option<RangeUse> {
    let data = field(&slots::PICTURE_DATA, desc)? as u64;
    let size = field(&slots::PICTURE_SIZE, desc)?;
    let format = field(&slots::PICTURE_FORMAT, desc)?;
    let width = field(&slots::PICTURE_WIDTH, desc)?;
    let height = field(&slots::PICTURE_HEIGHT, desc)?;
    run(data, touched(size, format, width, height), access)
}

/// A picture that is read and one that is written.
pub fn pictures(
    input: *const acldvppPicDesc,
    output: *const acldvppPicDesc,
) -> [Option<RangeUse>; 2] {
    [picture(input, Access::Read), picture(output, Access::Write)]
}

/// The pictures of two batches: `counts` outputs for each of `size` inputs.
pub fn batches(
    inputs: *mut acldvppBatchPicDesc,
    counts: *const u32,
    size: u32,
    outputs: *mut acldvppBatchPicDesc,
) -> Vec<Option<RangeUse>> {
    let mut ranges = Vec::new();
    if counts.is_null() {
        return ranges;
    }
    // No batch is that large: a larger number is a mistake, which the runtime reports.
    const MAX_PICTURES: u32 = 4096;
    // SAFETY: the caller's array of `size` numbers, which the runtime reads in this very call.
    let counts = unsafe { std::slice::from_raw_parts(counts, size.min(MAX_PICTURES) as usize) };
    let mut outputs_in_all = 0u32;
    for (index, &count) in (0..).zip(counts) {
        outputs_in_all = outputs_in_all.saturating_add(count).min(MAX_PICTURES);
        ranges.push(picture(of_batch(inputs, index), Access::Read));
    }
    ranges
        .extend((0..outputs_in_all).map(|index| picture(of_batch(outputs, index), Access::Write)));
    ranges
}

/// A picture of a batch; null if there is none.
fn of_batch(batch: *mut acldvppBatchPicDesc, index: u32) -> *mut acldvppPicDesc {
    if batch.is_null() {
        return std::ptr::null_mut();
    }
    let picture = slots::BATCH_PICTURE.call(|get| get(batch, index));
    picture.unwrap_or(std::ptr::null_mut())
}

/// A coded frame and its decoded picture; neither at the end of a stream.
pub fn frame(
    input: *const acldvppStreamDesc,
    output: *const acldvppPicDesc,
) -> [Option<RangeUse>; 2] {
    let is_end = field(&slots::FRAME_EOS, input).is_some_and(|eos| eos != 0);
    if is_end {
        return [None, None];
    }
    let coded = || {
        let data = field(&slots::FRAME_DATA, input)? as u64;
        run(data, field(&slots::FRAME_SIZE, input)?, Access::Read)
    };
    [coded(), picture(output, Access::Write)]
}

/// The output of an encoder, of the size that the caller gives.
pub fn encoded(data: *const c_void, size: *const u32) -> Option<RangeUse> {
    // SAFETY: null, or the caller's own variable, which the runtime reads in this very call.
    let size = unsafe { size.as_ref() }?;
    run(data as u64, *size, Access::Write)
}

/// A picture of the second interface, which numbers formats as the first does.
pub fn mpi_picture(info: *const hi_vpc_pic_info, access: Access) -> Option<RangeUse> {
    // SAFETY: null, or a record of the caller's, which the runtime reads in this very call.
    let info = unsafe { info.as_ref() }?;
    let size = touched(
        info.picture_buffer_size,
        info.picture_format,
        info.picture_width_stride,
        info.picture_height_stride,
    );
    run(info.picture_address as u64, size, access)
}

/// A picture, and the pictures of its regions; `picture` finds the picture in the description of a region.
pub fn mpi_regions<T>(
    source: *const hi_vpc_pic_info,
    regions: *const T,
    count: u32,
    picture: impl Fn(&T) -> &hi_vpc_pic_info,
) -> Vec<Option<RangeUse>> {
    // The interface takes no more (hi_dvpp_vpc.h, CANN 8.1).
    const MAX_REGIONS: u32 = 256;
    let mut ranges = vec![mpi_picture(source, Access::Read)];
    if !regions.is_null() && count <= MAX_REGIONS {
        // SAFETY: the caller's `count` records, which the runtime reads in this very call.
        let regions = unsafe { std::slice::from_raw_parts(regions, count as usize) };
        let pictures = regions.iter().map(picture);
        ranges.extend(pictures.map(|picture| mpi_picture(picture, Access::Write)));
    }
    ranges
}

/// A coded frame of the second interface and its decoded picture; neither at the end of a stream.
pub fn mpi_frame(
    stream: *const hi_vdec_stream,
    info: *const hi_vdec_pic_info,
) -> [Option<RangeUse>; 2] {
    // SAFETY: null, or a record of the caller's, which the runtime reads in this very call.
    let coded = unsafe { stream.as_ref() }.filter(|stream| stream.end_of_stream == HI_FALSE);
    let Some(coded) = coded else {
        return [None, None];
    };
    // SAFETY: as above.
    let picture = unsafe { info.as_ref() }.and_then(|info| {
        let strides = (info.width_stride, info.height_stride);
        let size = touched(info.buffer_size, info.pixel_format, strides.0, strides.1);
        run(info.vir_addr, size, Access::Write)
    });
    [run(coded.addr as u64, coded.len, Access::Read), picture]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_and_format_bound_what_is_touched() {
        let nv12 = PIXEL_FORMAT_YUV_SEMIPLANAR_420;
        assert_eq!(touched(10_000, nv12, 64, 32), 3072);
        assert_eq!(touched(3000, nv12, 64, 32), 3000);
    }

    #[test]
    fn where_strides_are_not_set_the_size_counts() {
        assert_eq!(
            touched(10_000, PIXEL_FORMAT_YUV_SEMIPLANAR_420, 0, 0),
            10_000
        );
        assert_eq!(touched(10_000, PIXEL_FORMAT_UNKNOWN, 64, 32), 10_000);
    }

    #[test]
    fn the_two_interfaces_number_formats_alike() {
        assert_eq!(PIXEL_FORMAT_BGRA_8888, HI_PIXEL_FORMAT_BGRA_8888);
        assert_eq!(PIXEL_FORMAT_YUV_400, HI_PIXEL_FORMAT_YUV_400);
    }
}
