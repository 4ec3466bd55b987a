aclsan: program on vm: 22 calls in N ms, from .aclsan

Inside pools: no pool was reported (`aclsan.h`, mstx)

Inside the runtime's own pools (what they have allocated since they were last trimmed; more is not visible)
  `pool 1`, reported by `aclrtMemPoolMallocAsync`, device 0
                 holds  live  asked for        free  holes     largest  external  internal
  at its peak  4.0 MiB     2    4.0 MiB     0 bytes      0     0 bytes     0.0 %     0.0 %
  at the end   4.0 MiB     2    3.0 MiB  1023.0 KiB      1  1023.0 KiB     0.0 %     0.0 %
  3 requests, 1 served without the runtime: hit rate 33.3 %; memory used again once, half after 0 requests, nine of ten after 0 requests at most
  reuse by event dependencies unknown, opportunistic unknown, by internal dependencies unknown
  release threshold unknown; never trimmed
  in pages of 2 MiB  last reported by the runtime  log at that time    whole log
  used                                  not asked                 -      6.0 MiB
  used at most                          not asked                 -      6.0 MiB
  reserved                              not asked                 -  not visible
  reserved at most                      not asked                 -  not visible
  captured graphs refer to 1 block of 3.0 MiB in total that are live at the end, until `aclmdlRIDestroy`
       up to  requests  hits  hit rate  live  live bytes  padding  reused  half after  9 of 10 after
  1024 bytes         1     1   100.0 %     1  1000 bytes    0.0 %       1           0              0
     1.0 MiB         1     0     0.0 %     0     0 bytes    0.0 %       0           -              -
     4.0 MiB         1     0     0.0 %     1     3.0 MiB    0.0 %       0           -              -

SUMMARY: aclsan: 2 errors, 1 warning, 1 note; 3146728 bytes in 2 blocks leaked
