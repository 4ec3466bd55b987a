/* A runtime that answers in odd ways: which, ODD says. Its own memory is malloc's.
 *
 * `odd_inside`, if the program sets it, is called from inside every call, with the call's name. */
#define _GNU_SOURCE
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void (*odd_inside)(const char *call);

static int is(const char *way) {
    const char *odd = getenv("ODD");
    return odd != NULL && strcmp(odd, way) == 0;
}

/* A call's result: 0 or an unexpected code. */
static int enter(const char *call) {
    static int codes[] = {1, -1, INT_MIN, INT_MAX, 100000, 507899};
    static int next;
    if (odd_inside != NULL) {
        odd_inside(call);
    }
    return is("errors") ? 507899 : is("codes") ? codes[next++ % 6] : 0;
}

static void *page(int protection) {
    static void *pages[8];
    if (pages[protection] == NULL) {
        pages[protection] = mmap(NULL, 64 << 20, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    return pages[protection];
}

/* Memory, or an address that is none. */
static void give(void **out, size_t size) {
    char *real;
    if (out == NULL || is("untouched")) {
        return;
    }
    *out = is("null")        ? NULL
           : is("low")       ? (void *)64
           : is("high")      ? (void *)(UINTPTR_MAX - 63)
           : is("noncanonical") ? (void *)0x8000123456789ab0
           : is("wild")      ? (void *)0x00007ead00000010
           : is("closed")    ? page(PROT_NONE)
           : is("readonly")  ? page(PROT_READ)
           : is("same")      ? page(PROT_READ | PROT_WRITE)
                             : NULL;
    if (*out == NULL && !is("null")) {
        real = size <= 1 << 20 ? malloc(size + 8192) : page(PROT_NONE);
        *out = is("unaligned") ? real + 5 : real;
    }
}

static void give_handle(void **out) {
    static uintptr_t next = 1;
    if (is("null") || is("low") || is("high") || is("same") || is("untouched") || is("wild")) {
        give(out, 1);
    } else if (out != NULL) {
        *out = (void *)next++;
    }
}

int aclInit(const char *path) {
    (void)path;
    return enter("aclInit");
}
int aclFinalize(void) {
    return enter("aclFinalize");
}
int aclrtSetDevice(int32_t device) {
    (void)device;
    return enter("aclrtSetDevice");
}
int aclrtResetDevice(int32_t device) {
    (void)device;
    return enter("aclrtResetDevice");
}
int aclrtGetDevice(int32_t *device) {
    *device = is("devices") ? INT_MIN : 0;
    return enter("aclrtGetDevice");
}
int aclrtGetRunMode(unsigned *mode) {
    *mode = is("names") ? 77 : 1;
    return enter("aclrtGetRunMode");
}
const char *aclrtGetSocName(void) {
    static char longest[1 << 20];
    enter("aclrtGetSocName");
    if (is("names")) {
        memset(longest, 0xff, sizeof longest - 1);
        return longest;
    }
    return is("null") ? NULL : "Ascend910B1";
}
int aclrtGetMemInfo(int attribute, size_t *free_bytes, size_t *total) {
    (void)attribute;
    *free_bytes = is("sizes") ? SIZE_MAX : 1 << 30;
    *total = is("sizes") ? 1 : 1u << 31;
    return enter("aclrtGetMemInfo");
}
int aclrtMalloc(void **block, size_t size, int policy) {
    int status = enter("aclrtMalloc");
    (void)policy;
    if (status == 0) {
        give(block, size);
    }
    return status;
}
int aclrtFree(void *block) {
    (void)block; /* Nothing is reused: what is odd are the answers. */
    return enter("aclrtFree");
}
int aclrtMallocHost(void **block, size_t size) {
    int status = enter("aclrtMallocHost");
    if (status == 0) {
        give(block, size);
    }
    return status;
}
int aclrtFreeHost(void *block) {
    (void)block;
    return enter("aclrtFreeHost");
}
/* A driver finds out what it may not touch; this one touches nothing. */
int aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, int kind) {
    (void)to, (void)room, (void)from, (void)bytes, (void)kind;
    return enter("aclrtMemcpy");
}
int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, int kind, void *stream) {
    (void)to, (void)room, (void)from, (void)bytes, (void)kind, (void)stream;
    return enter("aclrtMemcpyAsync");
}
int aclrtMemset(void *to, size_t room, int value, size_t bytes) {
    (void)to, (void)room, (void)value, (void)bytes;
    return enter("aclrtMemset");
}
int aclrtCreateStream(void **stream) {
    int status = enter("aclrtCreateStream");
    if (status == 0) {
        give_handle(stream);
    }
    return status;
}
int aclrtDestroyStream(void *stream) {
    (void)stream;
    return enter("aclrtDestroyStream");
}
int aclrtSynchronizeStream(void *stream) {
    (void)stream;
    return enter("aclrtSynchronizeStream");
}
int aclrtCreateEvent(void **event) {
    int status = enter("aclrtCreateEvent");
    if (status == 0) {
        give_handle(event);
    }
    return status;
}
int aclrtDestroyEvent(void *event) {
    (void)event;
    return enter("aclrtDestroyEvent");
}
int aclrtProcessReport(int timeout) {
    (void)timeout;
    return enter("aclrtProcessReport");
}
int aclrtReserveMemAddress(void **address, size_t size, size_t alignment, void *wanted, uint64_t flags) {
    static char *next;
    int status = enter("aclrtReserveMemAddress");
    (void)alignment, (void)wanted, (void)flags;
    if (next == NULL) {
        next = mmap(NULL, (size_t)1 << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        next += -(uintptr_t)next & ((1 << 21) - 1);
    }
    if (status == 0) {
        give(address, size);
        if (address != NULL && getenv("ODD") == NULL) {
            *address = next;
            next += size >> 30 ? 0 : (size + (1 << 21) - 1) >> 21 << 21;
        }
    }
    return status;
}
int aclrtReleaseMemAddress(void *address) {
    (void)address;
    return enter("aclrtReleaseMemAddress");
}
int aclrtMallocPhysical(void **handle, size_t size, const void *properties, uint64_t flags) {
    int status = enter("aclrtMallocPhysical");
    (void)size, (void)properties, (void)flags;
    if (status == 0) {
        give_handle(handle);
    }
    return status;
}
int aclrtFreePhysical(void *handle) {
    (void)handle;
    return enter("aclrtFreePhysical");
}
int aclrtMapMem(void *address, size_t size, size_t offset, void *handle, uint64_t flags) {
    (void)address, (void)size, (void)offset, (void)handle, (void)flags;
    return enter("aclrtMapMem");
}
int aclrtUnmapMem(void *address) {
    (void)address;
    return enter("aclrtUnmapMem");
}
int aclrtMemGetAddressRange(void *address, void **base, size_t *size) {
    *base = address;
    *size = is("sizes") ? SIZE_MAX : 64;
    return enter("aclrtMemGetAddressRange");
}
/* The key fills its room to the last byte: there is no end to it. */
int aclrtIpcMemGetExportKey(void *block, size_t size, char *key, size_t room, uint64_t flags) {
    (void)block, (void)size, (void)flags;
    memset(key, 'k', room);
    return enter("aclrtIpcMemGetExportKey");
}
int aclrtIpcMemImportByKey(void **block, const char *key, uint64_t flags) {
    int status = enter("aclrtIpcMemImportByKey");
    (void)key, (void)flags;
    if (status == 0) {
        give(block, 64);
    }
    return status;
}
int aclrtIpcMemClose(const char *key) {
    (void)key;
    return enter("aclrtIpcMemClose");
}
