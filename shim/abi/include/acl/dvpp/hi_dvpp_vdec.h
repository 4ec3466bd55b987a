/* Media processing, second interface: decoding of video and JPEG. Frames are submitted by one call and returned by another, in order;
 * their memory is in use in between. */
#ifndef ACLSAN_HI_DVPP_VDEC_H
#define ACLSAN_HI_DVPP_VDEC_H

#include "hi_dvpp_frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef hi_s32 hi_vdec_chn;

typedef enum {
    HI_PT_JPEG = 26,
    HI_PT_H264 = 96,
    HI_PT_H265 = 265,
    HI_PT_MJPEG = 1002,
} hi_payload_type;

typedef enum {
    HI_VDEC_SEND_MODE_STREAM = 0,
    HI_VDEC_SEND_MODE_FRAME = 1,
    HI_VDEC_SEND_MODE_COMPAT = 2,
} hi_vdec_send_mode;

typedef enum {
    HI_VDEC_FRAME_TYPE_I = 0,
    HI_VDEC_FRAME_TYPE_P = 1,
    HI_VDEC_FRAME_TYPE_B = 2,
} hi_vdec_frame_type;

typedef struct {
    hi_vdec_frame_type frame_type;
    hi_u32 err_rate;
    hi_u32 poc;
} hi_vdec_video_supplement_info;

typedef struct {
    hi_payload_type type;
    union {
        hi_vdec_video_supplement_info video_supplement_info;
    };
} hi_vdec_supplement_info;

typedef struct {
    hi_u32 ref_frame_num;
    hi_bool temporal_mvp_en;
    hi_u32 tmv_buf_size;
} hi_vdec_video_attr;

/* The largest picture to expect, and the decoder's own buffers. */
typedef struct {
    hi_payload_type type;
    hi_vdec_send_mode mode;
    hi_u32 pic_width;
    hi_u32 pic_height;
    hi_u32 stream_buf_size;
    hi_u32 frame_buf_size;
    hi_u32 frame_buf_cnt;
    union {
        hi_vdec_video_attr video_attr;
    };
} hi_vdec_chn_attr;

/* A coded frame, in device memory. */
typedef struct {
    hi_bool end_of_frame;
    hi_bool end_of_stream;
    hi_bool need_display;
    hi_u64 pts;
    hi_u64 private_data;
    hi_u32 len;
    hi_u8 *addr __attribute__((aligned(8)));
} hi_vdec_stream;

/* Destination of the picture, in device memory. */
typedef struct {
    hi_u32 width;
    hi_u32 height;
    hi_u32 width_stride;
    hi_u32 height_stride;
    hi_pixel_format pixel_format;
    hi_u64 vir_addr;
    hi_u32 buffer_size;
    hi_s16 offset_top;
    hi_s16 offset_bottom;
    hi_s16 offset_left;
    hi_s16 offset_right;
} hi_vdec_pic_info;

hi_s32 hi_mpi_vdec_create_chn(hi_vdec_chn chn, const hi_vdec_chn_attr *attr);
hi_s32 hi_mpi_vdec_destroy_chn(hi_vdec_chn chn);
hi_s32 hi_mpi_vdec_start_recv_stream(hi_vdec_chn chn);
hi_s32 hi_mpi_vdec_stop_recv_stream(hi_vdec_chn chn);

/* -1 waits forever, 0 not at all. */
hi_s32 hi_mpi_vdec_send_stream(hi_vdec_chn chn, const hi_vdec_stream *stream, hi_vdec_pic_info *vdec_pic_info,
                               hi_s32 milli_sec);
hi_s32 hi_mpi_vdec_get_frame(hi_vdec_chn chn, hi_video_frame_info *frame_info, hi_vdec_supplement_info *supplement,
                             hi_vdec_stream *stream, hi_s32 milli_sec);
hi_s32 hi_mpi_vdec_release_frame(hi_vdec_chn chn, const hi_video_frame_info *frame_info);

#ifdef __cplusplus
}
#endif

#endif
