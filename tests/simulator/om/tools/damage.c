/* Reads offline models after damage: every cut, and every flip of one bit or of a whole byte. Built with
 * -fsanitize=address,undefined by `tests/scenarios/simulator/om.rs`, where the compiler has it; what reads outside a file
 * or counts beyond a number ends the program.
 *
 *     damage STEP FILE...      each STEP-th cut and flip of files; 1: all
 *     damage STEP              of models from the writer
 *
 * With -DFUZZ it is a libFuzzer target of the same reader (`tests/fuzz/README.md`). */
#include <stdio.h>
#include <stdlib.h>

#include "../om.h"
#include "../../../programs/simulator/om_writer.h"

static uint64_t sum;

/* Every string and number that a reader hands out. */
static void visitEnd(const struct om_end *end)
{
    sum += strlen(end->name) + end->size + end->padded + (uint64_t)end->type;
    const struct om_dims *lists[] = {&end->dims, &end->dims_v2, &end->ranges};
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < lists[k]->count; i++) {
            sum += (uint64_t)lists[k]->at[i];
        }
    }
    for (size_t i = 0; end->aipp != NULL && i < end->aipp->sources; i++) {
        sum += strlen(end->aipp->source[i].name) + end->aipp->source[i].dims.count;
    }
}

static void visit(const struct om_signature *signature)
{
    for (size_t i = 0; i < signature->inputs; i++) {
        visitEnd(&signature->input[i]);
    }
    for (size_t i = 0; i < signature->outputs; i++) {
        visitEnd(&signature->output[i]);
    }
    for (size_t i = 0; i < signature->gears.count; i++) {
        for (size_t k = 0; k < signature->gears.at[i].count; k++) {
            sum += (uint64_t)signature->gears.at[i].at[k];
        }
    }
    for (size_t i = 0; i < signature->gears.order.count; i++) {
        sum += strlen(signature->gears.order.at[i]);
    }
}

/* A copy of its own, so that the sanitizer knows where the file ends. */
static void readAll(const uint8_t *bytes, size_t length)
{
    struct om_arena arena = {0};
    struct om_model model;
    struct om_signature listed;
    struct om_bundle bundle;
    uint64_t work, weights;
    uint8_t *copy = malloc(length > 0 ? length : 1);
    memcpy(copy, bytes, length);
    if (omModel(&arena, copy, length, &model) == 0) {
        visit(&model.signature);
        for (size_t i = 0; i < model.weight_parts; i++) {
            for (uint64_t k = 0; k < model.weights[i].size; k += 4096) {
                sum += model.weights[i].at[k];
            }
        }
        for (size_t i = 0; i < model.constants; i++) {
            sum += strlen(model.constant[i].path);
        }
    }
    if (omListed(&arena, copy, length, &listed) == 0) {
        visit(&listed);
    }
    (void)omSizes(&arena, copy, length, &work, &weights);
    if (omBundle(&arena, copy, length, &bundle) == 0) {
        for (size_t i = 0; i < bundle.count; i++) {
            struct om_model part;
            (void)omModel(&arena, bundle.model[i].at, bundle.model[i].size, &part);
        }
    }
    omFree(&arena);
    free(copy);
}

#ifdef FUZZ

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    readAll(data, size);
    return 0;
}

#else

/* The header's length follows a cut, or all but one cut would end at its check. */
static void cutAt(const struct bytes *file, size_t length)
{
    uint8_t *head = file->data;
    uint8_t kept[256];
    readAll(head, length);
    if (length <= 256) {
        return;
    }
    memcpy(kept, head, sizeof kept);
    uint64_t wide, rest = length - 256;
    memcpy(&wide, head + 184, 8);
    memcpy(head + (wide != 0 ? 184 : 76), &rest, wide != 0 ? 8 : 4);
    readAll(head, length);
    memcpy(head, kept, sizeof kept);
}

static void damage(const struct bytes *file, size_t step)
{
    for (size_t i = 0; i <= file->length; i += step) {
        cutAt(file, i);
    }
    for (size_t i = 0; i < file->length; i += step) {
        static const uint8_t flips[] = {0xff, 0x01, 0x80};
        for (size_t k = 0; k < sizeof flips; k++) {
            file->data[i] ^= flips[k];
            readAll(file->data, file->length);
            file->data[i] ^= flips[k];
        }
    }
}

static const struct om_attr aipp[] = {OM_INT("input_format", 1), OM_INTS("matrix_r0c0", 256), {.name = NULL}};
static const struct om_attr attrs[] = {
    {.name = "aipp", .kind = OM_NAMED, .nested = aipp}, OM_STR("_data_related_aipp_mode", "static_aipp"),
    OM_STRS("_aipp_inputs", "NCHW:DT_FLOAT:x:60:2:3,5"), OM_STRS("_aipp_outputs", "NCHW:DT_FLOAT:x:60:2:3,5"),
    OM_INTS("_mbatch_origin_input_dims", -1, 5), {.name = NULL},
};
static const struct om_attr tensor[] = {OM_RANGE("origin_shape_range", 1, 8, 5, 5), OM_INT("size", 60), {.name = NULL}};
static const struct om_attr gears[] = {
    OM_INT("_batch_num", 2), OM_INTS("_pred_value_0", 1), OM_INTS("_pred_value_1", 3),
    OM_STRS("user_designate_shape_order", "x"), {.name = NULL},
};
static const struct om_attr net_output[] = {OM_STRS("_dynamic_output_dims", "0,0,1,5", "1,0,3,5"), {.name = NULL}};
static const struct om_attr model[] = {OM_INT("memory_size", 512), OM_STRS("attr_model_out_nodes_name", "y"), {.name = NULL}};
static const struct om_attr constants[] = {OM_STR("location", "w.bin"), OM_INT("length", 32), {.name = NULL}, {.name = NULL}};
static const struct om_tensor_plan input[] = {
    {.name = "x", .dtype = OM_DT_FLOAT, .layout = "ND", .rank = 2, .dims = {3, 5}, .size = 60, .padded = 96, .attrs = attrs, .tensor = tensor},
};

static void damageWritten(size_t step)
{
    struct bytes inout = {0}, last = {0}, body = {0};
    for (uint32_t type = 0; type < 7; type++) { /* §8, entries of one element each */
        putNumber(&inout, type, 4);
        putNumber(&inout, type < 2 ? 4 + 32 + 1 + 8 : type == 2 ? 12 : type < 5 ? 16 : 9, 4);
        putNumber(&inout, 1, 4);
        if (type < 2) {
            putNumber(&inout, 8, 8), putNumber(&inout, 2, 8), putNumber(&inout, 1, 4), putNumber(&inout, 8, 4);
            putNumber(&inout, 0, 8), put(&inout, "x", 1), putNumber(&inout, 2, 8);
        } else if (type == 2) {
            putNumber(&inout, 4, 8);
        } else if (type < 5) {
            putNumber(&inout, 1, 4), putNumber(&inout, 4, 8);
        } else {
            putNumber(&inout, 1, 4), put(&inout, "x", 1);
        }
    }
    for (const char *generation = "BCD"; *generation != 0; generation++) {
        for (int form = 0; form < 4; form++) {
            struct om_plan plan = {
                .generation = *generation, .name = "written", .inputs = 1, .outputs = 1, .input = input,
                .output = input, .model = model, .gears = gears, .net_output = net_output, .constants = constants,
                .weights = "weights", .weight_size = 7, .task_memory = 512, .copies = 2,
                .is_coded = form % 2, .is_dynamic = form / 2, .inout = *generation == 'D' ? &inout : NULL,
            };
            struct bytes file = omWrite(&plan);
            damage(&file, step);
            free(last.data);
            last = file;
        }
    }
    struct om_part parts[] = {{25, "\1\0\0\0\0\0\0", 8}, {24, last.data, last.length}};
    putTable(&body, parts, 2, true);
    struct bytes bundle = omWithHeader('D', &body, 5, 0, false);
    damage(&bundle, step);
    free(inout.data), free(last.data), free(body.data), free(bundle.data);
}

int main(int argc, char **argv)
{
    size_t step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    if (argc == 2) {
        damageWritten(step > 0 ? step : 1);
    }
    for (int i = 2; i < argc; i++) {
        struct bytes file = {0};
        uint8_t part[65536];
        FILE *from = fopen(argv[i], "rb");
        if (from == NULL) {
            perror(argv[i]);
            return 1;
        }
        for (size_t got; (got = fread(part, 1, sizeof part, from)) > 0;) {
            put(&file, part, got);
        }
        fclose(from);
        damage(&file, step > 0 ? step : 1);
        free(file.data);
    }
    printf("%llx\n", (unsigned long long)sum);
    return 0;
}

#endif
