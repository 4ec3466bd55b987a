/* Output values. The chip's code cannot run here, so outputs are a fixed function of inputs and weights: equal ones give
 * equal outputs in every run, others give others.
 *
 * With h, a 64-bit hash of the model's name, the input bytes in their order and the weights, element k of output j is
 * made of r = mix(h + j·A + k·B): floating point is r's top bits as a fraction of 1 (24, 11 or 8 of them, 53 of a double),
 * integers are r modulo 100, flags r modulo 2, other types bytes of r below 128. ACLSIM_OM_OUTPUT=zeros makes all of it 0;
 * a list of files gives each output the bytes of its file, padded with zeros. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define MIX_OUTPUT 0x9e3779b97f4a7c15u
#define MIX_ELEMENT 0xd1b54a32d192ed03u

/* Eight bytes a step, so that the weights of a large model take milliseconds. */
uint64_t offlineHash(uint64_t hash, const void *bytes, uint64_t size)
{
    const unsigned char *at = bytes;
    hash ^= size * MIX_OUTPUT;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    for (; size > 0; size--, at++) {
        hash = (hash ^ *at) * 0x100000001b3u;
    }
    return hash ^ hash >> 29;
}

static uint64_t mix(uint64_t number)
{
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

static long double element(aclDataType type, uint64_t random)
{
    switch (type) {
    case ACL_FLOAT: return (long double)(random >> 40) / (1 << 24);
    case ACL_DOUBLE: return (long double)(random >> 11) / (1ull << 53);
    case ACL_FLOAT16: return (long double)(random >> 53) / (1 << 11);
    case ACL_BF16: return (long double)(random >> 56) / (1 << 8);
    case ACL_BOOL: return (long double)(random % 2);
    default: return (long double)(random % 100);
    }
}

static void fillPattern(struct view *view, uint64_t size, uint64_t seed)
{
    size_t width = elementBytes(view->type);
    uint64_t done = 0;
    for (uint64_t k = 0; width > 0 && done + width <= size; k++, done += width) {
        uint64_t random = mix(seed + k * MIX_ELEMENT);
        if (view->type == ACL_FLOAT) { /* most outputs are */
            float number = (float)(random >> 40) / (1 << 24);
            memcpy(view->bytes + done, &number, sizeof number);
        } else {
            elementPut(view, (int64_t)k, element(view->type, random));
        }
    }
    for (; done < size; done++) {
        view->bytes[done] = (unsigned char)(mix(seed + done * MIX_ELEMENT) & 0x7f);
    }
}

static bool isZeros(void)
{
    const char *wanted = getenv("ACLSIM_OM_OUTPUT");
    return wanted != NULL && strcmp(wanted, "zeros") == 0;
}

void offlineFill(const struct model *model, size_t output, void *bytes, uint64_t size, uint64_t hash)
{
    struct om_bytes content = model->offline->contents == NULL ? (struct om_bytes){0} : model->offline->contents[output];
    if (content.at != NULL || isZeros()) {
        uint64_t copied = content.size < size ? content.size : size;
        if (copied > 0) {
            memcpy(bytes, content.at, copied);
        }
        memset((char *)bytes + copied, 0, size - copied);
        return;
    }
    struct view view = {(aclDataType)model->signature.output[output].type, {0}, bytes};
    fillPattern(&view, size, hash + output * MIX_OUTPUT);
}

void offlineReadContents(struct model *model)
{
    const char *list = getenv("ACLSIM_OM_OUTPUT");
    if (list == NULL || list[0] == 0 || strcmp(list, "zeros") == 0 || strcmp(list, "pattern") == 0) {
        return;
    }
    struct om_bytes *contents = omTake(&model->arena, model->signature.outputs, sizeof *contents);
    for (size_t i = 0; contents != NULL && i < model->signature.outputs && *list != 0; i++) {
        size_t name = strcspn(list, ","), length = 0;
        const char *path = omText(&model->arena, list, name);
        void *bytes = name == 0 ? NULL : modelFile(path, &length);
        if (bytes != NULL) {
            contents[i] = (struct om_bytes){(const uint8_t *)omText(&model->arena, bytes, length), length};
        } else if (name > 0) {
            fprintf(stderr, "aclsim: ACLSIM_OM_OUTPUT: `%s` cannot be read; output %zu keeps its pattern\n", path, i);
        }
        free(bytes);
        list += name + (list[name] == ',');
    }
    model->offline->contents = contents;
}

void offlineSay(const struct om_model *read)
{
    enum { SAID = 64 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static uint64_t said[SAID];
    static size_t count;
    const char *quiet = getenv("ACLSIM_QUIET");
    uint64_t hash = offlineHash(read->file.header.length, read->name, strlen(read->name));
    bool is_new = quiet == NULL || strcmp(quiet, "1") != 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        is_new = is_new && said[i] != hash;
    }
    if (is_new && count < SAID) {
        said[count++] = hash;
    }
    pthread_mutex_unlock(&lock);
    if (is_new) {
        fprintf(stderr,
                "aclsim: model `%s`%s%s: its code runs on the chip alone; outputs depend on the inputs and are not the "
                "chip's numbers (ACLSIM_OM_MODEL=FILE.onnx computes, ACLSIM_QUIET=1 says nothing)\n",
                read->name, read->soc[0] == 0 ? "" : " for ", read->soc);
    }
}
