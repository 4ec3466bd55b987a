/* C++ functions that the shim interposes, as C functions: with mangled names, references as pointers, `this` first. A `std::string`
 * and a `std::shared_ptr<void>` are passed by address; the first word of the latter is the pointer. */
#include <stdint.h>

/* hiai::HIAIMemory, the DDK of 2018: the timeout by reference. */
uint32_t _ZN4hiai10HIAIMemory12HIAI_DMallocEjRPvRKjj(uint32_t size, void **buffer, const uint32_t *time_out, uint32_t flag);
/* The same by value, as in the interface description of 2022. */
uint32_t _ZN4hiai10HIAIMemory12HIAI_DMallocEjRPvjj(uint32_t size, void **buffer, uint32_t time_out, uint32_t flag);
uint32_t _ZN4hiai10HIAIMemory10HIAI_DFreeEPv(void *buffer);
uint32_t _ZN4hiai10HIAIMemory17HIAI_DVPP_DMallocEjRPv(uint32_t size, void **buffer);
uint32_t _ZN4hiai10HIAIMemory15HIAI_DVPP_DFreeEPv(void *buffer);

/* hiai::Engine::SendData and hiai::Graph::SendData, for the std::string before C++11 and since. */
uint32_t _ZN4hiai6Engine8SendDataEjRKSsRKSt10shared_ptrIvEj(void *self, uint32_t port, const void *name, void *const *message,
                                                            uint32_t time_out);
uint32_t _ZN4hiai6Engine8SendDataEjRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKSt10shared_ptrIvEj(
    void *self, uint32_t port, const void *name, void *const *message, uint32_t time_out);
uint32_t _ZN4hiai5Graph8SendDataERKNS_12EnginePortIDERKSsRKSt10shared_ptrIvEj(void *self, const void *port, const void *name,
                                                                              void *const *message, uint32_t time_out);
uint32_t _ZN4hiai5Graph8SendDataERKNS_12EnginePortIDERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKSt10shared_ptrIvEj(
    void *self, const void *port, const void *name, void *const *message, uint32_t time_out);
