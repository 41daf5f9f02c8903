#include "search/batches/lookahead.hpp"

#include <algorithm>
#include <cstring>

namespace goalward {

namespace {

constexpr std::size_t slice = 1024;  // approximate number of leaves that are evaluated together

class Lookahead {
public:
    Lookahead(const Heuristic& heuristic, std::span<float> values, int depth)
        : problem_(heuristic.problem()), evaluator_(heuristic.evaluator()), result_(values), depth_(depth),
          counts_costs_(heuristic.unit_costs() == false), n_words_(problem_.packing().n_words()),
          values_(problem_.packing().n_variables()) {}

    // Collects the leaves of a root, or stores its value if that is known without evaluating leaves.
    void add_root(int32_t index, const Word* root) {
        result_[index] = dead_end;
        if (problem_.is_goal(root)) {
            result_[index] = 0;
            return;
        }
        level_.assign(root, root + n_words_);
        for (int step = 1; step < depth_; ++step) {
            if (!expand(step, index)) return;
        }
        add_leaves(index);
        if (leaf_owner_.size() >= slice) evaluate();
    }

    // Evaluates the collected leaves and updates the values of their roots.
    void evaluate() {
        const std::size_t n = leaf_owner_.size();
        if (n == 0) return;
        states_.clear();
        for (std::size_t i = 0; i < n; ++i) states_.push_back(leaf_words_.data() + i * n_words_);
        parents_.clear();
        for (std::size_t i = 0; i < parent_words_.size(); i += n_words_) parents_.push_back(parent_words_.data() + i);
        h_.resize(n);
        evaluator_->evaluate({states_, parents_, origins_}, h_);
        for (std::size_t i = 0; i < n; ++i) {
            const float value = price(origins_[i].op) + std::max(h_[i], 0.0f);
            result_[leaf_owner_[i]] = std::min(result_[leaf_owner_[i]], value);
        }
        leaf_words_.clear();
        leaf_owner_.clear();
        parent_words_.clear();
        origins_.clear();
    }

private:
    // Replaces the level by its successors. False if the value is known: there is a goal, or there are no successors.
    bool expand(int step, int32_t index) {
        next_.clear();
        for (std::size_t at = 0; at < level_.size(); at += n_words_) {
            for (int32_t op : operators_of(level_.data() + at)) {
                next_.resize(next_.size() + n_words_);
                problem_.apply(op, level_.data() + at, next_.data() + next_.size() - n_words_);
                if (problem_.is_goal(next_.data() + next_.size() - n_words_)) {
                    result_[index] = static_cast<float>(step);
                    return false;
                }
            }
        }
        remove_duplicates();
        level_.swap(next_);
        return !level_.empty();
    }

    void add_leaves(int32_t index) {
        const std::size_t first = leaf_owner_.size();
        for (std::size_t at = 0; at < level_.size(); at += n_words_) {
            const auto parent = static_cast<int32_t>(parent_words_.size() / n_words_);
            const auto& operators = operators_of(level_.data() + at);
            if (operators.empty()) continue;
            parent_words_.insert(parent_words_.end(), level_.begin() + at, level_.begin() + at + n_words_);
            for (int32_t op : operators) {
                leaf_words_.resize(leaf_words_.size() + n_words_);
                Word* leaf = leaf_words_.data() + leaf_words_.size() - n_words_;
                problem_.apply(op, level_.data() + at, leaf);
                if (counts_costs_ && problem_.is_goal(leaf)) {  // another leaf may still be cheaper
                    result_[index] = std::min(result_[index], price(op));
                    leaf_words_.resize(leaf_words_.size() - n_words_);
                    continue;
                }
                if (problem_.is_goal(leaf)) {  // this is the minimum, so the other leaves are not needed
                    result_[index] = static_cast<float>(depth_);
                    leaf_owner_.resize(first);
                    origins_.resize(first);
                    leaf_words_.resize(first * n_words_);
                    return;
                }
                leaf_owner_.push_back(index);
                origins_.push_back({parent, op});
            }
        }
    }

    // The cost of the path to a leaf. `op` is its last operator, and the only one if costs are counted.
    float price(int32_t op) const {
        return counts_costs_ ? static_cast<float>(problem_.cost(op)) : static_cast<float>(depth_);
    }

    const std::vector<int32_t>& operators_of(const Word* state) {
        problem_.packing().unpack(state, values_.data());
        operators_.clear();
        problem_.applicable(values_.data(), operators_);
        return operators_;
    }

    void remove_duplicates() {
        const std::size_t n = next_.size() / n_words_;
        order_.resize(n);
        for (std::size_t i = 0; i < n; ++i) order_[i] = i;
        const auto word = [&](std::size_t i) { return next_.data() + i * n_words_; };
        const auto compare = [&](std::size_t a, std::size_t b) {
            return std::memcmp(word(a), word(b), n_words_ * sizeof(Word));
        };
        std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
        const auto equal = [&](std::size_t a, std::size_t b) { return compare(a, b) == 0; };
        order_.erase(std::unique(order_.begin(), order_.end(), equal), order_.end());
        distinct_.clear();
        for (std::size_t i : order_) distinct_.insert(distinct_.end(), word(i), word(i) + n_words_);
        next_.swap(distinct_);
    }

    const Problem& problem_;
    std::unique_ptr<Evaluator> evaluator_;
    std::span<float> result_;
    int depth_;
    bool counts_costs_;
    std::size_t n_words_;

    std::vector<Word> level_, next_, distinct_, leaf_words_, parent_words_;
    std::vector<std::size_t> order_;
    std::vector<int32_t> leaf_owner_, values_, operators_;
    std::vector<Batch::Origin> origins_;
    std::vector<const Word*> states_, parents_;
    std::vector<float> h_;
};

}  // namespace

std::vector<float> lookahead(const Heuristic& heuristic, std::span<const Word* const> states, int depth) {
    std::vector<float> values(states.size());
    Lookahead lookahead(heuristic, values, depth);
    for (std::size_t i = 0; i < states.size(); ++i) lookahead.add_root(static_cast<int32_t>(i), states[i]);
    lookahead.evaluate();
    return values;
}

}  // namespace goalward
