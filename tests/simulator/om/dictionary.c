/* The dictionary of coded attribute names, in three lists of the model's own attributes. */
#include "read.h"

bool omDictionary(struct om_arena *arena, const struct om_attributes *model, struct om_dictionary *dictionary)
{
    struct om_value value;
    struct om_dims flags;
    int64_t version;
    *dictionary = (struct om_dictionary){0};
    if (!omInteger(model, "om_compress_version", &version) || version == 0) {
        return true;
    }
    if (!omStrings(arena, model, "attr_name_enum", &dictionary->names, &dictionary->name) ||
        !omStrings(arena, model, "attr_value_enum", &dictionary->values, &dictionary->value) ||
        !omFind(model, "attrs_use_string_value", &value)) {
        return false;
    }
    flags = omNumbers(arena, omSubmessage(value.attribute, 1), 5);
    bool *is_string = omTake(arena, dictionary->names, sizeof *is_string);
    if (is_string == NULL || flags.count != dictionary->names) {
        return false;
    }
    for (size_t i = 0; i < flags.count; i++) {
        is_string[i] = flags.at[i] != 0;
    }
    dictionary->is_string = is_string;
    dictionary->is_present = true;
    return true;
}
