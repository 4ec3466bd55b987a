// As many threads as the second argument says allocate and release until somebody kills the process.
#include "acknowledges.h"

int main(int argc, char **argv) {
    int threads = argc == 3 ? share(argv) : 0;
    begin();
    start(threads);
    for (;;) {
        pause();
    }
}
