==PID== aclsan: program on vm: 36 calls in N ms, from .aclsan
==PID==
==PID== Inside pools: no pool was reported (`aclsan.h`, mstx)
==PID==
==PID== Inside the runtime's own pools (what they have allocated since they were last trimmed; more is not visible)
==PID==   `pool 1`, reported by `aclrtMemPoolMallocAsync`, device 0
==PID==                  holds  live  asked for     free  holes  largest      external      internal
==PID==   at its peak  8.0 MiB     3    8.0 MiB  0 bytes      0  0 bytes  0.0 % (good)  0.0 % (good)
==PID==   at the end   2.0 MiB     0    0 bytes  2.0 MiB      1  2.0 MiB  0.0 % (good)  0.0 % (good)
==PID==   4 requests, 0 served without the runtime: hit rate 0.0 % (danger); memory used again once, half after 0 requests, nine of ten after 0 requests at most
==PID==   reuse by event dependencies on (set), opportunistic off (set), by internal dependencies off (read)
==PID==   release threshold 16.0 MiB (set); trimmed 2 times, last to 0 bytes
==PID==   in pages of 2 MiB  last reported by the runtime  log at that time    whole log
==PID==   used                                    4.0 MiB           4.0 MiB      0 bytes
==PID==   used at most                            4.0 MiB           4.0 MiB     12.0 MiB
==PID==   reserved                               12.0 MiB       not visible  not visible
==PID==   reserved at most                       12.0 MiB       not visible  not visible
==PID==        up to  requests  hits  hit rate  live  live bytes  padding  reused  half after  9 of 10 after
==PID==   1024 bytes         1     0     0.0 %     0     0 bytes    0.0 %       0           -              -
==PID==      4.0 MiB         2     0     0.0 %     0     0 bytes    0.0 %       1           0              0
==PID==      8.0 MiB         1     0     0.0 %     0     0 bytes    0.0 %       0           -              -
==PID==   `pool 2`, reported by `aclrtMemPoolMallocAsync`, device 0
==PID==                   holds  live  asked for      free  holes   largest      external      internal
==PID==   at its peak  64 bytes     1   64 bytes   0 bytes      0   0 bytes  0.0 % (good)  0.0 % (good)
==PID==   at the end   64 bytes     0    0 bytes  64 bytes      1  64 bytes  0.0 % (good)  0.0 % (good)
==PID==   1 request, 0 served without the runtime: hit rate 0.0 % (danger); no memory was used again
==PID==   reuse by event dependencies unknown, opportunistic unknown, by internal dependencies unknown
==PID==   release threshold unknown; never trimmed
==PID==   in pages of 2 MiB  last reported by the runtime  log at that time    whole log
==PID==   used                                  not asked                 -      0 bytes
==PID==   used at most                          not asked                 -      2.0 MiB
==PID==   reserved                              not asked                 -  not visible
==PID==   reserved at most                      not asked                 -  not visible
==PID==      up to  requests  hits  hit rate  live  live bytes  padding  reused  half after  9 of 10 after
==PID==   64 bytes         1     0     0.0 %     0     0 bytes    0.0 %       0           -              -
==PID== SUMMARY: aclsan: 0 errors, 0 warnings, 0 notes; 0 bytes in 0 blocks leaked; 0 unknown-origin pointers; 0 events dropped
