//! The media units: descriptors, operations on pictures and streams, and pools of blocks.
//!
//! The value `queue` is a call's stream, or a number for the channel whose tasks run in order.

use crate::api::family::Family;
use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::{Function, now, queued};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("acldvppCreatePicDesc", Allocate(Family::PictureDesc)),
    now("acldvppDestroyPicDesc", Release(Family::PictureDesc)),
    now("acldvppCreateBatchPicDesc", Allocate(Family::PictureBatch)),
    now("acldvppDestroyBatchPicDesc", Release(Family::PictureBatch)),
    now("acldvppCreateStreamDesc", Allocate(Family::StreamDesc)),
    now("acldvppDestroyStreamDesc", Release(Family::StreamDesc)),
    queued("acldvppVpcResizeAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppVpcCropAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppVpcCropResizeAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppVpcCropAndPasteAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppVpcCropResizePasteAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppVpcBatchCropAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppVpcBatchCropAndPasteAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppVpcBatchCropResizeAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppVpcBatchCropResizePasteAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppVpcConvertColorAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppJpegDecodeAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppPngDecodeAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("acldvppJpegEncodeAsync", Launch).with(&["queue"]).does(Effect::UseMedia).on_stream(),
    queued("aclvdecSendFrame", Launch).with(&["queue"]).does(Effect::UseMedia),
    queued("aclvdecSendSkippedFrame", Launch).with(&["queue"]).does(Effect::UseMedia),
    queued("hi_mpi_vpc_resize", Launch).with(&["queue"]).does(Effect::UseMedia),
    queued("hi_mpi_vpc_crop", Launch).with(&["queue"]).does(Effect::UseMedia),
    queued("hi_mpi_vpc_crop_resize", Launch).with(&["queue"]).does(Effect::UseMedia),
    queued("hi_mpi_vpc_crop_resize_paste", Launch).with(&["queue"]).does(Effect::UseMedia),
    queued("hi_mpi_vpc_convert_color", Launch).with(&["queue"]).does(Effect::UseMedia),
    queued("hi_mpi_vdec_send_stream", Launch).with(&["queue"]).does(Effect::UseMedia),
    now("hi_mpi_vb_create_pool", Allocate(Family::VideoPool)),
    now("hi_mpi_vb_destroy_pool", Release(Family::VideoPool)),
    now("hi_mpi_vb_get_block", Allocate(Family::VideoBlock)),
    now("hi_mpi_vb_release_block", Release(Family::VideoBlock)).with(&["handle"]),
    now("hi_mpi_vb_block_copyref", State).with(&["handle"]),
];
