/* Bundles: a table whose partitions are whole files, and the size of the variables that they share. */
#include "acl/error_codes/acl_error_codes.h"
#include "read.h"

uint32_t omBundle(struct om_arena *arena, const void *bytes, size_t length, struct om_bundle *bundle)
{
    enum { HEADER = 256, HEAD = 8, ENTRY = 24 };
    const uint8_t *at = bytes, *end = at + length;
    if (length < HEADER + HEAD || at[82] != OM_BUNDLE) {
        return ACL_ERROR_INVALID_PARAM;
    }
    uint32_t count = omU32(at + HEADER);
    const uint8_t *line = at + HEADER + HEAD;
    if (count > (size_t)(end - line) / ENTRY) {
        return ACL_ERROR_INVALID_PARAM;
    }
    at = line + (size_t)count * ENTRY;
    struct om_bytes *list = omTake(arena, count, sizeof *list);
    *bundle = (struct om_bundle){.model = list};
    for (; list != NULL && count > 0; count--, line += ENTRY) {
        uint64_t size = omU64(line + 16);
        if (size > (size_t)(end - at)) {
            return ACL_ERROR_INVALID_PARAM;
        }
        if (omU32(line) == OM_BUNDLE_VARIABLES && end - at >= 8) {
            bundle->variable_bytes = (int64_t)omU64(at);
        }
        if (omU32(line) == OM_BUNDLE_MODEL) {
            list[bundle->count++] = (struct om_bytes){at, size};
        }
        at += size;
    }
    return list == NULL ? (uint32_t)ACL_ERROR_BAD_ALLOC : 0;
}
