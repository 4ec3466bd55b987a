/* The wire format: a key (number << 3 | kind), then a varint, 8 bytes, a length and its bytes, or 4 bytes. */
#include "protobuf.h"

#include <string.h>

struct message messageOf(const void *bytes, size_t length)
{
    return (struct message){bytes, (const uint8_t *)bytes + length, false};
}

size_t messageLength(const struct message *message)
{
    return (size_t)(message->end - message->at);
}

static bool stop(struct message *message)
{
    message->damaged = true;
    message->at = message->end;
    return false;
}

bool packedNext(struct message *list, uint64_t *value)
{
    *value = 0;
    for (int shift = 0; shift < 64 && list->at < list->end; shift += 7) {
        uint8_t byte = *list->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            return true;
        }
    }
    return false;
}

static bool fixed(struct message *message, size_t width, uint64_t *value)
{
    *value = 0;
    if (messageLength(message) < width) {
        return stop(message);
    }
    memcpy(value, message->at, width);
    message->at += width;
    return true;
}

bool messageNext(struct message *message, struct field *field)
{
    uint64_t key, length;
    memset(field, 0, sizeof *field);
    field->start = message->at;
    if (message->at >= message->end) {
        return false;
    }
    if (!packedNext(message, &key)) {
        return stop(message);
    }
    field->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case 0: return packedNext(message, &field->value) || stop(message);
    case 1: return fixed(message, 8, &field->value);
    case 2:
        if (!packedNext(message, &length) || length > messageLength(message)) {
            return stop(message);
        }
        field->bytes = messageOf(message->at, (size_t)length);
        field->is_bytes = true;
        message->at += length;
        return true;
    case 5: return fixed(message, 4, &field->value);
    default: return stop(message);
    }
}

float fieldFloat(const struct field *field)
{
    float number;
    memcpy(&number, &field->value, sizeof number);
    return number;
}

void fieldText(const struct field *field, char *text, size_t size)
{
    size_t length = messageLength(&field->bytes);
    if (length >= size) {
        length = size - 1;
    }
    if (length > 0) { /* a number has no bytes */
        memcpy(text, field->bytes.at, length);
    }
    text[length] = 0;
}
