/* Messages in the format's encoding, built field by field. */
#ifndef OM_MESSAGE_H
#define OM_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OM_UNUSED __attribute__((unused)) static

struct bytes {
    size_t length, room;
    uint8_t *data;
};

OM_UNUSED void put(struct bytes *to, const void *data, size_t length)
{
    if (to->length + length > to->room) {
        to->room = (to->length + length) * 2 + 64;
        to->data = realloc(to->data, to->room);
    }
    if (length > 0) {
        memcpy(to->data + to->length, data, length);
    }
    to->length += length;
}

OM_UNUSED void putNumber(struct bytes *to, uint64_t number, size_t width)
{
    put(to, &number, width);
}

OM_UNUSED void putVarint(struct bytes *to, uint64_t number)
{
    for (; number > 0x7f; number >>= 7) {
        putNumber(to, (number & 0x7f) | 0x80, 1);
    }
    putNumber(to, number, 1);
}

OM_UNUSED void putInteger(struct bytes *to, int field, int64_t number)
{
    putVarint(to, (uint64_t)field << 3);
    putVarint(to, (uint64_t)number);
}

OM_UNUSED void putField(struct bytes *to, int field, const void *data, size_t length)
{
    putVarint(to, (uint64_t)field << 3 | 2);
    putVarint(to, length);
    put(to, data, length);
}

OM_UNUSED void putText(struct bytes *to, int field, const char *text)
{
    putField(to, field, text, strlen(text));
}

/* A message that was made before; it is emptied. */
OM_UNUSED void putMessage(struct bytes *to, int field, struct bytes *message)
{
    putField(to, field, message->data, message->length);
    message->length = 0;
}

#endif
