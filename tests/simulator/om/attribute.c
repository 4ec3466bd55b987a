/* Attributes: maps from names to AttrDef, found by name.
 *
 * AttrDef's fields: 1 list, 2 string, 3 integer, 4 float, 5 flag, 10 named attributes, 14 list of lists. In a list: 2
 * strings, 3 integers, 4 floats, 5 flags. */
#include "read.h"

enum { LIST = 1, STRING = 2, INTEGER = 3, REAL = 4, FLAG = 5, NAMED = 10, LISTS = 14 };

bool omField(struct message message, uint32_t field, struct field *found)
{
    struct field next;
    bool is_found = false;
    while (messageNext(&message, &next)) {
        if (next.number == field) {
            *found = next;
            is_found = true;
        }
    }
    return is_found;
}

struct message omSubmessage(struct message message, uint32_t field)
{
    struct field found;
    return omField(message, field, &found) && found.is_bytes ? found.bytes : (struct message){0};
}

size_t omCount(struct message message, uint32_t field)
{
    struct field next;
    size_t count = 0;
    while (messageNext(&message, &next)) {
        count += next.number == field;
    }
    return count;
}

struct om_dims omNumbers(struct om_arena *arena, struct message message, uint32_t field)
{
    struct field next;
    uint64_t number;
    size_t count = 0;
    for (struct message scan = message; messageNext(&scan, &next);) {
        if (next.number == field) {
            count += next.is_bytes ? messageLength(&next.bytes) : 1;
        }
    }
    int64_t *list = omTake(arena, count, sizeof *list);
    struct om_dims numbers = {0, list};
    while (list != NULL && messageNext(&message, &next)) {
        if (next.number != field) {
            continue;
        }
        if (!next.is_bytes) {
            list[numbers.count++] = (int64_t)next.value;
        }
        while (next.is_bytes && packedNext(&next.bytes, &number)) {
            list[numbers.count++] = (int64_t)number;
        }
    }
    return numbers;
}

bool omIs(const struct message *text, const char *expected)
{
    size_t length = messageLength(text);
    return strlen(expected) == length && (length == 0 || memcmp(text->at, expected, length) == 0);
}

/* A coded key: byte 0, then the place in the dictionary to base 127, lowest digit first, each digit plus one. */
static bool isCoded(const struct message *key, size_t *place)
{
    size_t unit = 1;
    if (messageLength(key) < 2 || key->at[0] != 0) {
        return false;
    }
    *place = 0;
    for (const uint8_t *digit = key->at + 1; digit < key->end; digit++, unit *= 127) {
        if (*digit == 0 || unit > SIZE_MAX / 127 / 256) {
            return false;
        }
        *place += (size_t)(*digit - 1) * unit;
    }
    return true;
}

bool omFind(const struct om_attributes *attributes, const char *name, struct om_value *value)
{
    const struct om_dictionary *dictionary = attributes->dictionary;
    struct message owner = attributes->owner;
    struct field entry;
    bool is_found = false;
    while (messageNext(&owner, &entry)) {
        size_t place = 0;
        if (entry.number != attributes->field || !entry.is_bytes) {
            continue;
        }
        struct message key = omSubmessage(entry.bytes, 1);
        bool is_coded = dictionary != NULL && dictionary->is_present && isCoded(&key, &place);
        if (is_coded ? place < dictionary->names && omIs(&dictionary->name[place], name) : omIs(&key, name)) {
            value->attribute = omSubmessage(entry.bytes, 2);
            value->strings = is_coded && dictionary->is_string[place] ? dictionary : NULL;
            is_found = true;
        }
    }
    return is_found;
}

bool omInteger(const struct om_attributes *attributes, const char *name, int64_t *number)
{
    struct om_value value;
    struct field field;
    if (!omFind(attributes, name, &value) || value.strings != NULL || !omField(value.attribute, INTEGER, &field)) {
        return false;
    }
    *number = (int64_t)field.value;
    return true;
}

bool omFlag(const struct om_attributes *attributes, const char *name)
{
    struct om_value value;
    struct field field;
    return omFind(attributes, name, &value) && omField(value.attribute, FLAG, &field) && field.value != 0;
}

bool omReal(const struct om_attributes *attributes, const char *name, float *number)
{
    struct om_value value;
    struct field field;
    if (!omFind(attributes, name, &value) || !omField(value.attribute, REAL, &field)) {
        return false;
    }
    *number = fieldFloat(&field);
    return true;
}

bool omString(const struct om_attributes *attributes, const char *name, struct message *text)
{
    struct om_value value;
    struct field field;
    if (!omFind(attributes, name, &value)) {
        return false;
    }
    if (value.strings != NULL) {
        bool is_known = omField(value.attribute, INTEGER, &field) && field.value < value.strings->values;
        *text = is_known ? value.strings->value[field.value] : (struct message){0};
        return is_known;
    }
    *text = omSubmessage(value.attribute, STRING);
    return omField(value.attribute, STRING, &field);
}

bool omIntegers(struct om_arena *arena, const struct om_attributes *attributes, const char *name, struct om_dims *list)
{
    struct om_value value;
    struct field field;
    if (!omFind(attributes, name, &value) || value.strings != NULL || !omField(value.attribute, LIST, &field)) {
        return false;
    }
    *list = omNumbers(arena, field.bytes, INTEGER);
    return true;
}

bool omReals(struct om_arena *arena, const struct om_attributes *attributes, const char *name, size_t *count,
             const float **list)
{
    struct om_value value;
    struct field field;
    if (!omFind(attributes, name, &value)) {
        return false;
    }
    struct message numbers = omSubmessage(value.attribute, LIST);
    float *reals = omTake(arena, messageLength(&numbers) / 4 + 1, sizeof *reals);
    *count = 0;
    *list = reals;
    while (reals != NULL && messageNext(&numbers, &field)) {
        if (field.number == REAL && !field.is_bytes) {
            reals[(*count)++] = fieldFloat(&field);
        }
        for (; field.number == REAL && field.is_bytes && messageLength(&field.bytes) >= 4; field.bytes.at += 4) {
            memcpy(&reals[(*count)++], field.bytes.at, 4);
        }
    }
    return reals != NULL;
}

bool omStrings(struct om_arena *arena, const struct om_attributes *attributes, const char *name, size_t *count,
               const struct message **list)
{
    struct om_value value;
    struct field field;
    if (!omFind(attributes, name, &value)) {
        return false;
    }
    struct message strings = omSubmessage(value.attribute, LIST);
    struct om_dims coded = value.strings == NULL ? (struct om_dims){0} : omNumbers(arena, strings, INTEGER);
    size_t room = value.strings == NULL ? omCount(strings, STRING) : coded.count;
    struct message *texts = omTake(arena, room, sizeof *texts);
    *count = 0;
    *list = texts;
    for (size_t i = 0; texts != NULL && i < coded.count; i++) {
        if (coded.at[i] < 0 || (uint64_t)coded.at[i] >= value.strings->values) {
            return false;
        }
        texts[(*count)++] = value.strings->value[coded.at[i]];
    }
    while (texts != NULL && value.strings == NULL && messageNext(&strings, &field)) {
        if (field.number == STRING && field.is_bytes) {
            texts[(*count)++] = field.bytes;
        }
    }
    return texts != NULL;
}

bool omLists(struct om_arena *arena, const struct om_attributes *attributes, const char *name, size_t *count,
             const struct om_dims **list)
{
    struct om_value value;
    struct field field;
    if (!omFind(attributes, name, &value)) {
        return false;
    }
    struct message lists = omSubmessage(value.attribute, LISTS);
    struct om_dims *made = omTake(arena, omCount(lists, 1), sizeof *made);
    *count = 0;
    *list = made;
    while (made != NULL && messageNext(&lists, &field)) {
        if (field.number == 1) {
            made[(*count)++] = omNumbers(arena, field.bytes, 1);
        }
    }
    return made != NULL;
}

bool omNested(const struct om_attributes *attributes, const char *name, struct om_attributes *nested)
{
    struct om_value value;
    struct field field;
    if (!omFind(attributes, name, &value) || !omField(value.attribute, NAMED, &field) || !field.is_bytes) {
        return false;
    }
    /* Inside, names are plain: only an operator's and a tensor's own attributes are coded. */
    *nested = (struct om_attributes){field.bytes, 2, NULL};
    return true;
}
