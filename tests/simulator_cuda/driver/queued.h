/* The `_ptsz` form of a name: stream 0 is the thread's own. */
#ifndef CUSIM_QUEUED_H
#define CUSIM_QUEUED_H

#define PER_THREAD(name, parameters, ...) \
    EXPORT CUresult name##_ptsz parameters \
    { \
        stream = stream ? stream : CU_STREAM_PER_THREAD; \
        return name(__VA_ARGS__); \
    }

#endif
