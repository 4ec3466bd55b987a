/* Another tool, in the manner of msProf and msMemScope: hears some of the calls, knows one domain, tells at the end what it heard. */
#include "mstx/declarations.h"
#include <stdio.h>
#include <string.h>

static int tables, marks, ranges, strange;
static struct mstxDomainRegistration_st *known = (void *)&known;

static void mark(const char *message, void *stream) { (void)message, (void)stream, marks++; }
static mstxRangeId start(const char *message, void *stream) { return (void)message, (void)stream, (mstxRangeId)(700 + ranges++); }
static void end(mstxRangeId range) { strange += range < 700 || range > 799; }
static void tool(uint64_t *id) { *id = 0x1000; }
static mstxDomainHandle_t create(const char *name) { return strcmp(name, "atb") == 0 ? known : NULL; }
static void domain_mark(mstxDomainHandle_t domain, const char *message, void *stream) {
    (void)message, (void)stream, marks++, strange += domain != known;
}
static mstxMemHeapHandle_t heap(mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc) {
    (void)desc;
    strange += domain != known && domain != NULL;
    return NULL;
}

int InitInjectionMstx(mstxGetModuleFuncTableFunc get_table) {
    mstxFuncTable table;
    unsigned int size;
    if (get_table(MSTX_API_MODULE_CORE, &table, &size) == 0 && size >= 4) {
        tables++;
        *table[1] = (mstxFuncPointer)mark, *table[2] = (mstxFuncPointer)start;
        *table[3] = (mstxFuncPointer)end, *table[4] = (mstxFuncPointer)tool;
    }
    if (get_table(MSTX_API_MODULE_CORE_DOMAIN, &table, &size) == 0 && size >= 3)
        *table[1] = (mstxFuncPointer)create, *table[3] = (mstxFuncPointer)domain_mark;
    if (get_table(MSTX_API_MODULE_CORE_MEM, &table, &size) == 0 && size >= 1) *table[1] = (mstxFuncPointer)heap;
    return 0;
}

__attribute__((destructor)) static void told(void) {
    printf("tool: %d tables, %d marks, %d ranges, %d strange\n", tables, marks, ranges, strange);
    fflush(stdout);
}
