/* Handles to memory without addresses: counted by the program's references and by mappings. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "virtual.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct physical *handles;

void virtualLock(void)
{
    pthread_mutex_lock(&lock);
}

void virtualUnlock(void)
{
    pthread_mutex_unlock(&lock);
}

bool physicalKnown(const struct physical *physical)
{
    for (struct physical *at = handles; at; at = at->next) {
        if (at == physical) {
            return at->references > 0 && at->file >= 0;
        }
    }
    return false;
}

struct physical *physicalNew(int file, uint64_t size, uint64_t page, int32_t device)
{
    struct physical *physical = calloc(1, sizeof *physical);
    if (physical) {
        *physical = (struct physical){
            .next = handles, .file = file, .size = size, .page = page, .device = device, .references = 1,
        };
        handles = physical;
    }
    return physical;
}

static void memoryGone(struct physical *physical)
{
    if (physical->file < 0) {
        return;
    }
    shareEnd(physical);
    close(physical->file);
    physical->file = -1;
    if (physical->charged) {
        heapCredit(&deviceAt(physical->device)->heap, physical->charged);
    }
}

void physicalDrop(struct physical *physical)
{
    if (--physical->references == 0) {
        memoryGone(physical);
    }
}

/* The driver's pages: normal ones are served as huge ones. */
static uint64_t pageOf(aclrtMemAttr attr)
{
    bool giant = attr == ACL_HBM_MEM_HUGE1G || attr == ACL_MEM_HUGE1G || attr == ACL_MEM_P2P_HUGE1G;
    return giant ? GIANT_PAGE : HUGE_PAGE;
}

/* The checks of the acl layer, then of the runtime. */
static aclError propAccepted(const aclrtPhysicalMemProp *prop)
{
    bool host = prop->location.type == ACL_MEM_LOCATION_TYPE_HOST ||
                prop->location.type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
    switch (prop->memAttr) {
    case ACL_DDR_MEM_HUGE:
    case ACL_DDR_MEM_NORMAL:
    case ACL_DDR_MEM_P2P_HUGE:
    case ACL_DDR_MEM_P2P_NORMAL:
        if (!host) {
            return ACL_ERROR_INVALID_PARAM;
        }
        break;
    case ACL_HBM_MEM_HUGE:
    case ACL_HBM_MEM_NORMAL:
    case ACL_HBM_MEM_HUGE1G:
    case ACL_MEM_NORMAL:
    case ACL_MEM_HUGE:
    case ACL_MEM_HUGE1G:
    case ACL_MEM_P2P_NORMAL:
    case ACL_MEM_P2P_HUGE:
    case ACL_MEM_P2P_HUGE1G:
        break;
    default:
        return ACL_ERROR_INVALID_PARAM;
    }
    if (!host && !deviceAt((int32_t)prop->location.id)) {
        return ACL_ERROR_RT_INVALID_DEVICEID;
    }
    if (pageOf(prop->memAttr) == GIANT_PAGE && !aclsimSoc()->has_giant_pages) {
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    }
    return prop->reserve == 0 ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

static aclError takeMemory(uint64_t charged, int32_t device, int *file)
{
    if (device >= 0 && !heapCharge(&deviceAt(device)->heap, charged)) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *file = memfd_create("aclsim-physical", MFD_CLOEXEC);
    if (*file >= 0 && ftruncate(*file, (off_t)charged) == 0) {
        return ACL_SUCCESS;
    }
    if (*file >= 0) {
        close(*file);
    }
    if (device >= 0) {
        heapCredit(&deviceAt(device)->heap, charged);
    }
    return ACL_ERROR_RT_MEMORY_ALLOCATION;
}

aclError rtMallocPhysical(aclrtDrvMemHandle *handle, uint64_t size, const aclrtPhysicalMemProp *prop)
{
    aclError code = propAccepted(prop);
    if (code != ACL_SUCCESS) {
        return code;
    }
    uint64_t page = pageOf(prop->memAttr);
    if (size > UINT64_MAX / 2) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    uint64_t charged = (size + page - 1) / page * page;
    int32_t device = prop->location.type == ACL_MEM_LOCATION_TYPE_DEVICE ? (int32_t)prop->location.id : -1;
    int file;
    code = takeMemory(charged, device, &file);
    if (code != ACL_SUCCESS) {
        return code;
    }
    virtualLock();
    struct physical *physical = physicalNew(file, size, page, device);
    if (physical) {
        physical->charged = device >= 0 ? charged : 0;
        physical->prop = *prop;
        *handle = physical;
    }
    virtualUnlock();
    return physical ? ACL_SUCCESS : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

/* While it is mapped, only the program's own references can be released. */
aclError rtFreePhysical(aclrtDrvMemHandle handle)
{
    struct physical *physical = handle;
    virtualLock();
    bool owed = physicalKnown(physical) && physical->references > physical->maps;
    if (owed) {
        physicalDrop(physical);
    }
    virtualUnlock();
    return owed ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

aclError rtMemRetainAllocationHandle(void *address, aclrtDrvMemHandle *handle)
{
    virtualLock();
    struct mapping *mapping = mappingAt((uintptr_t)address);
    if (mapping) {
        mapping->physical->references++;
        *handle = mapping->physical;
    }
    virtualUnlock();
    return mapping ? ACL_SUCCESS : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
}

aclError rtMemGetAllocationGranularity(const aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
                                       size_t *granularity)
{
    aclError code = propAccepted(prop);
    if (code != ACL_SUCCESS) {
        return code;
    }
    if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    *granularity = pageOf(prop->memAttr);
    return ACL_SUCCESS;
}

void virtualDropDevice(int32_t device)
{
    virtualLock();
    for (struct range *range = rangesAll(); range; range = range->next) {
        for (struct mapping *at = range->mappings, *next; at; at = next) {
            next = at->next;
            if (at->physical->device == device) {
                mappingEnd(range, at);
            }
        }
    }
    for (struct physical *at = handles; at; at = at->next) {
        if (at->device == device) {
            memoryGone(at);
            at->references = 0;
        }
    }
    virtualUnlock();
}

/* Of imported memory only where it is and how large its pages are, is known. */
aclError rtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp *prop)
{
    struct physical *physical = handle;
    virtualLock();
    bool known = physicalKnown(physical);
    if (known && physical->imported) {
        bool host = physical->device < 0;
        *prop = (aclrtPhysicalMemProp){
            .memAttr = physical->page == GIANT_PAGE ? ACL_MEM_HUGE1G : ACL_MEM_HUGE,
            .location = {host ? 0 : (uint32_t)physical->device, host ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE},
        };
    } else if (known) {
        *prop = physical->prop;
    }
    virtualUnlock();
    return known ? ACL_SUCCESS : ACL_ERROR_RT_INVALID_HANDLE;
}
