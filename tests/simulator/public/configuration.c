/* The file given to aclInit and aclmdlSetDump: JSON; only its form is checked. */
#include "../public.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* How deep objects and lists may nest (acl/common/json_parser.cpp). */
#define DEEPEST 10

struct text {
    const char *at, *end;
    unsigned depth;
};

static void skip(struct text *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t' || *text->at == '\n' || *text->at == '\r')) {
        text->at++;
    }
}

static bool take(struct text *text, char wanted)
{
    skip(text);
    bool found = text->at < text->end && *text->at == wanted;
    text->at += found;
    return found;
}

static bool word(struct text *text, const char *wanted)
{
    size_t length = strlen(wanted);
    bool found = (size_t)(text->end - text->at) >= length && memcmp(text->at, wanted, length) == 0;
    text->at += found ? length : 0;
    return found;
}

static bool string(struct text *text)
{
    if (!take(text, '"')) {
        return false;
    }
    while (text->at < text->end && *text->at != '"') {
        unsigned char c = (unsigned char)*text->at++;
        if (c < 0x20) {
            return false;
        }
        if (c != '\\') {
            continue;
        }
        if (text->at == text->end || !strchr("\"\\/bfnrtu", *text->at)) {
            return false;
        }
        if (*text->at++ == 'u') {
            for (int i = 0; i < 4; i++) {
                if (text->at == text->end || !isxdigit((unsigned char)*text->at++)) {
                    return false;
                }
            }
        }
    }
    return take(text, '"');
}

static bool digits(struct text *text)
{
    const char *from = text->at;
    while (text->at < text->end && isdigit((unsigned char)*text->at)) {
        text->at++;
    }
    return text->at > from;
}

static bool number(struct text *text)
{
    (void)word(text, "-");
    bool zero = word(text, "0");
    if (!zero && !digits(text)) {
        return false;
    }
    if (word(text, ".") && !digits(text)) {
        return false;
    }
    if (word(text, "e") || word(text, "E")) {
        (void)(word(text, "+") || word(text, "-"));
        return digits(text);
    }
    return true;
}

static bool value(struct text *text);

static bool members(struct text *text, char close, bool named)
{
    bool fits = ++text->depth <= DEEPEST;
    bool empty = take(text, close);
    while (fits && !empty) {
        fits = (!named || (string(text) && take(text, ':'))) && value(text);
        if (fits && take(text, close)) {
            break;
        }
        fits = fits && take(text, ',');
    }
    text->depth--;
    return fits;
}

static bool value(struct text *text)
{
    skip(text);
    if (take(text, '{')) {
        return members(text, '}', true);
    }
    if (take(text, '[')) {
        return members(text, ']', false);
    }
    if (text->at < text->end && *text->at == '"') {
        return string(text);
    }
    return word(text, "true") || word(text, "false") || word(text, "null") || number(text);
}

static bool isJson(const char *bytes, size_t size)
{
    struct text text = {bytes, bytes + size, 0};
    bool whole = value(&text);
    skip(&text);
    return whole && text.at == text.end;
}

/* Codes of acl.cpp and json_parser.cpp: a file that cannot be had, one that is no JSON. An empty one is fine. */
aclError aclsimConfigRead(const char *path, char **bytes, size_t *size)
{
    struct stat state;
    FILE *file = stat(path, &state) == 0 && S_ISREG(state.st_mode) ? fopen(path, "rb") : NULL;
    *bytes = file ? malloc((size_t)state.st_size + 1) : NULL;
    *size = *bytes ? fread(*bytes, 1, (size_t)state.st_size, file) : 0;
    if (file) {
        fclose(file);
    }
    if (!*bytes) {
        return ACL_ERROR_INVALID_FILE;
    }
    (*bytes)[*size] = '\0';
    return *size == 0 || isJson(*bytes, *size) ? ACL_SUCCESS : ACL_ERROR_PARSE_FILE;
}

aclError aclsimConfigChecked(const char *path)
{
    char *bytes;
    size_t size;
    aclError code = aclsimConfigRead(path, &bytes, &size);
    free(bytes);
    return code;
}
