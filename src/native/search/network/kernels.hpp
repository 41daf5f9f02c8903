// SIMD kernels with dispatch at run time. The same source (kernels.inc) is compiled for each instruction set, and the
// best one that the machine supports is chosen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace goalward {

// One dense layer with its weights packed for one set of kernels.
//
// Outputs are grouped into panels of `panel` columns. In a panel, the weights of one input are contiguous, so that the
// inner loop reads memory sequentially. Activations are rows of `stride` floats; columns beyond the width are zero.
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
    // sum += row, and sum -= row, over `width` floats (a multiple of `panel`).
    void (*accumulate)(float* sum, const float* row, int width);
    void (*subtract)(float* sum, const float* row, int width);
    // out = max(0, in).
    void (*relu)(const float* in, float* out, int width);
};

// The best kernels for this machine. GOALWARD_SIMD=generic|avx2|avx512 selects others, for tests and comparisons.
const Kernels& kernels();
// Kernels by name; null if the machine does not support them or the name is unknown.
const Kernels* kernels_named(const char* name);

constexpr std::size_t alignment = 64;

}  // namespace goalward
