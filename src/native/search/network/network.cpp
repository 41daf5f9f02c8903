#include "search/network/network.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

namespace goalward {

void FreeAligned::operator()(float* p) const { std::free(p); }

Floats aligned_floats(std::size_t n) {
    const std::size_t bytes = (std::max<std::size_t>(n, 1) * sizeof(float) + alignment - 1) / alignment * alignment;
    void* p = std::aligned_alloc(alignment, bytes);
    if (!p) throw std::bad_alloc();
    std::memset(p, 0, bytes);
    return Floats(static_cast<float*>(p));
}

namespace {
constexpr int counted_panel = 16;  // weights are counted as if rows were padded to this many columns

int padded(int n, int panel) { return (n + panel - 1) / panel * panel; }
}  // namespace

Network::Network(int n_atoms, int width, std::span<const float> table, std::span<const float> bias,
                 std::span<const Layer> layers)
    : kernels_(goalward::kernels()), n_atoms_(n_atoms), width_(padded(width, kernels_.panel)) {
    if (n_atoms < 0 || width < 1 || table.size() != static_cast<std::size_t>(n_atoms) * width ||
        bias.size() != static_cast<std::size_t>(width) || layers.empty() || layers.back().outputs != 1)
        throw std::invalid_argument("the network's first or last layer has the wrong shape");
    table_ = aligned_floats(static_cast<std::size_t>(n_atoms) * width_);
    for (int a = 0; a < n_atoms; ++a)
        std::copy_n(table.data() + static_cast<std::size_t>(a) * width, width,
                    table_.get() + static_cast<std::size_t>(a) * width_);
    bias_ = aligned_floats(width_);
    std::copy(bias.begin(), bias.end(), bias_.get());
    stride_ = width_;
    std::vector<int> widths{width};  // unpadded widths of the activations so far
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Layer& layer = layers[i];
        const bool last = i + 1 == layers.size();
        n_weights_ += static_cast<std::size_t>(last ? 1 : layer.inputs) * padded(last ? layer.inputs : layer.outputs, counted_panel);
        if (layer.inputs != widths.back() || layer.outputs < 1 ||
            layer.weights.size() != static_cast<std::size_t>(layer.inputs) * layer.outputs ||
            layer.bias.size() != static_cast<std::size_t>(layer.outputs) || layer.skip >= static_cast<int>(i) + 1 ||
            (layer.skip >= 0 && (last || widths[layer.skip] != layer.outputs)))
            throw std::invalid_argument("layer " + std::to_string(i + 1) + " of the network has the wrong shape");
        if (last) {
            output_width_ = padded(layer.inputs, kernels_.panel);
            output_ = aligned_floats(output_width_);
            std::copy(layer.weights.begin(), layer.weights.end(), output_.get());
            output_bias_ = layer.bias[0];
            break;
        }
        const int columns = padded(layer.outputs, kernels_.panel), panel = kernels_.panel;
        Dense dense{{layer.inputs, columns, nullptr, nullptr},
                    aligned_floats(static_cast<std::size_t>(columns) * layer.inputs), aligned_floats(columns),
                    layer.skip};
        for (int o = 0; o < layer.outputs; ++o) {
            float* column =
                dense.weights.get() + static_cast<std::size_t>(o / panel) * panel * layer.inputs + o % panel;
            for (int k = 0; k < layer.inputs; ++k)
                column[static_cast<std::size_t>(k) * panel] =
                    layer.weights[static_cast<std::size_t>(o) * layer.inputs + k];
        }
        std::copy(layer.bias.begin(), layer.bias.end(), dense.bias.get());
        dense.layer.weights = dense.weights.get();
        dense.layer.bias = dense.bias.get();
        dense_.push_back(std::move(dense));
        widths.push_back(layer.outputs);
        stride_ = std::max<std::size_t>(stride_, columns);
    }
}

void Network::forward(const float* first, int rows, float* out, std::vector<Floats>& scratch, int& capacity) const {
    if (rows > capacity || scratch.size() != dense_.size()) {
        capacity = std::max(rows, capacity);
        scratch.clear();
        for (std::size_t i = 0; i < dense_.size(); ++i) scratch.push_back(aligned_floats(capacity * stride_));
    }
    const auto activation = [&](int i) { return i == 0 ? first : scratch[i - 1].get(); };
    for (std::size_t i = 0; i < dense_.size(); ++i) {
        const Dense& dense = dense_[i];
        kernels_.dense(dense.layer, activation(static_cast<int>(i)), dense.skip < 0 ? nullptr : activation(dense.skip),
                       scratch[i].get(), rows, stride_);
    }
    kernels_.output(output_.get(), output_bias_, activation(static_cast<int>(dense_.size())), out, rows, output_width_,
                    stride_);
}

namespace {

class NetworkEvaluator final : public Evaluator {
public:
    NetworkEvaluator(const Problem& problem, const Network& network)
        : problem_(problem), network_(network), sum_(aligned_floats(network.width())) {}

    void evaluate(const Batch& batch, std::span<float> h) override;

private:
    void sum_up(const Word* state, float* sum);

    const Problem& problem_;
    const Network& network_;
    std::vector<int32_t> atoms_;
    Floats sum_, first_;  // first layer of one parent, and of the batch
    int first_capacity_ = 0, scratch_capacity_ = 0;
    std::vector<Floats> scratch_;
};

void NetworkEvaluator::sum_up(const Word* state, float* sum) {
    std::copy_n(network_.bias(), network_.width(), sum);
    atoms_.clear();
    problem_.packing().true_atoms(state, atoms_);
    for (int32_t atom : atoms_) network_.kernels().accumulate(sum, network_.row(atom), network_.width());
}

void NetworkEvaluator::evaluate(const Batch& batch, std::span<float> h) {
    const Kernels& k = network_.kernels();
    const Packing& packing = problem_.packing();
    const int width = network_.width(), rows = static_cast<int>(batch.states.size());
    const std::size_t stride = network_.stride();
    if (rows > first_capacity_) {
        first_capacity_ = rows;
        first_ = aligned_floats(rows * stride);
    }
    // Siblings are next to each other in the batch, so only the sum of one parent needs to be kept.
    const Word* summed = nullptr;
    for (int i = 0; i < rows; ++i) {
        float* row = first_.get() + i * stride;
        if (batch.origins.empty()) {
            sum_up(batch.states[i], row);
        } else {
            const Batch::Origin origin = batch.origins[i];
            const Word* parent = batch.parents[origin.parent];
            if (parent != summed) sum_up(summed = parent, sum_.get());
            std::copy_n(sum_.get(), width, row);
            const Problem::Operator op = problem_.op(origin.op);
            for (int32_t atom : op.add)
                if (!packing.holds(parent, atom)) k.accumulate(row, network_.row(atom), width);
            for (int32_t atom : op.del)
                if (packing.holds(parent, atom)) k.subtract(row, network_.row(atom), width);
        }
        k.relu(row, row, width);
    }
    network_.forward(first_.get(), rows, h.data(), scratch_, scratch_capacity_);
    // A network does not recognise dead ends: replace NaN and infinities by large finite values.
    for (float& value : h)
        if (!(value < 1e30f))
            value = 1e30f;
        else if (value < -1e30f)
            value = -1e30f;
}

}  // namespace

NetworkHeuristic::NetworkHeuristic(std::shared_ptr<const Problem> problem, std::shared_ptr<const Network> network,
                                   std::optional<bool> unit_costs)
    : Heuristic(std::move(problem), unit_costs), network_(std::move(network)) {
    if (network_->n_atoms() != problem_.packing().n_atoms())
        throw std::invalid_argument("the network is for another number of atoms");
}

std::unique_ptr<Evaluator> NetworkHeuristic::evaluator() const {
    return std::make_unique<NetworkEvaluator>(problem_, *network_);
}

}  // namespace goalward
