/* Random numbers, as the chip's generator makes them: the same for the same seed and counter, though not the chip's own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u); /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double fraction(uint64_t *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(1 - fraction(state)));
    return radius * cos(6.283185307179586 * fraction(state));
}

/* A value of the type in the low bytes, or the device address of one. */
static uint64_t raw(const aclrtRandomParaInfo *info)
{
    uint64_t bits = 0, reach = 0;
    size_t size = info->size <= sizeof bits ? info->size : sizeof bits;
    const void *from = info->valueOrAddr;
    if (info->isAddr) {
        void *address;
        memcpy(&address, info->valueOrAddr, sizeof address);
        from = aclsimView(address, size, &reach);
        size = reach < size ? reach : size;
    }
    memcpy(&bits, from, size);
    return bits;
}

/* The acl layer converts on every topology, but does not belong to the engine. */
static double fromHalf(uint16_t half)
{
    int exponent = half >> 10 & 31;
    double fractional = (half & 1023) / 1024.0;
    double value = exponent ? ldexp(1 + fractional, exponent - 15) : ldexp(fractional, -14);
    return half & 0x8000 ? -value : value;
}

/* To the nearest, ties to even. By hand: Clang before 15 has no _Float16 on x86-64. */
static uint16_t toHalf(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    if (size == 0) return sign;
    int exponent;
    frexp(size, &exponent);
    /* The exponent of the last bit; subnormal numbers share one. */
    int last = exponent - 11 < -24 ? -24 : exponent - 11;
    return sign | (uint16_t)(((last + 24) << 10) + (int)nearbyint(ldexp(size, -last)));
}

static double number(const aclrtRandomParaInfo *info, aclDataType type)
{
    uint64_t bits = raw(info);
    float single;
    uint32_t word = type == ACL_BF16 ? (uint32_t)bits << 16 : (uint32_t)bits;
    memcpy(&single, &word, sizeof single);
    return type == ACL_FLOAT16 ? fromHalf((uint16_t)bits) : single;
}

static size_t elementSize(aclDataType type)
{
    switch (type) {
    case ACL_FLOAT16:
    case ACL_BF16:
        return 2;
    case ACL_INT64:
    case ACL_UINT64:
        return 8;
    default:
        return 4;
    }
}

static void store(char *at, aclDataType type, double value)
{
    float single = (float)value;
    uint32_t word;
    memcpy(&word, &single, sizeof word);
    uint64_t whole = (uint64_t)(int64_t)value;
    uint16_t half = type == ACL_FLOAT16 ? toHalf(value) : (uint16_t)(word >> 16);
    switch (type) {
    case ACL_FLOAT:
        memcpy(at, &single, sizeof single);
        break;
    case ACL_FLOAT16:
    case ACL_BF16:
        memcpy(at, &half, sizeof half);
        break;
    default:
        memcpy(at, &whole, elementSize(type));
    }
}

static double draw(const aclrtRandomNumTaskInfo *task, uint64_t *state)
{
    const aclrtRandomNumFuncParaInfo *function = &task->randomNumFuncParaInfo;
    double first = number(&function->paramInfo.uniformDisInfo.min, task->dataType); /* or the mean */
    double second = number(&function->paramInfo.uniformDisInfo.max, task->dataType);
    if (function->funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS) {
        bool whole = elementSize(task->dataType) >= 4 && task->dataType != ACL_FLOAT;
        if (whole) {
            uint64_t low = raw(&function->paramInfo.uniformDisInfo.min), high = raw(&function->paramInfo.uniformDisInfo.max);
            return high > low ? (double)(low + next(state) % (high - low)) : (double)low;
        }
        return first + (second - first) * fraction(state);
    }
    double deviation = normal(state);
    while (function->funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS && fabs(deviation) > 2) {
        deviation = normal(state);
    }
    return first + second * deviation;
}

/* One bit for each number, set where it is kept. */
static void mask(char *to, uint64_t bytes, double dropped, uint64_t *state)
{
    for (uint64_t i = 0; i < bytes; i++) {
        unsigned char bits = 0;
        for (int bit = 0; bit < 8; bit++) {
            bits |= (unsigned char)((fraction(state) >= dropped) << bit);
        }
        to[i] = (char)bits;
    }
}

static aclError run(void *argument)
{
    const aclrtRandomNumTaskInfo *task = argument;
    uint64_t count = raw(&task->randomNum), reach;
    uint64_t state = raw(&task->randomSeed);
    uint64_t *counter = aclsimView(task->randomCounterAddr, 16, &reach);
    if (reach == 16) {
        state ^= counter[0] * 0xd1342543de82ef95u;
        counter[0] += (count + 3) / 4; /* four words of the generator at a time */
    }
    bool bits = task->randomNumFuncParaInfo.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK;
    size_t size = elementSize(task->dataType);
    uint64_t bytes = bits ? (count + 7) / 8 : count < UINT64_MAX / 8 ? count * size : UINT64_MAX;
    char *to = aclsimView(task->randomResultAddr, bytes, &reach);
    if (bits) {
        const aclrtRandomParaInfo *ratio = &task->randomNumFuncParaInfo.paramInfo.dropoutBitmaskInfo.dropoutRation;
        mask(to, reach, number(ratio, task->dataType), &state);
    }
    for (uint64_t i = 0; !bits && i < reach / size; i++) {
        store(to + i * size, task->dataType, draw(task, &state));
    }
    return reach == bytes ? ACL_SUCCESS : ACL_ERROR_RT_AICORE_EXCEPTION;
}

aclError rtsLaunchRandomNumTask(const aclrtRandomNumTaskInfo *task, aclrtStream stream)
{
    aclrtRandomNumTaskInfo *copy = malloc(sizeof *copy);
    if (!copy) {
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *copy = *task;
    return aclsimEnqueue(stream, run, free, copy);
}
