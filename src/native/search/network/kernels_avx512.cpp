// Dense kernels for machines with AVX-512; compiled with the flags set in CMakeLists.txt.
#define KERNEL_NAMESPACE avx512
#define KERNEL_NAME "avx512"
#define VECTOR_BYTES 64
#define VECTORS 4
#define BLOCK 6
#include "search/network/kernels.inc"
