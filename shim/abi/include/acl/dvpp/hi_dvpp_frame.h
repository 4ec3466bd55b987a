/* Decoded frames of the second media interface. */
#ifndef ACLSAN_HI_DVPP_FRAME_H
#define ACLSAN_HI_DVPP_FRAME_H

#include "hi_dvpp_format.h"

#define HI_MAX_COLOR_COMPONENT 3
#define HI_MAX_USER_DATA_NUM 2

typedef enum {
    HI_VIDEO_FIELD_TOP = 1,
    HI_VIDEO_FIELD_BOTTOM = 2,
    HI_VIDEO_FIELD_INTERLACED = 3,
    HI_VIDEO_FIELD_FRAME = 4,
} hi_video_field;

typedef enum {
    HI_VIDEO_FORMAT_LINEAR = 0,
    HI_VIDEO_FORMAT_TILE_64x16 = 1,
} hi_video_format;

typedef enum {
    HI_COMPRESS_MODE_NONE = 0,
    HI_COMPRESS_MODE_HFBC = 3,
} hi_compress_mode;

typedef enum {
    HI_DYNAMIC_RANGE_SDR8 = 0,
    HI_DYNAMIC_RANGE_SDR10 = 1,
} hi_dynamic_range;

typedef enum {
    HI_COLOR_GAMUT_BT601 = 0,
    HI_COLOR_GAMUT_BT709 = 1,
} hi_color_gamut;

/* Side information; the simulator leaves it empty. */
typedef struct {
    hi_u64 misc_info_phys_addr;
    hi_u64 jpeg_dcf_phys_addr;
    hi_u64 isp_info_phys_addr;
    hi_u64 low_delay_phys_addr;
    hi_u64 bnr_rnt_phys_addr;
    hi_u64 motion_data_phys_addr;
    union {
        hi_u64 frame_dng_phys_addr;
        hi_u64 offset;
    };
    hi_void *misc_info_virt_addr;
    hi_void *jpeg_dcf_virt_addr;
    hi_void *isp_info_virt_addr;
    hi_void *low_delay_virt_addr;
    hi_void *bnr_mot_virt_addr;
    hi_void *motion_data_virt_addr;
    hi_void *frame_dng_virt_addr;
} hi_video_supplement;

typedef struct {
    hi_u32 width;
    hi_u32 height;
    hi_video_field field;
    hi_pixel_format pixel_format;
    hi_video_format video_format;
    hi_compress_mode compress_mode;
    hi_dynamic_range dynamic_range;
    hi_color_gamut color_gamut;
    hi_u32 header_stride[HI_MAX_COLOR_COMPONENT];
    hi_u32 width_stride[HI_MAX_COLOR_COMPONENT];
    hi_u32 height_stride[HI_MAX_COLOR_COMPONENT];
    hi_u64 header_phys_addr[HI_MAX_COLOR_COMPONENT];
    hi_u64 phys_addr[HI_MAX_COLOR_COMPONENT];
    hi_void *header_virt_addr[HI_MAX_COLOR_COMPONENT];
    hi_void *virt_addr[HI_MAX_COLOR_COMPONENT];
    hi_u32 time_ref;
    hi_u64 pts;
    hi_u64 user_data[HI_MAX_USER_DATA_NUM];
    hi_u32 frame_flag;
    hi_video_supplement supplement;
} hi_video_frame;

typedef struct {
    hi_video_frame v_frame;
    hi_u32 pool_id;
    hi_mod_id mod_id;
} hi_video_frame_info;

#endif
