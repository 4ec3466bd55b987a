/* libplatform.so and libc_sec.so, which MindSpore's libraries link, libge_compiler.so and libopsproto.so, which OpenCV looks for: nothing is called
 * in them. */
__attribute__((visibility("default"))) extern const int aclsim_library_is_empty;
const int aclsim_library_is_empty = 1;
