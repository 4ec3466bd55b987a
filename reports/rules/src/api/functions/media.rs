//! The media units: descriptors, operations on pictures and streams, and pools of blocks.
//!
//! The value `queue` is a call's stream, or a number for the channel whose tasks run in order.

use super::function::{Function, now, queued};
use super::role::Role::*;
use crate::api::family::Family;

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("acldvppCreatePicDesc", Allocate(Family::PictureDesc)),
    now("acldvppDestroyPicDesc", Release(Family::PictureDesc)),
    now("acldvppCreateBatchPicDesc", Allocate(Family::PictureBatch)),
    now("acldvppDestroyBatchPicDesc", Release(Family::PictureBatch)),
    now("acldvppCreateStreamDesc", Allocate(Family::StreamDesc)),
    now("acldvppDestroyStreamDesc", Release(Family::StreamDesc)),
    queued("acldvppVpcResizeAsync", Launch).with(&["queue"]),
    queued("acldvppVpcCropAsync", Launch).with(&["queue"]),
    queued("acldvppVpcCropResizeAsync", Launch).with(&["queue"]),
    queued("acldvppVpcCropAndPasteAsync", Launch).with(&["queue"]),
    queued("acldvppVpcCropResizePasteAsync", Launch).with(&["queue"]),
    queued("acldvppVpcBatchCropAsync", Launch).with(&["queue"]),
    queued("acldvppVpcBatchCropAndPasteAsync", Launch).with(&["queue"]),
    queued("acldvppVpcBatchCropResizeAsync", Launch).with(&["queue"]),
    queued("acldvppVpcBatchCropResizePasteAsync", Launch).with(&["queue"]),
    queued("acldvppVpcConvertColorAsync", Launch).with(&["queue"]),
    queued("acldvppJpegDecodeAsync", Launch).with(&["queue"]),
    queued("acldvppPngDecodeAsync", Launch).with(&["queue"]),
    queued("acldvppJpegEncodeAsync", Launch).with(&["queue"]),
    now("aclvdecCreateChannel", State).with(&["queue"]),
    now("aclvdecDestroyChannel", State).with(&["queue"]),
    queued("aclvdecSendFrame", Launch).with(&["queue"]),
    queued("aclvdecSendSkippedFrame", Launch).with(&["queue"]),
    queued("hi_mpi_vpc_resize", Launch).with(&["queue"]),
    queued("hi_mpi_vpc_crop", Launch).with(&["queue"]),
    queued("hi_mpi_vpc_crop_resize", Launch).with(&["queue"]),
    queued("hi_mpi_vpc_crop_resize_paste", Launch).with(&["queue"]),
    queued("hi_mpi_vpc_convert_color", Launch).with(&["queue"]),
    queued("hi_mpi_vdec_send_stream", Launch).with(&["queue"]),
    now("hi_mpi_vb_create_pool", Allocate(Family::VideoPool)),
    now("hi_mpi_vb_destroy_pool", Release(Family::VideoPool)),
    now("hi_mpi_vb_get_block", Allocate(Family::VideoBlock)),
    now("hi_mpi_vb_release_block", Release(Family::VideoBlock)).with(&["handle"]),
    now("hi_mpi_vb_block_copyref", State).with(&["handle"]),
];
