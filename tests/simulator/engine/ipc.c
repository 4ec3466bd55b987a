/* Blocks shared between processes. Rules and codes are those of driver ef377e95
 * (svm_shmem_interprocess.c, svm_shmem_node.c, devmm_svm.c). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "foreign.h"
#include "key.h"

/* A key that this process made or imported. */
struct share {
    struct share *next;
    char name[KEY_LENGTH];
    int32_t device;
    pid_t owner;       /* a child does not own its parent's keys */
    uintptr_t address; /* of an import, else 0 */
    unsigned count;    /* of imports: the second gives the same address */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct share *shares;

/* The lock is held. */
static struct share **find(const char *name, bool imported)
{
    struct share **at = &shares;
    while (*at && ((*at)->owner != getpid() || ((*at)->address != 0) != imported || strcmp((*at)->name, name) != 0)) {
        at = &(*at)->next;
    }
    return at;
}

static void add(const char *name, int32_t device, uintptr_t address)
{
    struct share *share = calloc(1, sizeof *share);
    if (share) {
        strcpy(share->name, name);
        share->device = device;
        share->owner = getpid();
        share->address = address;
        share->count = 1;
        share->next = shares;
        shares = share;
    }
}

static void end(struct share **at)
{
    struct share *gone = *at;
    *at = gone->next;
    if (gone->address) {
        foreignDrop(gone->address);
    } else if (gone->owner == getpid()) {
        keyRemove(gone->name);
    }
    free(gone);
}

/* NULL, and the code, where nothing can be shared. */
static struct context *ready(aclError *code)
{
    struct context *context = contextCurrent();
    bool shares_nothing = aclsimSoc()->run_mode == ACL_DEVICE;
    *code = !context ? ACL_ERROR_RT_CONTEXT_NULL : shares_nothing ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_SUCCESS;
    return *code == ACL_SUCCESS ? context : NULL;
}

aclError rtsIpcMemGetExportKey(const void *pointer, uint64_t size, char *name, uint32_t length, uint64_t flags)
{
    aclError code;
    if (size == 0 || length == 0 || flags > ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (!ready(&code)) {
        return code;
    }
    uintptr_t address = (uintptr_t)pointer;
    struct heap *heap = heapOf(address);
    struct block block;
    struct stat state;
    /* Of the range only the start is held to the page: small blocks are cut from a chunk. */
    if (length < KEY_LENGTH || !heap || heap->device < 0 || !heapFind(heap, address, &block) ||
        address % block.page != 0 || heapReach(heap, address, size) != size) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (fstat(heap->window.file, &state) != 0) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    struct key key = {
        .device = heap->device, .file = heap->window.file, .volume = state.st_dev, .inode = state.st_ino,
        .offset = address - heap->window.base, .size = size, .page = block.page,
        .is_open = flags == ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
    };
    char made[KEY_LENGTH];
    if (!keyCreate(&key, made)) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    strcpy(name, made);
    pthread_mutex_lock(&lock);
    add(made, heap->device, 0);
    pthread_mutex_unlock(&lock);
    return ACL_SUCCESS;
}

static aclError import(const char *name, int32_t device, void **pointer)
{
    struct key key;
    if (!keyRead(name, &key) || !keyAdmits(&key, getpid())) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    int file = keyOpen(&key);
    if (file < 0) {
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    char *bytes = mmap(NULL, key.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, (off_t)key.offset);
    close(file);
    if (bytes == MAP_FAILED) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    struct foreign form = {.device = device, .size = key.size, .page = key.page, .bytes = bytes};
    uintptr_t address = foreignAdd(form);
    if (!address) {
        munmap(bytes, key.size);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *pointer = (void *)address;
    add(name, device, address);
    return ACL_SUCCESS;
}

aclError rtsIpcMemImportByKey(void **pointer, const char *name, uint64_t flags)
{
    aclError code;
    if (flags > ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    struct context *context = ready(&code);
    if (!context) {
        return code;
    }
    pthread_mutex_lock(&lock);
    struct share *known = *find(name, true);
    if (known) {
        known->count++;
        *pointer = (void *)known->address;
    } else {
        code = import(name, context->device, pointer);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

/* First this process's imports of the key, one a call, then the key itself. */
aclError rtsIpcMemClose(const char *name)
{
    aclError code;
    struct key key;
    if (!ready(&code)) {
        return code;
    }
    pthread_mutex_lock(&lock);
    struct share **at = find(name, true);
    at = *at ? at : find(name, false);
    if (*at) {
        if (--(*at)->count == 0) {
            end(at);
        }
    } else {
        code = keyRead(name, &key) ? ACL_ERROR_RT_DRV_INTERNAL_ERROR : ACL_ERROR_RT_PARAM_INVALID;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

aclError rtsIpcMemSetImportPid(const char *name, const int32_t *pids, int32_t count)
{
    aclError code;
    if (count <= 0) {
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    if (!ready(&code)) {
        return code;
    }
    return keyAllow(name, pids, (size_t)count) ? ACL_SUCCESS : ACL_ERROR_RT_PARAM_INVALID;
}

/* The driver's cleanup when it closes the device. */
void ipcDrop(int32_t device)
{
    pthread_mutex_lock(&lock);
    for (struct share **at = &shares; *at;) {
        if ((*at)->device == device) {
            end(at);
        } else {
            at = &(*at)->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void dropAll(void)
{
    for (struct share *at = shares; at; at = at->next) {
        if (!at->address && at->owner == getpid()) {
            keyRemove(at->name);
        }
    }
}
