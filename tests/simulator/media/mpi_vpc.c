/* hi_mpi_vpc_*: each call starts a thread that moves the samples, and the caller waits for it by the task's number. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

#include "../public.h"
#include "mpi_vpc.h"
#include "planes.h"

DVPP_MPI_VPC_EXPORTS(ACLSIM_DECLARE_APART)

#define ERROR(code) HI_DEFINE_ERR(HI_ID_VPC, HI_ERR_LEVEL_ERROR, (code))

enum { CHANNELS = 256, TASKS = 64 };

struct task {
    hi_u32 number;
    pthread_t thread;
    int count; /* steps, after this record */
    aclError result;
    struct step steps[];
};

struct channel {
    bool created;
    hi_u32 next;
    struct task *tasks[TASKS];
};

static pthread_mutex_t channels_lock = PTHREAD_MUTEX_INITIALIZER;
static struct channel channels[CHANNELS];

static void *work(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->count && task->result == ACL_SUCCESS; i++) {
        task->result = stepRun(&task->steps[i]);
    }
    return NULL;
}

static bool isChannel(hi_vpc_chn chn)
{
    return chn >= 0 && chn < CHANNELS;
}

static hi_s32 create(hi_vpc_chn chn, const hi_vpc_chn_attr *attr)
{
    if (attr == NULL) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    if (!isChannel(chn)) {
        return ERROR(HI_ERR_INVALID_CHN_ID);
    }
    if (channels[chn].created) {
        return ERROR(HI_ERR_EXIST);
    }
    channels[chn] = (struct channel){.created = true};
    return HI_SUCCESS;
}

hi_s32 hi_mpi_vpc_create_chn(hi_vpc_chn chn, const hi_vpc_chn_attr *attr)
{
    pthread_mutex_lock(&channels_lock);
    hi_s32 status = create(chn, attr);
    pthread_mutex_unlock(&channels_lock);
    return status;
}

hi_s32 hi_mpi_vpc_sys_create_chn(hi_vpc_chn *chnl, const hi_vpc_chn_attr *attr)
{
    if (chnl == NULL) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    pthread_mutex_lock(&channels_lock);
    hi_vpc_chn chn = 0;
    while (chn < CHANNELS && channels[chn].created) {
        chn++;
    }
    hi_s32 status = chn == CHANNELS ? ERROR(HI_ERR_NO_BUF) : create(chn, attr);
    pthread_mutex_unlock(&channels_lock);
    if (status == HI_SUCCESS) {
        *chnl = chn;
    }
    return status;
}

/* Waits for running tasks and discards their results. */
hi_s32 hi_mpi_vpc_destroy_chn(hi_vpc_chn chn)
{
    if (!isChannel(chn)) {
        return ERROR(HI_ERR_INVALID_CHN_ID);
    }
    pthread_mutex_lock(&channels_lock);
    struct channel channel = channels[chn];
    channels[chn].created = false;
    pthread_mutex_unlock(&channels_lock);
    if (!channel.created) {
        return ERROR(HI_ERR_UNEXIST);
    }
    for (int i = 0; i < TASKS; i++) {
        if (channel.tasks[i] != NULL) {
            pthread_join(channel.tasks[i]->thread, NULL);
            free(channel.tasks[i]);
        }
    }
    return HI_SUCCESS;
}

static hi_s32 start(hi_vpc_chn chn, struct task *task, hi_u32 *number)
{
    struct channel *channel = &channels[chn];
    int slot = 0;
    while (slot < TASKS && channel->tasks[slot] != NULL) {
        slot++;
    }
    if (!channel->created) {
        return ERROR(HI_ERR_UNEXIST);
    }
    if (slot == TASKS) {
        return ERROR(HI_ERR_NO_BUF);
    }
    task->number = channel->next++;
    if (pthread_create(&task->thread, NULL, work, task) != 0) {
        return ERROR(HI_ERR_SYS_ERROR);
    }
    channel->tasks[slot] = task;
    *number = task->number;
    return HI_SUCCESS;
}

static hi_s32 submit(hi_vpc_chn chn, struct task *task, hi_u32 *number)
{
    hi_s32 status = HI_SUCCESS;
    for (int i = 0; i < task->count && status == HI_SUCCESS; i++) {
        aclError code = stepCheck(&task->steps[i]);
        if (code != ACL_SUCCESS) {
            status = ERROR(code == ACL_ERROR_FEATURE_UNSUPPORTED ? HI_ERR_NOT_SUPPORT : HI_ERR_ILLEGAL_PARAM);
        }
    }
    if (status == HI_SUCCESS) {
        pthread_mutex_lock(&channels_lock);
        status = start(chn, task, number);
        pthread_mutex_unlock(&channels_lock);
    }
    if (status != HI_SUCCESS) {
        free(task);
    }
    return status;
}

static struct picture pictureOf(const hi_vpc_pic_info *info)
{
    return (struct picture){info->picture_address,      info->picture_buffer_size, (int)info->picture_format,
                            info->picture_width,        info->picture_height,      info->picture_width_stride,
                            info->picture_height_stride};
}

static struct task *taskNew(hi_u32 count)
{
    struct task *task = calloc(1, sizeof *task + count * sizeof task->steps[0]);
    if (task != NULL) {
        task->count = (int)count;
    }
    return task;
}

hi_s32 hi_mpi_vpc_resize(hi_vpc_chn chn, const hi_vpc_pic_info *source_pic, hi_vpc_pic_info *dest_pic, hi_double fx,
                         hi_double fy, hi_u32 interpolation, hi_u32 *task_id, hi_s32 milli_sec)
{
    (void)fx, (void)fy, (void)interpolation, (void)milli_sec;
    if (source_pic == NULL || dest_pic == NULL || task_id == NULL) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    if (!isChannel(chn)) {
        return ERROR(HI_ERR_INVALID_CHN_ID);
    }
    struct task *task = taskNew(1);
    if (task == NULL) {
        return ERROR(HI_ERR_NO_MEM);
    }
    struct picture in = pictureOf(source_pic), out = pictureOf(dest_pic);
    task->steps[0] = (struct step){in, out, pictureRegion(&in), pictureRegion(&out)};
    return submit(chn, task, task_id);
}

/* `count` regions of one picture, each described by `size` bytes that begin with its picture and its region. */
static hi_s32 crop(hi_vpc_chn chn, const hi_vpc_pic_info *source_pic, const void *regions, size_t size, hi_u32 count,
                   hi_u32 *task_id)
{
    if (source_pic == NULL || regions == NULL || task_id == NULL) {
        return ERROR(HI_ERR_NULL_PTR);
    }
    if (!isChannel(chn)) {
        return ERROR(HI_ERR_INVALID_CHN_ID);
    }
    if (count == 0 || count > 256) {
        return ERROR(HI_ERR_ILLEGAL_PARAM);
    }
    struct task *task = taskNew(count);
    if (task == NULL) {
        return ERROR(HI_ERR_NO_MEM);
    }
    for (hi_u32 i = 0; i < count; i++) {
        const hi_vpc_crop_region_info *wanted = (const void *)((const char *)regions + i * size);
        const hi_vpc_crop_region *region = &wanted->crop_region;
        struct picture out = pictureOf(&wanted->dest_pic_info);
        struct region from = {region->left_offset, region->left_offset + region->crop_width - 1, region->top_offset,
                              region->top_offset + region->crop_height - 1};
        struct region to = pictureRegion(&out);
        if (size == sizeof(hi_vpc_crop_resize_paste_region)) {
            const hi_vpc_crop_resize_paste_region *paste = (const void *)wanted;
            to = (struct region){paste->dest_left_offset,
                                 paste->dest_left_offset + paste->resize_info.resize_width - 1, paste->dest_top_offset,
                                 paste->dest_top_offset + paste->resize_info.resize_height - 1};
        }
        task->steps[i] = (struct step){pictureOf(source_pic), out, from, to};
    }
    return submit(chn, task, task_id);
}

hi_s32 hi_mpi_vpc_crop(hi_vpc_chn chn, const hi_vpc_pic_info *source_pic, hi_vpc_crop_region_info crop_info[],
                       hi_u32 count, hi_u32 *task_id, hi_s32 milli_sec)
{
    (void)milli_sec;
    return crop(chn, source_pic, crop_info, sizeof *crop_info, count, task_id);
}

hi_s32 hi_mpi_vpc_crop_resize(hi_vpc_chn chn, const hi_vpc_pic_info *source_pic,
                              hi_vpc_crop_resize_region crop_resize_info[], hi_u32 count, hi_u32 *task_id,
                              hi_s32 milli_sec)
{
    (void)milli_sec;
    return crop(chn, source_pic, crop_resize_info, sizeof *crop_resize_info, count, task_id);
}

hi_s32 hi_mpi_vpc_crop_resize_paste(hi_vpc_chn chn, const hi_vpc_pic_info *source_pic,
                                    hi_vpc_crop_resize_paste_region crop_resize_paste_info[], hi_u32 count,
                                    hi_u32 *task_id, hi_s32 milli_sec)
{
    (void)milli_sec;
    return crop(chn, source_pic, crop_resize_paste_info, sizeof *crop_resize_paste_info, count, task_id);
}

/* Colors other than the source's are refused: the unit converts them, the simulator does not. */
hi_s32 hi_mpi_vpc_convert_color(hi_vpc_chn chn, const hi_vpc_pic_info *source_pic, hi_vpc_pic_info *dest_pic,
                                hi_u32 *task_id, hi_s32 milli_sec)
{
    return hi_mpi_vpc_resize(chn, source_pic, dest_pic, 0, 0, 0, task_id, milli_sec);
}

static struct task *take(hi_vpc_chn chn, hi_u32 number)
{
    for (int i = 0; i < TASKS; i++) {
        struct task *task = channels[chn].tasks[i];
        if (task != NULL && task->number == number) {
            channels[chn].tasks[i] = NULL;
            return task;
        }
    }
    return NULL;
}

/* Waits until it is done: a timeout would only tell how slow this machine is. */
hi_s32 hi_mpi_vpc_get_process_result(hi_vpc_chn chn, hi_u32 task_id, hi_s32 milli_sec)
{
    (void)milli_sec;
    if (!isChannel(chn)) {
        return ERROR(HI_ERR_INVALID_CHN_ID);
    }
    pthread_mutex_lock(&channels_lock);
    struct task *task = take(chn, task_id);
    pthread_mutex_unlock(&channels_lock);
    if (task == NULL) {
        return ERROR(HI_ERR_ILLEGAL_PARAM);
    }
    pthread_join(task->thread, NULL);
    aclError result = task->result;
    free(task);
    return result == ACL_SUCCESS ? HI_SUCCESS : ERROR(HI_ERR_SYS_ERROR);
}
