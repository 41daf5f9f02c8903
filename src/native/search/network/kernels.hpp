// The one dispatch point for SIMD. Each implementation is the same source (kernels.inc) compiled for another
// instruction set; the best one that the machine has is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace goalward {

// One dense layer with its weights packed for the kernels that made them.
//
// Columns are grouped into panels of `panel` outputs; inside a panel the weights of one input lie together, so that the
// inner loop reads them in order. Activations are rows of `stride` floats; columns beyond the width are zero.
struct DenseLayer {
    int inputs = 0, outputs = 0;
    const float* weights = nullptr;  // panels × inputs × panel
    const float* bias = nullptr;     // padded to whole panels
};

struct Kernels {
    const char* name;
    int panel;  // outputs per panel; widths are padded to a multiple of it

    // out = max(0, in · W + b [+ add]) for `rows` rows; `add` may be null.
    void (*dense)(const DenseLayer& layer, const float* in, const float* add, float* out, int rows, std::size_t stride);
    // out = in · w + b, one number per row.
    void (*output)(const float* weights, float bias, const float* in, float* out, int rows, int width,
                   std::size_t stride);
    // sum += sign · row, over `width` floats (a multiple of `panel`).
    void (*accumulate)(float* sum, const float* row, int width);
    void (*subtract)(float* sum, const float* row, int width);
    // out = max(0, in).
    void (*relu)(const float* in, float* out, int width);
};

// The best kernels for this machine; GOALWARD_SIMD=generic|avx2|avx512 asks for one of them, for tests and comparison.
const Kernels& kernels();
// By name; null where the machine does not have the instructions or the name is unknown.
const Kernels* kernels_named(const char* name);

constexpr std::size_t alignment = 64;

}  // namespace goalward
