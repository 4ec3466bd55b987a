/* Memory files for bytes on their way. They only grow, so that whoever has mapped one sees the bytes that come later, too. */
#define _GNU_SOURCE
#include "staging.h"

#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 65536 };

bool stagingReserve(struct staging *staging, uint64_t bytes)
{
    if (bytes <= staging->size) {
        return true;
    }
    uint64_t size = (bytes + PAGE - 1) / PAGE * PAGE;
    if (!staging->is_open) {
        staging->file = memfd_create("aclsim-hccl-data", MFD_CLOEXEC);
        staging->is_open = staging->file >= 0;
    }
    if (!staging->is_open || ftruncate(staging->file, (off_t)size) != 0) {
        return false;
    }
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, staging->file, 0);
    if (mapped == MAP_FAILED) {
        return false;
    }
    if (staging->bytes != NULL) {
        munmap(staging->bytes, staging->size);
    }
    staging->bytes = mapped;
    staging->size = size;
    return true;
}

void stagingEnd(struct staging *staging)
{
    if (staging->bytes != NULL) {
        munmap(staging->bytes, staging->size);
    }
    if (staging->is_open) {
        close(staging->file);
    }
    *staging = (struct staging){0};
}

const unsigned char *borrow(struct borrowed *borrowed, int32_t process, int file, uint64_t size)
{
    if (borrowed->bytes != NULL && borrowed->file == file && borrowed->size >= size) {
        return borrowed->bytes;
    }
    borrowEnd(borrowed);
    const unsigned char *bytes = fileOfProcess(process, file, size, false);
    if (bytes != NULL) {
        *borrowed = (struct borrowed){.file = file, .size = size, .bytes = bytes};
    }
    return bytes;
}

void borrowEnd(struct borrowed *borrowed)
{
    if (borrowed->bytes != NULL) {
        munmap((void *)borrowed->bytes, borrowed->size);
    }
    *borrowed = (struct borrowed){0};
}
