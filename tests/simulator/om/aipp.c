/* AIPP: image preprocessing before it is an input. */
#include <stdlib.h>

#include "acl/error_codes/ge_error_codes.h"
#include "read.h"

/* Names as in the configuration of the model's compiler, in the order of aclAippInfo. */
static const char *const integers[OM_AIPP_INTEGERS] = {
    "input_format", "src_image_size_w", "src_image_size_h", "crop", "load_start_pos_w", "load_start_pos_h",
    "crop_size_w", "crop_size_h", "resize", "resize_output_w", "resize_output_h", "padding", "left_padding_size",
    "right_padding_size", "top_padding_size", "bottom_padding_size", "csc_switch", "rbuv_swap_switch",
    "ax_swap_switch", "single_line_mode", "matrix_r0c0", "matrix_r0c1", "matrix_r0c2", "matrix_r1c0", "matrix_r1c1",
    "matrix_r1c2", "matrix_r2c0", "matrix_r2c1", "matrix_r2c2", "output_bias_0", "output_bias_1", "output_bias_2",
    "input_bias_0", "input_bias_1", "input_bias_2", "mean_chn_0", "mean_chn_1", "mean_chn_2", "mean_chn_3",
};
enum { SWITCH = 16, FIRST_OF_SWITCH = 20, BEHIND_SWITCH = 35 };
static const char *const reals[OM_AIPP_REALS] = {
    "min_chn_0", "min_chn_1", "min_chn_2", "min_chn_3",
    "var_reci_chn_0", "var_reci_chn_1", "var_reci_chn_2", "var_reci_chn_3",
};

/* An integer, a flag, or the first of a list. */
static int64_t number(struct om_arena *arena, const struct om_attributes *attributes, const char *name)
{
    int64_t value;
    struct om_dims list;
    if (omInteger(attributes, name, &value)) {
        return value;
    }
    if (omIntegers(arena, attributes, name, &list)) {
        return list.count > 0 ? list.at[0] : 0;
    }
    return omFlag(attributes, name);
}

static void readInfo(struct om_arena *arena, const struct om_attributes *attributes, struct om_aipp *aipp)
{
    for (int i = 0; i < OM_AIPP_INTEGERS; i++) {
        bool is_read = i < FIRST_OF_SWITCH || i >= BEHIND_SWITCH || aipp->integers[SWITCH] != 0;
        aipp->integers[i] = is_read ? number(arena, attributes, integers[i]) : 0;
    }
    for (int i = 0; i < OM_AIPP_REALS; i++) {
        const float *list;
        size_t count;
        if (!omReal(attributes, reals[i], &aipp->reals[i]) && omReals(arena, attributes, reals[i], &count, &list)) {
            aipp->reals[i] = count > 0 ? list[0] : 0;
        }
    }
    aipp->related_input = number(arena, attributes, "related_input_rank");
    aipp->most_source_bytes = number(arena, attributes, "max_src_image_size");
}

/* "FORMAT:DTYPE:name:size:rank:d0,d1,...". */
static bool readDims(struct om_arena *arena, const struct message *text, struct om_aipp_dims *dims, const char *part[6])
{
    char *copy = (char *)omText(arena, text->at, messageLength(text));
    size_t parts = 0;
    for (char *at = copy; parts < 7 && at != NULL;) {
        char *colon = strchr(at, ':');
        if (parts < 6) {
            part[parts] = at;
        }
        parts++;
        if (colon != NULL) {
            *colon++ = 0;
        }
        at = colon;
    }
    if (parts != 6) {
        return false;
    }
    int64_t *list = omTake(arena, strlen(part[5]) + 1, sizeof *list);
    *dims = (struct om_aipp_dims){part[2], (uint32_t)strtol(part[3], NULL, 10), {0, list}};
    for (const char *at = part[5]; list != NULL && *at != 0; at += strcspn(at, ","), at += *at == ',') {
        if (*at != ',') {
            list[dims->dims.count++] = strtoll(at, NULL, 10);
        }
    }
    return true;
}

static uint32_t readAllDims(struct om_arena *arena, const struct om_attributes *attributes, struct om_aipp *aipp)
{
    static const char *const names[] = {"_aipp_inputs", "_aipp_outputs"};
    const struct message *text[2];
    size_t count[2];
    aipp->source_format = aipp->source_type = -1;
    for (int side = 0; side < 2; side++) {
        if (!omStrings(arena, attributes, names[side], &count[side], &text[side])) {
            return 0;
        }
    }
    aipp->has_dims = true;
    for (int side = 0; side < 2; side++) {
        struct om_aipp_dims *list = omTake(arena, count[side], sizeof *list);
        for (size_t i = 0; list != NULL && i < count[side]; i++) {
            const char *part[6];
            if (!readDims(arena, &text[side][i], &list[i], part)) {
                return ACL_ERROR_GE_AIPP_MODE_INVALID;
            }
            if (side == 0 && i == 0) {
                aipp->source_format = omFormatNumber(part[0], strlen(part[0]));
                aipp->source_type = omTypeNumber(part[1], strlen(part[1]));
                aipp->source_rank = (uint32_t)strtol(part[4], NULL, 10);
            }
        }
        *(side == 0 ? &aipp->source : &aipp->result) = list;
        *(side == 0 ? &aipp->sources : &aipp->results) = list == NULL ? 0 : count[side];
    }
    return 0;
}

static uint32_t readMode(const struct om_attributes *attributes, const struct om_names *names, struct om_aipp *aipp)
{
    static const char *const modes[] = {"static_aipp", "dynamic_aipp", "dynamic_aipp_conf"};
    enum { DYNAMIC = 2, MODES = sizeof modes / sizeof *modes };
    struct message text, attached = {0};
    if (!omString(attributes, "_data_related_aipp_mode", &text)) {
        return 0;
    }
    while (aipp->mode < MODES && !omIs(&text, modes[aipp->mode])) {
        aipp->mode++;
    }
    if (aipp->mode++ == MODES) {
        return ACL_ERROR_GE_AIPP_MODE_INVALID;
    }
    (void)omString(attributes, "_data_aipp_data_name_map", &attached);
    for (size_t i = 0; aipp->mode == DYNAMIC && i < names->count; i++) {
        if (omIs(&attached, names->at[i])) {
            aipp->attached = (int64_t)i;
        }
    }
    /* An input whose parameters cannot be set counts as one without AIPP. */
    aipp->has_mode = aipp->mode != DYNAMIC || aipp->attached >= 0;
    return 0;
}

uint32_t omAipp(struct om_arena *arena, const struct om_operator *operator, const struct om_names *names,
                struct om_end *end)
{
    struct om_attributes nested;
    struct om_aipp *aipp = omTake(arena, 1, sizeof *aipp);
    if (aipp == NULL) {
        return ACL_ERROR_GE_MEMORY_ALLOCATION;
    }
    aipp->attached = -1;
    if (omNested(&operator->attributes, "aipp", &nested)) {
        aipp->has_info = true;
        readInfo(arena, &nested, aipp);
    }
    uint32_t code = readMode(&operator->attributes, names, aipp);
    if (code == 0) {
        code = readAllDims(arena, &operator->attributes, aipp);
    }
    end->aipp = aipp->has_info || aipp->has_mode || aipp->has_dims ? aipp : NULL;
    return code;
}
