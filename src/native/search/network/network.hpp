// A feed-forward network as a heuristic.
//
//     sum of the rows of a table for the true atoms → ReLU → dense layers with ReLU and skips → one number
//
// The first layer is computed incrementally: its sum is computed once per expanded state and updated for each child by
// the few atoms that the operator changes. Then the dense layers process all children of a batch together. Their
// weights are packed once when the network is created.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "search/heuristics/evaluator.hpp"
#include "search/network/kernels.hpp"

namespace goalward {

struct FreeAligned {
    void operator()(float* p) const;
};
using Floats = std::unique_ptr<float[], FreeAligned>;
Floats aligned_floats(std::size_t n);

class Network {
public:
    struct Layer {                      // as in the model file
        int inputs, outputs;
        std::span<const float> weights;  // outputs × inputs, row-major
        std::span<const float> bias;
        int skip;  // index of the earlier activation that is added before the ReLU (0: the first layer's); -1: none
    };

    // `table` has one row of `width` floats per atom. The last layer must have one output.
    Network(int n_atoms, int width, std::span<const float> table, std::span<const float> bias,
            std::span<const Layer> layers);

    int n_atoms() const { return n_atoms_; }
    int width() const { return width_; }
    std::size_t stride() const { return stride_; }
    const Kernels& kernels() const { return kernels_; }
    const float* row(int atom) const { return table_.get() + static_cast<std::size_t>(atom) * width_; }
    const float* bias() const { return bias_.get(); }
    // Number of weights in the dense layers. It does not depend on the machine, so that counted effort does not either.
    std::size_t n_weights() const { return n_weights_; }

    // Computes one value per row from activations of the first layer, `rows` rows of stride() floats. The caller keeps
    // the scratch memory, which grows with the number of rows.
    void forward(const float* first, int rows, float* out, std::vector<Floats>& scratch, int& capacity) const;

private:
    struct Dense {
        DenseLayer layer;
        Floats weights, bias;
        int skip;
    };

    const Kernels& kernels_;
    int n_atoms_, width_;  // width padded to whole panels
    std::size_t stride_ = 0;
    Floats table_, bias_;
    std::vector<Dense> dense_;
    Floats output_;
    int output_width_ = 0;
    float output_bias_ = 0;
    std::size_t n_weights_ = 0;
};

class NetworkHeuristic final : public Heuristic {
public:
    NetworkHeuristic(std::shared_ptr<const Problem> problem, std::shared_ptr<const Network> network,
                     std::optional<bool> unit_costs = std::nullopt);

    std::unique_ptr<Evaluator> evaluator() const override;
    bool safe() const override { return false; }
    uint64_t effort_per_state() const override { return 250 + network_->n_weights() / 60; }

private:
    std::shared_ptr<const Network> network_;
};

}  // namespace goalward
