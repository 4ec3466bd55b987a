/* Memory files: gone with the last process that has them, however it ends. Others open them through /proc. */
#define _GNU_SOURCE
#include "segment.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "alive.h"

static const uint64_t MAGIC = 0x31676573666c6368;

/* The start of a root info's bytes. */
struct name {
    uint64_t magic, nonce, birth;
    int32_t process, file;
};

/* Segments that this process made: their files stay open until all ranks have come. */
struct made {
    struct made *next;
    struct name name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct made *all_made;

static bool begin(int file, struct name *name)
{
    if (ftruncate(file, sizeof(struct segment)) != 0) {
        return false;
    }
    struct segment *segment = mmap(NULL, sizeof *segment, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (segment == MAP_FAILED) {
        return false;
    }
    *name = (struct name){.magic = MAGIC, .birth = birthOf(getpid()), .process = getpid(), .file = file};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    /* The number of a file is used again: the time tells one from the next. */
    name->nonce = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    segment->magic = MAGIC;
    segment->nonce = name->nonce;
    segmentClose(segment);
    return true;
}

bool segmentNew(HcclRootInfo *info)
{
    struct made *made = calloc(1, sizeof *made);
    int file = made == NULL ? -1 : memfd_create("aclsim-hccl", MFD_CLOEXEC);
    if (file < 0 || !begin(file, &made->name)) {
        if (file >= 0) {
            close(file);
        }
        free(made);
        return false;
    }
    memset(info, 0, sizeof *info);
    memcpy(info->internal, &made->name, sizeof made->name);
    pthread_mutex_lock(&lock);
    made->next = all_made;
    all_made = made;
    pthread_mutex_unlock(&lock);
    return true;
}

void *fileOfProcess(int32_t process, int32_t file, uint64_t size, bool is_written)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
    int opened = open(path, (is_written ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (opened < 0) {
        return NULL;
    }
    struct stat about;
    void *bytes = MAP_FAILED;
    /* A page beyond a file's end would be SIGBUS. */
    if (fstat(opened, &about) == 0 && S_ISREG(about.st_mode) && (uint64_t)about.st_size >= size) {
        bytes = mmap(NULL, size, PROT_READ | (is_written ? PROT_WRITE : 0), MAP_SHARED, opened, 0);
    }
    close(opened);
    return bytes == MAP_FAILED ? NULL : bytes;
}

struct segment *segmentOpen(const HcclRootInfo *info)
{
    struct name name;
    memcpy(&name, info->internal, sizeof name);
    if (name.magic != MAGIC || !isAlive(name.process, name.birth)) {
        return NULL;
    }
    struct segment *segment = fileOfProcess(name.process, name.file, sizeof *segment, true);
    if (segment == NULL) {
        return NULL;
    }
    /* The number may be another file's by now. */
    if (segment->magic != MAGIC || segment->nonce != name.nonce) {
        segmentClose(segment);
        return NULL;
    }
    return segment;
}

void segmentClose(struct segment *segment)
{
    munmap(segment, sizeof *segment);
}

void segmentForget(const HcclRootInfo *info)
{
    struct made *found = NULL;
    pthread_mutex_lock(&lock);
    struct made **at = &all_made;
    while (*at != NULL && memcmp(&(*at)->name, info->internal, sizeof found->name) != 0) {
        at = &(*at)->next;
    }
    /* A child has its parent's list. */
    if (*at != NULL && (*at)->name.process == getpid()) {
        found = *at;
        *at = found->next;
    }
    pthread_mutex_unlock(&lock);
    if (found != NULL) {
        close(found->name.file);
        free(found);
    }
}
