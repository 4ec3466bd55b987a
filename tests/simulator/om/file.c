/* The header of 256 bytes and the tables of partitions behind it.
 *
 * The loader ignores a partition's offset: partitions follow each other in the order of the table. */
#include <string.h>

#include "acl/error_codes/ge_error_codes.h"
#include "om.h"
#include "read.h"

enum { HEADER = 256, MAGIC = 0x444f4d49, VERSION_2 = 0x20000000, LEAST_TABLE = 8, MOST_FLOW_PARTITIONS = 4096 };

bool omIsModel(const void *bytes, size_t length)
{
    return length >= 4 && omU32(bytes) == MAGIC;
}

uint32_t omHeader(const void *bytes, size_t length, struct om_header *header)
{
    const uint8_t *at = bytes;
    if (length < HEADER) {
        return ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID;
    }
    *header = (struct om_header){.magic = omU32(at), .version = omU32(at + 8), .model_type = at[82]};
    bool is_second = header->version >= VERSION_2;
    uint64_t wide = omU64(at + 184);
    header->length = wide != 0 ? wide : omU32(at + 76);
    header->is_wide = wide != 0 || header->model_type == OM_FLOW_MODEL;
    header->model_count = is_second ? omU32(at + 156) : 0;
    header->is_dynamic = is_second && (header->model_count > 1 || at[193] == 1);
    memcpy(header->platform, at + (is_second ? 160 : 156), sizeof header->platform - 1);
    return header->length == length - HEADER && header->magic == MAGIC ? 0 : ACL_ERROR_GE_PARAM_INVALID;
}

static bool isCount(const struct om_header *header, uint32_t count)
{
    return header->model_type == OM_FLOW_MODEL ? count <= MOST_FLOW_PARTITIONS : count == 1 || (count >= 3 && count <= 8);
}

static uint32_t readTable(struct om_arena *arena, const struct om_header *header, const uint8_t **at,
                          const uint8_t *end, struct om_table *table)
{
    size_t head = header->is_wide ? 8 : 4, entry = header->is_wide ? 24 : 12;
    if ((size_t)(end - *at) <= LEAST_TABLE) {
        return ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID;
    }
    uint32_t count = omU32(*at);
    if (!isCount(header, count)) {
        return ACL_ERROR_GE_PARAM_INVALID;
    }
    if ((size_t)(end - *at) <= head + count * entry) {
        return ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID;
    }
    const uint8_t *line = *at + head;
    *at = line + count * entry;
    table->count = count;
    table->partition = omTake(arena, count, sizeof *table->partition);
    if (table->partition == NULL) {
        return ACL_ERROR_GE_MEMORY_ALLOCATION;
    }
    for (uint32_t i = 0; i < count; i++, line += entry) {
        uint64_t size = header->is_wide ? omU64(line + 16) : omU32(line + 8);
        if (size > (size_t)(end - *at)) {
            return ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID;
        }
        table->partition[i].type = omU32(line);
        table->partition[i].bytes = (struct om_bytes){*at, size};
        *at += size;
    }
    return 0;
}

static uint32_t readTables(struct om_arena *arena, const void *bytes, size_t length, bool is_first,
                           struct om_file *file)
{
    *file = (struct om_file){0};
    uint32_t code = omHeader(bytes, length, &file->header);
    if (code != 0) {
        return code;
    }
    const uint8_t *at = (const uint8_t *)bytes + HEADER, *end = (const uint8_t *)bytes + length;
    size_t tables = file->header.is_dynamic && !is_first ? file->header.model_count : 1;
    /* A table takes 16 bytes at least, so a count that cannot be is found before it is allocated. */
    if (tables > length / 16) {
        return ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID;
    }
    file->table = omTake(arena, tables, sizeof *file->table);
    if (file->table == NULL) {
        return ACL_ERROR_GE_MEMORY_ALLOCATION;
    }
    for (; file->tables < tables; file->tables++) {
        code = readTable(arena, &file->header, &at, end, &file->table[file->tables]);
        if (code != 0) {
            return code;
        }
    }
    return file->header.is_dynamic && !is_first && at != end ? OM_FAILURE : 0;
}

uint32_t omFile(struct om_arena *arena, const void *bytes, size_t length, struct om_file *file)
{
    return readTables(arena, bytes, length, false, file);
}

uint32_t omFirstTable(struct om_arena *arena, const void *bytes, size_t length, struct om_file *file)
{
    return readTables(arena, bytes, length, true, file);
}

struct om_bytes omPartition(const struct om_table *table, uint32_t type)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->partition[i].type == type) {
            return table->partition[i].bytes;
        }
    }
    return (struct om_bytes){NULL, 0};
}
