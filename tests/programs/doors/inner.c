/* A library that needs nothing. */
int inner(void) {
    return 0;
}
