==PID== aclsan: program on vm: 9 calls in N ms, from .aclsan
==PID==
==PID== Out of memory
==PID==
==PID== NOTE: aclsan: 64.0 MiB on device 0 was refused with 207001: memory was free, in pieces or in a cache
==PID==   N ms after the start, for pages of 2M; the largest hole between such blocks had 0 bytes
==PID==   this process had 8.0 MiB live in 10.0 MiB of pages, 0 bytes of these for guards; the largest request granted was 8.0 MiB
==PID==   `aclrtGetMemInfo` told of 4.0 GiB free of 4.0 GiB, N ms before; since then 0 bytes of pages were taken and 0 bytes given back
==PID==   `aclrtMalloc`:
==PID==     #0 ADDR in main waste/fragmented.c:13
==PID==   8.0 MiB in 1 block were held, allocated by `aclrtMalloc`:
==PID==     #0 ADDR in device waste/../rt.h:34
==PID==     #1 ADDR in main waste/fragmented.c:8
==PID==
==PID== Device memory by page size (an estimate from addresses: physical pages, caches and other processes are not seen)
==PID==   process  device  pages  when           blocks  asked for  rounded  in pages            slack
==PID==   31418    0       2M     peak, N ms       1    8.0 MiB  8.0 MiB  10.0 MiB  2.0 MiB, 20.0 %
==PID==   31418    0       2M     end                 0    0 bytes  0 bytes   0 bytes                -
==PID==
==PID==   process  device  pages  when               span  holes  free in holes  largest hole  1-L/F  unusable for 2M    64M   512M        19 of 20
==PID==   31418    0       2M     peak, N ms  10.0 MiB      0        0 bytes       0 bytes  0.0 %            0.0 %  0.0 %  0.0 %  0.0 %, 8.0 MiB
==PID==   31418    0       2M     end             0 bytes      0        0 bytes       0 bytes  0.0 %            0.0 %  0.0 %  0.0 %
==PID==
==PID== What rounding and pages cost, by place
==PID==   process  place           blocks  asked for  rounded  in pages    lost  normal pages save  a pool saves
==PID==   31418    device rt.h:34       1    8.0 MiB  8.0 MiB  10.0 MiB  20.0 %            2.0 MiB       0 bytes
==PID== SUMMARY: aclsan: 0 errors, 1 warnings, 0 notes; 0 bytes in 0 blocks leaked; 0 unknown-origin pointers; 0 events dropped
