// Dense kernels for any machine: vectors of four floats, which all common instruction sets support.
#define KERNEL_NAMESPACE generic
#define KERNEL_NAME "generic"
#define VECTOR_BYTES 16
#define VECTORS 2
#define BLOCK 4
#include "search/network/kernels.inc"
