/* Prints what the simulator's reader finds in offline models, a paragraph each. `tests/scenarios/simulator/om.rs` builds it
 * from this file, the reader beside it and `simulator/compute/protobuf.c`.
 *
 * Inputs and outputs are those of the static rules, also for a model with open shapes. */
#include <stdio.h>
#include <stdlib.h>

#include "../read.h"

static const char *partitionName(uint32_t type)
{
    static const char *const names[OM_PARTITION_TYPES] = {
        "MODEL_DEF", "WEIGHTS_DATA", "TASK_INFO", "TBE_KERNELS", "CUST_AICPU_KERNELS", "SO_BINS", "FLOW_MODEL",
        "FLOW_SUBMODEL", "MODEL_INOUT_INFO", "STATIC_TASK_DESC", "DYNAMIC_TASK_DESC", "TASK_PARAM", "TILING_DATA",
        [20] = "PRE_MODEL_DESC", "PRE_MODEL_SQE", "PRE_MODEL_DESC_EXTEND", "PRE_KERNEL_ARGS", "BUNDLE_MODEL_INFO",
        "BUNDLE_MODEL_VAR_INFO", "CUSTOM_OPS",
    };
    return type < OM_PARTITION_TYPES && names[type] != NULL ? names[type] : "UNKNOWN";
}

static void printText(const char *label, const char *text)
{
    text[0] == 0 ? printf(" %s None", label) : printf(" %s b'%s'", label, text);
}

static void printEnd(const char *side, const struct om_end *end)
{
    const char *type = omTypeName(end->type), *format = omFormatName(end->format);
    int64_t size = (int64_t)end->size;
    if (side[0] == 'o' && size == 0) { /* of an open shape: what the numbers make */
        (void)omTensorBytes(end->type, &end->dims, &size);
    }
    printf("  %s ('%s', '%s', [", side, end->name, type == NULL ? "?" : type);
    for (size_t i = 0; i < end->dims.count; i++) {
        printf("%s%lld", i > 0 ? ", " : "", (long long)end->dims.at[i]);
    }
    printf("], '%s', %lld, 'padded', %llu)\n", format == NULL ? "?" : format, (long long)size,
           (unsigned long long)end->padded);
}

static void printModel(struct om_arena *arena, const struct om_file *file, const void *bytes, size_t length)
{
    struct om_model model = {0};
    struct om_dictionary dictionary;
    struct om_bytes part = omPartition(&file->table[0], OM_MODEL_DEF), tasks = omPartition(&file->table[0], OM_TASKS);
    struct message definition = messageOf(part.at, part.size);
    struct om_attributes attributes = {definition, 11, NULL};
    struct om_graph graph = {{0}, &dictionary, attributes, true};
    struct field field = {0};
    uint32_t code = omModel(arena, bytes, length, &model);
    if (code != 0 && !omIsModelDef(definition)) {
        printf("  refused: %u\n", code);
        return;
    }
    printText(" soc", model.soc);
    printText("atc", model.compiler);
    if (tasks.at == NULL) {
        printf(" work None");
    } else {
        bool has_size = omField(messageOf(tasks.at, tasks.size), 11, &field);
        printf(" work %llu", has_size ? (unsigned long long)field.value : 0);
    }
    printf(" attr memory_size %lld zero_copy ", (long long)model.memory_bytes);
    model.has_zero_copy ? printf("%lld", (long long)model.zero_copy_bytes) : printf("None");
    printf(" weights %llu streams %lld events %lld compressed attrs %s\n",
           (unsigned long long)omPartition(&file->table[0], OM_WEIGHTS).size, (long long)model.streams,
           (long long)model.events, model.is_compressed ? "1" : "None");
    while (field.number != 7 && messageNext(&definition, &field)) {
    }
    (void)omDictionary(arena, &attributes, &dictionary);
    graph.message = field.bytes;
    if (omSignatureOf(arena, &graph, false, &model.signature) != 0) {
        return;
    }
    for (size_t i = 0; i < model.signature.inputs; i++) {
        printEnd("in ", &model.signature.input[i]);
    }
    for (size_t i = 0; i < model.signature.outputs; i++) {
        printEnd("out", &model.signature.output[i]);
    }
}

static void describe(const char *name, const uint8_t *bytes, size_t length)
{
    struct om_arena arena = {0};
    struct om_file file;
    printf("%s %zu ", name, length);
    if (!omIsModel(bytes, length)) {
        printf("NOT IMOD (encrypted by the application)\n\n");
        return;
    }
    uint32_t code = omFile(&arena, bytes, length, &file);
    if (code != 0) {
        bool is_first = length > 256 && omU32(bytes + 8) == 0x10000000 && bytes[256] == 0x0a;
        printf("ver %08x ", length > 12 ? omU32(bytes + 8) : 0);
        is_first ? printf("no table: generation A (domi.ModelDef)\n\n") : printf("refused: %u\n\n", code);
    } else {
        printf("ver %08x type %u model_num %u dyn %d tables %zu platform b'%s'\n  partitions [", file.header.version,
               file.header.model_type, file.header.model_count, file.header.is_dynamic, file.tables,
               file.header.platform);
        for (size_t i = 0; i < file.table[0].count; i++) {
            printf("%s('%s', %llu)", i > 0 ? ", " : "", partitionName(file.table[0].partition[i].type),
                   (unsigned long long)file.table[0].partition[i].bytes.size);
        }
        printf("]\n");
        printModel(&arena, &file, bytes, length);
        printf("\n");
    }
    omFree(&arena);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
            perror(argv[i]);
            return 1;
        }
        size_t length = (size_t)ftell(file);
        uint8_t *bytes = malloc(length + 1);
        rewind(file);
        if (bytes == NULL || fread(bytes, 1, length, file) != length) {
            perror(argv[i]);
            return 1;
        }
        fclose(file);
        const char *slash = strrchr(argv[i], '/');
        describe(slash == NULL ? argv[i] : slash + 1, bytes, length);
        free(bytes);
    }
    return 0;
}
