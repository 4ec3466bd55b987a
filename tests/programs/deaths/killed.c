// Threads, as many as the second argument says, allocate and release until the process is killed.
#include "acknowledges.h"

int main(int argc, char **argv) {
    int threads = argc == 3 ? share(argv) : 0;
    begin();
    start(threads);
    for (;;) {
        pause();
    }
}
