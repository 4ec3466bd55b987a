/* libplatform.so and libc_sec.so, which MindSpore's libraries link: they call nothing in them. */
__attribute__((visibility("default"))) extern const int aclsim_library_is_empty;
const int aclsim_library_is_empty = 1;
