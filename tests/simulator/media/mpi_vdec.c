/* hi_mpi_vdec_*: coded frames wait in their channel; each is decoded when it is fetched. */
#include <pthread.h>
#include <string.h>

#include "../compute/device_window.h"
#include "frames.h"
#include "mpi.h"
#include "picture/jpeg_planes.h"

#define ERROR(code) HI_DEFINE_ERR(HI_ID_VDEC, HI_ERR_LEVEL_ERROR, (code))

enum { CHANNELS = 256, FRAMES = 64 };

struct frame {
    hi_vdec_stream coded;
    hi_vdec_pic_info wanted;
};

struct channel {
    bool created, receiving;
    hi_payload_type type;
    hi_u32 first, count, out; /* frames waiting, and those that came out and were not given back */
    struct frame frames[FRAMES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct channel channels[CHANNELS];

static hi_s32 find(hi_vdec_chn chn, struct channel **channel)
{
    if (chn < 0 || chn >= CHANNELS) {
        return ERROR(HI_ERR_INVALID_CHN_ID);
    }
    *channel = &channels[chn];
    return (*channel)->created ? HI_SUCCESS : ERROR(HI_ERR_UNEXIST);
}

hi_s32 hi_mpi_vdec_create_chn(hi_vdec_chn chn, const hi_vdec_chn_attr *attr)
{
    ENTER_MPI();
    if (attr == NULL) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    bool is_known = attr->type == HI_PT_JPEG || attr->type == HI_PT_H264 || attr->type == HI_PT_H265;
    if (!is_known || attr->pic_width == 0 || attr->pic_height == 0) {
        return ERROR(HI_ERR_ILLEGAL_PARAM);
    }
    struct channel *channel;
    pthread_mutex_lock(&lock);
    hi_s32 status = find(chn, &channel);
    if (status == ERROR(HI_ERR_UNEXIST)) {
        *channel = (struct channel){.created = true, .type = attr->type};
        status = HI_SUCCESS;
    } else if (status == HI_SUCCESS) {
        status = ERROR(HI_ERR_EXIST);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static hi_s32 change(hi_vdec_chn chn, bool created, bool receiving)
{
    struct channel *channel;
    pthread_mutex_lock(&lock);
    hi_s32 status = find(chn, &channel);
    if (status == HI_SUCCESS && !created && channel->receiving) {
        status = ERROR(HI_ERR_NOT_PERM);
    }
    if (status == HI_SUCCESS) {
        channel->created = created;
        channel->receiving = receiving;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

hi_s32 hi_mpi_vdec_destroy_chn(hi_vdec_chn chn)
{
    ENTER_MPI();
    return change(chn, false, false);
}

hi_s32 hi_mpi_vdec_start_recv_stream(hi_vdec_chn chn)
{
    ENTER_MPI();
    return change(chn, true, true);
}

hi_s32 hi_mpi_vdec_stop_recv_stream(hi_vdec_chn chn)
{
    ENTER_MPI();
    return change(chn, true, false);
}

/* Where the queue is full, no timeout would empty it: the caller itself takes frames out. */
hi_s32 hi_mpi_vdec_send_stream(hi_vdec_chn chn, const hi_vdec_stream *stream, hi_vdec_pic_info *vdec_pic_info,
                               hi_s32 milli_sec)
{
    ENTER_MPI();
    (void)milli_sec;
    if (stream == NULL || vdec_pic_info == NULL) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    if (!stream->end_of_stream && (stream->addr == NULL || stream->len == 0 || vdec_pic_info->vir_addr == 0)) {
        return ERROR(HI_ERR_ILLEGAL_PARAM);
    }
    struct channel *channel;
    pthread_mutex_lock(&lock);
    hi_s32 status = find(chn, &channel);
    if (status == HI_SUCCESS && !channel->receiving) {
        status = ERROR(HI_ERR_NOT_PERM);
    }
    if (status == HI_SUCCESS && !stream->end_of_stream) {
        if (channel->count == FRAMES) {
            status = ERROR(HI_ERR_NO_BUF);
        } else {
            channel->frames[(channel->first + channel->count++) % FRAMES] = (struct frame){*stream, *vdec_pic_info};
        }
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static bool decodeJpeg(const struct frame *frame, const struct picture *out)
{
    struct jpeg_plane planes[3];
    const uint8_t *file = deviceWindow(frame->coded.addr, frame->coded.len);
    unsigned char *bytes = pictureIsWhole(out) ? deviceWindow(out->data, pictureBytes(out)) : NULL;
    if (file == NULL || bytes == NULL) {
        return false;
    }
    jpegPlanes(out, bytes, planes);
    return jpegDecode(file, frame->coded.len, planes);
}

/* `frame_flag` is 0 for a frame that came out whole. */
static void decode(hi_payload_type type, const struct frame *frame, hi_video_frame *made)
{
    const hi_vdec_pic_info *wanted = &frame->wanted;
    struct picture out = {(void *)(uintptr_t)wanted->vir_addr, wanted->buffer_size,   (int)wanted->pixel_format,
                          wanted->width,                        wanted->height,        wanted->width_stride,
                          wanted->height_stride};
    bool is_whole = type == HI_PT_JPEG ? decodeJpeg(frame, &out)
                                       : frameDecode(frame->coded.addr, frame->coded.len, &out) == FRAME_WHOLE;
    memset(made, 0, sizeof *made);
    made->width = out.width;
    made->height = out.height;
    made->field = HI_VIDEO_FIELD_FRAME;
    made->pixel_format = wanted->pixel_format;
    made->width_stride[0] = made->width_stride[1] = out.width_stride;
    made->height_stride[0] = made->height_stride[1] = out.height_stride;
    made->virt_addr[0] = out.data;
    made->pts = frame->coded.pts;
    made->frame_flag = is_whole ? 0 : 1;
}

hi_s32 hi_mpi_vdec_get_frame(hi_vdec_chn chn, hi_video_frame_info *frame_info, hi_vdec_supplement_info *supplement,
                             hi_vdec_stream *stream, hi_s32 milli_sec)
{
    ENTER_MPI();
    (void)milli_sec;
    if (frame_info == NULL || stream == NULL) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    struct channel *channel;
    struct frame frame;
    hi_payload_type type = HI_PT_JPEG;
    pthread_mutex_lock(&lock);
    hi_s32 status = find(chn, &channel);
    if (status == HI_SUCCESS && channel->count == 0) {
        status = ERROR(HI_ERR_BUF_EMPTY);
    }
    if (status == HI_SUCCESS) {
        frame = channel->frames[channel->first];
        type = channel->type;
        channel->first = (channel->first + 1) % FRAMES;
        channel->count--;
        channel->out++;
    }
    pthread_mutex_unlock(&lock);
    if (status != HI_SUCCESS) {
        return status;
    }
    decode(type, &frame, &frame_info->v_frame);
    frame_info->pool_id = (hi_u32)HI_VB_INVALID_POOLID;
    frame_info->mod_id = HI_ID_VDEC;
    *stream = frame.coded;
    if (supplement != NULL) {
        *supplement = (hi_vdec_supplement_info){.type = type};
    }
    return HI_SUCCESS;
}

hi_s32 hi_mpi_vdec_release_frame(hi_vdec_chn chn, const hi_video_frame_info *frame_info)
{
    ENTER_MPI();
    if (frame_info == NULL) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    struct channel *channel;
    pthread_mutex_lock(&lock);
    hi_s32 status = find(chn, &channel);
    if (status == HI_SUCCESS && channel->out == 0) {
        status = ERROR(HI_ERR_ILLEGAL_PARAM);
    }
    if (status == HI_SUCCESS) {
        channel->out--;
    }
    pthread_mutex_unlock(&lock);
    return status;
}
