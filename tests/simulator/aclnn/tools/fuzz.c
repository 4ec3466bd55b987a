/* Calls every operator of the engine, by the letters of its row, with arguments that a seed makes: shapes, strides, types, numbers, lists, holes.
 *
 *     fuzz [SECONDS [OPERATOR [SEED]]]
 *
 * Each operator has a process and its share of the seconds. With a seed, one call is made. The engine is linked without the runtime: device
 * memory is the allocator's, whose bounds AddressSanitizer knows, and a task runs in the call that queues it. `.ci/fuzz-operators` builds it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../doors/call.h"
#include "../doors/more_names.h"
#include "../engine/operator.h"
#include "../entry.h"
#include "chance.h"
#include "runtime.h"

enum { CALL_SECONDS = 20, LISTED = 4, BYTES = 1 << 16 };

static const char *operator_name;

/* What a process did, whichever way it ends: in memory that its parent shares. */
static struct told {
    uint64_t seed, calls, taken;
} *told;

static aclTensor *tensorAtRandom(void)
{
    int rank;
    int64_t dims[RANK] = {0}, strides[RANK] = {0}, offset = happens(15) ? below(4) : 0, stride = 1, last = offset;
    bool is_index;
    if (!shapeAtRandom(&rank, dims, &is_index)) {
        return NULL;
    }
    aclDataType type = is_index && happens(97) ? ACL_INT64 : happens(isTame() ? 97 : 75) ? baseType() : happens(60) ? ACL_INT64 : typeAtRandom();
    bool is_dense = happens(80);
    for (int axis = rank - 1; axis >= 0; axis--) {
        strides[axis] = is_dense ? stride : happens(15) ? 0 : stride + below(2);
        stride *= dims[axis] > 0 ? dims[axis] : 1;
        last += dims[axis] > 0 ? (dims[axis] - 1) * strides[axis] : 0;
    }
    if (happens(1)) { /* what nobody should pass */
        int axis = rank > 0 ? (int)below(rank) : 0;
        *(happens(50) ? &dims[axis] : happens(50) ? &strides[axis] : &offset) = numberAtRandom();
    }
    size_t width = elementBytes(type) == 0 ? 16 : elementBytes(type), size = (size_t)(last + 1) * width;
    struct storage *storage = &storages[storage_count];
    if (storage_count == TENSORS || size > BYTES) {
        return NULL;
    }
    size -= happens(2) && size > width ? width : 0;
    *storage = (struct storage){malloc(size), size};
    storage_count++;
    struct view view = {.type = type, .bytes = storage->bytes};
    memset(storage->bytes, 0, size);
    for (int64_t i = 0; elementBytes(type) > 0 && i < (int64_t)(size / width); i++) {
        elementPut(&view, i, valueAtRandom());
    }
    return aclCreateTensor(dims, (uint64_t)rank, type, strides, offset, ACL_FORMAT_ND, dims, (uint64_t)rank, storage->bytes);
}

static aclScalar *scalarAtRandom(void)
{
    static const aclDataType types[] = {ACL_FLOAT, ACL_DOUBLE, ACL_INT64, ACL_INT32, ACL_BOOL, ACL_COMPLEX64};
    aclDataType type = types[below(sizeof types / sizeof *types)];
    _Alignas(16) unsigned char bytes[16] = {0};
    struct view view = {.type = type == ACL_COMPLEX64 ? ACL_FLOAT : type, .bytes = bytes};
    elementPut(&view, 0, happens(50) ? (double)numberAtRandom() : valueAtRandom());
    return aclCreateScalar(bytes, type);
}

enum { OBJECTS = 64 };
static const void *objects[OBJECTS];
static int object_count;

static uint64_t keep(const void *object)
{
    if (object != NULL && object_count < OBJECTS) {
        objects[object_count++] = object;
    }
    return (uint64_t)(uintptr_t)object;
}

static uint64_t listAtRandom(char letter, int count)
{
    int64_t wholes[8];
    float reals[8];
    bool bools[8];
    for (int i = 0; i < count; i++) {
        wholes[i] = numberAtRandom();
        reals[i] = (float)valueAtRandom();
        bools[i] = happens(50);
    }
    return keep(letter == 'F'   ? (const void *)aclCreateFloatArray(reals, (uint64_t)count)
                : letter == 'B' ? (const void *)aclCreateBoolArray(bools, (uint64_t)count)
                                : (const void *)aclCreateIntArray(wholes, (uint64_t)count));
}

static uint64_t wordAtRandom(char letter, int listed)
{
    static const char *const texts[] = {"none", "tanh", "BNSD", "", "a text that is longer than seven"};
    if (!isTame() && happens(strchr("tlsi", letter) != NULL ? 30 : strchr("TLSIFBZ", letter) != NULL ? 1 : 0)) {
        return 0;
    }
    if (isTame() && letter == 'i' && happens(60)) {
        return 0;
    }
    const aclTensor *tensors[LISTED * 2];
    const aclScalar *scalars[LISTED * 2];
    switch (letter) {
    case 'T':
    case 't':
        return keep(tensorAtRandom());
    case 'L':
    case 'l':
        listed = listedNext(listed);
        for (int i = 0; i < listed; i++) {
            tensors[i] = !isTame() && happens(3) ? NULL : tensorAtRandom();
            (void)keep(tensors[i]);
        }
        return keep(aclCreateTensorList(tensors, (uint64_t)listed));
    case 'S':
    case 's':
        return keep(scalarAtRandom());
    case 'Z':
        for (int i = 0; i < listed; i++) {
            scalars[i] = scalarAtRandom();
            (void)keep(scalars[i]);
        }
        return keep(aclCreateScalarList(scalars, (uint64_t)listed));
    case 'I':
    case 'i':
    case 'F':
    case 'B':
        return listAtRandom(letter, isTame() ? (letter == 'B' ? 3 : 1 + (int)below(3)) : happens(60) ? (int)(1 + below(3)) : happens(50) ? baseRank() : (int)below(7));
    case 'q':
        return (uint64_t)(uintptr_t)(isTame() ? "BNSD" : happens(2) ? NULL : texts[below(sizeof texts / sizeof *texts)]);
    case 'b':
        return (uint64_t)below(2);
    default:
        return (uint64_t)numberAtRandom();
    }
}

/* One call. Whether phase one took the arguments. */
static bool once(int operator, const struct operator_row *row)
{
    struct door_call call = {{0}, {0}};
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    int word = 0, real = 0;
    chanceBegin(told->seed, row->name);
    int listed = (int)below(LISTED);
    for (const char *letter = row->arguments + (row->arguments[0] == '='); *letter != '\0'; letter++) {
        if (*letter == 'd') {
            call.reals[real++] = valueAtRandom();
        } else if (*letter == 'f') {
            float value = (float)valueAtRandom();
            memcpy(&call.reals[real++], &value, sizeof value);
        } else {
            call.words[word++] = wordAtRandom(*letter, happens(4) ? (int)below(LISTED) : listed);
        }
    }
    call.words[word] = (uint64_t)(uintptr_t)&size;
    call.words[word + 1] = (uint64_t)(uintptr_t)&executor;
    bool is_taken = phaseOne(operator, &call) == ACLNN_SUCCESS;
    if (is_taken) {
        void *workspace = NULL;
        if (size > 0 && storage_count < TENSORS) {
            workspace = malloc(size);
            storages[storage_count++] = (struct storage){workspace, size};
        }
        (void)phaseTwo(operator, workspace, size, executor, NULL);
    }
    for (int i = 0; i < object_count; i++) {
        (void)aclDestroyTensor(objects[i]); /* Every kind ends the same way. */
    }
    for (int i = 0; i < storage_count; i++) {
        free(storages[i].bytes);
    }
    object_count = storage_count = 0;
    return is_taken;
}

static void onAlarm(int number)
{
    (void)number;
    static const char text[] = "a call takes too long\n";
    (void)!write(2, text, sizeof text - 1);
    _exit(3);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void callsFor(int operator, double seconds, uint64_t seed, bool is_single)
{
    const struct operator_row *row = rowNamed(operator_name + strlen("aclnn"));
    signal(SIGALRM, onAlarm);
    double end = now() + seconds;
    do {
        told->seed = seed++;
        alarm(CALL_SECONDS);
        told->taken += once(operator, row);
        told->calls++;
    } while (!is_single && (told->calls % 64 != 0 || now() < end));
    if (is_single) {
        printf("%s %s %s\n", operator_name, told->taken ? "taken" : "refused", told->taken ? "" : refusal);
    }
    fflush(stdout);
    _exit(0);
}

#define NAME(name) "aclnn" #name,
static const char *const names[] = {EVERY_OPERATOR(NAME)};
enum { COUNT = sizeof names / sizeof *names };

/* `only` is a name, or empty for all operators that compute. */
static bool isAsked(const char *name, const char *only)
{
    return rowNamed(name + strlen("aclnn")) != NULL && (*only == '\0' || strcmp(only, name) == 0);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 60;
    const char *only = argc > 2 ? argv[2] : "";
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    int rows = 0, failed = 0;
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < COUNT; i++) {
        rows += isAsked(names[i], only);
    }
    for (int i = 0; i < COUNT && told != MAP_FAILED; i++) {
        if (!isAsked(names[i], only)) {
            continue;
        }
        *told = (struct told){0};
        operator_name = names[i];
        pid_t child = fork();
        if (child == 0) {
            callsFor(i, seconds / rows, seed, argc > 3);
        }
        int status = -1;
        (void)waitpid(child, &status, 0);
        failed += status != 0;
        printf("%s %s: %llu calls, %llu taken, last seed %llu\n", status == 0 ? "ok" : "FAILED", names[i], (unsigned long long)told->calls,
               (unsigned long long)told->taken, (unsigned long long)told->seed);
        fflush(stdout);
    }
    printf("%d operators, %d failed\n", rows, failed);
    return failed > 0 || rows == 0;
}
