// Dense kernels for machines with AVX2; compiled with the flags set in CMakeLists.txt.
#define KERNEL_NAMESPACE avx2
#define KERNEL_NAME "avx2"
#define VECTOR_BYTES 32
#define VECTORS 2
#define BLOCK 6
#include "search/network/kernels.inc"
