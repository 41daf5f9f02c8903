#include "search/network/kernels.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace goalward {

namespace generic {
extern const Kernels table;
}
#ifdef GOALWARD_X86
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

const Kernels* kernels_named(const char* name) {
#ifdef GOALWARD_X86
    __builtin_cpu_init();
    if (!std::strcmp(name, "avx512")) return __builtin_cpu_supports("avx512f") ? &avx512::table : nullptr;
    if (!std::strcmp(name, "avx2"))
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &avx2::table : nullptr;
#endif
    return std::strcmp(name, "generic") ? nullptr : &generic::table;
}

const Kernels& kernels() {
    static const Kernels& best = [] () -> const Kernels& {
        if (const char* requested = std::getenv("GOALWARD_SIMD"))
            if (const Kernels* found = kernels_named(requested)) return *found;
        for (const char* name : {"avx512", "avx2"})
            if (const Kernels* found = kernels_named(name)) return *found;
        return generic::table;
    }();
    return best;
}

}  // namespace goalward
