==PID== aclsan: program on vm: 9 calls in N ms, from .aclsan
==PID==
==PID== Out of memory
==PID==
==PID== NOTE: aclsan: 64.0 MiB on device 0 was refused with 207001: fragmentation: memory was free, in pieces or in a cache
==PID==   N ms after the start, for pages of 2M; the largest hole between such blocks had 0 bytes
==PID==   this process had 8.0 MiB live in 10.0 MiB of pages, 0 bytes of these for guards; the largest request granted was 8.0 MiB
==PID==   `aclrtGetMemInfo` reported 4.0 GiB free of 4.0 GiB, N ms later
==PID==   `aclrtMalloc`:
==PID==     #0 ADDR in main waste/fragmented.c:13
==PID==   8.0 MiB live in 1 block, allocated by `aclrtMalloc`:
==PID==     #0 ADDR in device waste/../rt.h:34
==PID==     #1 ADDR in main waste/fragmented.c:8
==PID==
