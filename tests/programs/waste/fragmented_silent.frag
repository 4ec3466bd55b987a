==PID== aclsan: program on vm: 9 calls in N ms, from .aclsan
==PID==
==PID== Out of memory
==PID==
==PID== NOTE: aclsan: 128.0 MiB on device 0 was refused with 207001: shortage: less memory was free than it needed
==PID==   N ms after the start, for pages of 2M; the largest hole between such blocks had 0 bytes
==PID==   this process had 192.0 MiB live in 194.0 MiB of pages, 0 bytes of these for guards; the largest request granted was 192.0 MiB
==PID==   `aclrtGetMemInfo` reported 62.0 MiB free of 256.0 MiB, N ms later
==PID==   `aclrtMalloc`:
==PID==     #0 ADDR in main waste/fragmented_silent.c:12
==PID==   192.0 MiB live in 1 block, allocated by `aclrtMalloc`:
==PID==     #0 ADDR in device waste/../rt.h:34
==PID==     #1 ADDR in main waste/fragmented_silent.c:8
==PID==
