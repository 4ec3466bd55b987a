/* The table behind cuGetProcAddress: the newest form of a name that the asked version has. */
#include <stddef.h>
#include <string.h>

/* Without the prototypes: the table is of addresses only. */
#include <stdint.h>

#include "cusim/codes.h"
#include "cusim/enums.h"
#include "exports.h"

#define NEWEST 13000

enum stream_kind { ANY_STREAM, LEGACY_STREAM, OWN_STREAM };

#define DECLARE(base, symbol, since, kind) extern void symbol(void);
DRIVER_EXPORTS(DECLARE)

struct name {
    const char *base;
    void (*address)(void);
    int since;
    enum stream_kind kind;
};

#define ROW(base, symbol, since, kind) {#base, symbol, since, kind},
static const struct name names[] = {DRIVER_EXPORTS(ROW)};

CUresult driverLookUp(const char *symbol, void **function, int version, uint64_t flags, int by_default,
                     CUdriverProcAddressQueryResult *status)
{
    const uint64_t both = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !function || flags >= both || version < 0 || version > NEWEST) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const int is_own = flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM || (flags == 0 && by_default == OWN_STREAM);
    const enum stream_kind unwanted = is_own ? LEGACY_STREAM : OWN_STREAM;
    const struct name *best = NULL;
    int is_known = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct name *name = &names[i];
        if (name->kind == unwanted || strcmp(name->base, symbol) != 0) {
            continue;
        }
        is_known = 1;
        if (name->since <= version && (!best || best->since < name->since)) {
            best = name;
        }
    }
    memcpy(function, best ? &best->address : &(void (*)(void)){NULL}, sizeof *function);
    if (status) {
        *status = best       ? CU_GET_PROC_ADDRESS_SUCCESS
                  : is_known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                             : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    }
    /* With a place for the status, a name that is not there is no error. */
    return best || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
