/* Partition 8: inputs, outputs and gears in a form of their own, so that a program may ask without loading.
 *
 * Entries of {type, length, value}: 0 inputs, 1 outputs, 2 batches, 3 image sizes, 4 dims, 5 shapes of outputs, 6 names. */
#include "acl/error_codes/ge_error_codes.h"
#include "read.h"

struct cursor {
    const uint8_t *at, *end;
};

static bool take(struct cursor *from, uint64_t size, const uint8_t **taken)
{
    if (size > (size_t)(from->end - from->at)) {
        return false;
    }
    *taken = from->at;
    from->at += size;
    return true;
}

static bool takeU32(struct cursor *from, uint32_t *number)
{
    const uint8_t *at;
    if (!take(from, 4, &at)) {
        return false;
    }
    *number = omU32(at);
    return true;
}

static bool takeNumbers(struct om_arena *arena, struct cursor *from, uint64_t bytes, struct om_dims *numbers)
{
    const uint8_t *at;
    if (!take(from, bytes, &at)) {
        return false;
    }
    int64_t *list = omTake(arena, bytes / 8, sizeof *list);
    if (list == NULL) {
        return false;
    }
    memcpy(list, at, bytes / 8 * 8);
    *numbers = (struct om_dims){bytes / 8, list};
    return true;
}

static bool readEnds(struct om_arena *arena, struct cursor from, size_t *count, struct om_end **ends)
{
    enum { FIXED = 32 };
    uint32_t wanted;
    const uint8_t *fixed, *name;
    if (!takeU32(&from, &wanted) || wanted > (size_t)(from.end - from.at) / FIXED) {
        return false;
    }
    *ends = omTake(arena, wanted, sizeof **ends);
    for (*count = 0; *ends != NULL && *count < wanted; ++*count) {
        struct om_end *end = &(*ends)[*count];
        if (!take(&from, FIXED, &fixed) || !take(&from, omU32(fixed + 16), &name) ||
            !takeNumbers(arena, &from, omU32(fixed + 20), &end->dims) ||
            !takeNumbers(arena, &from, omU32(fixed + 24), &end->dims_v2) ||
            !takeNumbers(arena, &from, omU32(fixed + 28), &end->ranges)) {
            return false;
        }
        end->size = end->padded = omU64(fixed);
        end->format = (int32_t)omU32(fixed + 8);
        end->type = (int32_t)omU32(fixed + 12);
        end->name = omText(arena, name, omU32(fixed + 16));
    }
    return *ends != NULL;
}

/* Batches are a list of numbers, which stand for gears of one number each. */
static bool readGears(struct om_arena *arena, struct cursor from, uint32_t type, struct om_gears *gears)
{
    uint32_t count;
    const uint8_t *lengths = NULL;
    if (!takeU32(&from, &count) || count > (size_t)(from.end - from.at) / 4 ||
        (type != 2 && !take(&from, 4 * (uint64_t)count, &lengths))) {
        return false;
    }
    struct om_dims *list = omTake(arena, count, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        uint64_t length = lengths == NULL ? 1 : omU32(lengths + 4 * (size_t)i);
        if (!takeNumbers(arena, &from, 8 * length, &list[i])) {
            return false;
        }
    }
    gears->kind = type == 2 ? OM_GEARS_BATCH : type == 3 ? OM_GEARS_IMAGE : OM_GEARS_DIMS;
    gears->count = list == NULL ? 0 : count;
    gears->at = list;
    return list != NULL;
}

static bool readTexts(struct om_arena *arena, struct cursor from, size_t *count, const char ***texts)
{
    uint32_t wanted;
    const uint8_t *lengths, *text;
    if (!takeU32(&from, &wanted) || !take(&from, 4 * (uint64_t)wanted, &lengths)) {
        return false;
    }
    *texts = omTake(arena, wanted, sizeof **texts);
    for (*count = 0; *texts != NULL && *count < wanted; ++*count) {
        uint32_t length = omU32(lengths + 4 * *count);
        if (!take(&from, length, &text)) {
            return false;
        }
        (*texts)[*count] = omText(arena, text, length);
    }
    return *texts != NULL;
}

static bool readEntry(struct om_arena *arena, uint32_t type, struct cursor value, struct om_signature *signature)
{
    const char **texts;
    size_t count;
    switch (type) {
    case 0: return readEnds(arena, value, &signature->inputs, &signature->input);
    case 1: return readEnds(arena, value, &signature->outputs, &signature->output);
    case 2:
    case 3:
    case 4: return value.end - value.at >= 4 && omU32(value.at) == 0
                       ? true
                       : readGears(arena, value, type, &signature->gears);
    case 5:
        if (!readTexts(arena, value, &count, &texts)) {
            return false;
        }
        struct om_dims *list = omTake(arena, count, sizeof *list);
        for (size_t i = 0; list != NULL && i < count; i++) {
            struct message text = messageOf(texts[i], strlen(texts[i]));
            list[i] = omNumbersIn(arena, &text);
        }
        signature->gears.shapes = list == NULL ? 0 : count;
        signature->gears.shape = list;
        return list != NULL;
    case 6:
        if (!readTexts(arena, value, &count, &texts)) {
            return false;
        }
        signature->gears.order = (struct om_names){count, texts};
        return true;
    default: return false;
    }
}

uint32_t omListed(struct om_arena *arena, const void *bytes, size_t length, struct om_signature *signature)
{
    struct om_header header;
    struct om_file file;
    *signature = (struct om_signature){0};
    if (omHeader(bytes, length, &header) != 0) {
        return ACL_ERROR_GE_PARAM_INVALID;
    }
    uint32_t code = omFirstTable(arena, bytes, length, &file);
    if (code != 0) {
        return code;
    }
    struct om_bytes part = omPartition(&file.table[0], OM_INOUT);
    struct cursor from = {part.at, part.at + part.size};
    while (from.at < from.end) {
        uint32_t type, size;
        struct cursor value;
        if (!takeU32(&from, &type) || !takeU32(&from, &size) || !take(&from, size, &value.at)) {
            return OM_FAILURE;
        }
        value.end = from.at;
        if (!readEntry(arena, type, value, signature)) {
            return OM_FAILURE;
        }
    }
    return arena->is_exhausted ? ACL_ERROR_GE_MEMORY_ALLOCATION : 0;
}
