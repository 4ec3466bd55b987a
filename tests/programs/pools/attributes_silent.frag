aclsan: program on vm: 36 calls in N ms, from .aclsan

Inside pools: no pool was reported (`aclsan.h`, mstx)

Inside the runtime's own pools (what they have allocated since they were last trimmed; more is not visible)
  `pool 1`, reported by `aclrtMemPoolMallocAsync`, device 0
                 holds  live  asked for     free  holes  largest  external  internal
  at its peak  8.0 MiB     3    8.0 MiB  0 bytes      0  0 bytes     0.0 %     0.0 %
  at the end   2.0 MiB     0    0 bytes  2.0 MiB      1  2.0 MiB     0.0 %     0.0 %
  4 requests, 0 served without the runtime: hit rate 0.0 %; memory used again once, half after 0 requests, nine of ten after 0 requests at most
  reuse by event dependencies on (set), opportunistic off (set), by internal dependencies off (read)
  release threshold 16.0 MiB (set); trimmed 2 times, last to 0 bytes
  in pages of 2 MiB  last reported by the runtime  log at that time    whole log
  used                                    4.0 MiB           4.0 MiB      0 bytes
  used at most                            4.0 MiB           4.0 MiB     12.0 MiB
  reserved                               12.0 MiB       not visible  not visible
  reserved at most                       12.0 MiB       not visible  not visible
       up to  requests  hits  hit rate  live  live bytes  padding  reused  half after  9 of 10 after
  1024 bytes         1     0     0.0 %     0     0 bytes    0.0 %       0           -              -
     4.0 MiB         2     0     0.0 %     0     0 bytes    0.0 %       1           0              0
     8.0 MiB         1     0     0.0 %     0     0 bytes    0.0 %       0           -              -
  `pool 2`, reported by `aclrtMemPoolMallocAsync`, device 0
                  holds  live  asked for      free  holes   largest  external  internal
  at its peak  64 bytes     1   64 bytes   0 bytes      0   0 bytes     0.0 %     0.0 %
  at the end   64 bytes     0    0 bytes  64 bytes      1  64 bytes     0.0 %     0.0 %
  1 request, 0 served without the runtime: hit rate 0.0 %; no memory was used again
  reuse by event dependencies unknown, opportunistic unknown, by internal dependencies unknown
  release threshold unknown; never trimmed
  in pages of 2 MiB  last reported by the runtime  log at that time    whole log
  used                                  not asked                 -      0 bytes
  used at most                          not asked                 -      2.0 MiB
  reserved                              not asked                 -  not visible
  reserved at most                      not asked                 -  not visible
     up to  requests  hits  hit rate  live  live bytes  padding  reused  half after  9 of 10 after
  64 bytes         1     0     0.0 %     0     0 bytes    0.0 %       0           -              -

SUMMARY: aclsan: 0 errors, 0 warnings, 0 notes; 0 bytes in 0 blocks leaked
