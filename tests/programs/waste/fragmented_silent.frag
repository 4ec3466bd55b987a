==PID== aclsan: program on vm: 10 calls in N ms, from .aclsan
==PID==
==PID== Out of memory
==PID==
==PID== NOTE: aclsan: 128.0 MiB on device 0 was refused with 207001: all memory was taken, most of it by this process
==PID==   N ms after the start, for pages of 2M; the largest hole between such blocks had 0 bytes
==PID==   this process had 192.0 MiB live in 194.0 MiB of pages, 0 bytes of these for guards; the largest request granted was 192.0 MiB
==PID==   `aclrtGetMemInfo` told of 62.0 MiB free of 256.0 MiB, N ms later
==PID==   `aclrtMalloc`:
==PID==     #0 ADDR in main waste/fragmented_silent.c:13
==PID==   192.0 MiB in 1 block were held, allocated by `aclrtMalloc`:
==PID==     #0 ADDR in device waste/../rt.h:34
==PID==     #1 ADDR in main waste/fragmented_silent.c:8
==PID==
==PID== Device memory by page size (an estimate from addresses: physical pages, caches and other processes are not seen)
==PID==   process  device  pages  when           blocks  asked for    rounded   in pages           slack
==PID==   32043    0       2M     peak, N ms       1  192.0 MiB  192.0 MiB  194.0 MiB  2.0 MiB, 1.0 %
==PID==   32043    0       2M     end                 0    0 bytes    0 bytes    0 bytes               -
==PID==
==PID==   process  device  pages  when                span  holes  free in holes  largest hole  1-L/F  unusable for 2M    64M   512M          19 of 20
==PID==   32043    0       2M     peak, N ms  194.0 MiB      0        0 bytes       0 bytes  0.0 %            0.0 %  0.0 %  0.0 %  0.0 %, 192.0 MiB
==PID==   32043    0       2M     end              0 bytes      0        0 bytes       0 bytes  0.0 %            0.0 %  0.0 %  0.0 %
==PID==
==PID== What rounding and pages cost, by place
==PID==   process  place           blocks  asked for    rounded   in pages   lost  normal pages save  a pool saves
==PID==   32043    device rt.h:34       1  192.0 MiB  192.0 MiB  194.0 MiB  1.0 %            2.0 MiB       0 bytes
==PID== SUMMARY: aclsan: 0 errors, 0 warnings, 0 notes; 0 bytes in 0 blocks leaked; 0 unknown-origin pointers; 0 events dropped
