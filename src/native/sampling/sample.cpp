#include "sampling/sample.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "search/core/limits.hpp"
#include "task/random.hpp"

namespace goalward {

namespace {

bool test(const uint64_t* bits, int32_t atom) { return bits[atom / 64] >> (atom % 64) & 1; }
void set(uint64_t* bits, int32_t atom) { bits[atom / 64] |= uint64_t{1} << (atom % 64); }
void clear(uint64_t* bits, int32_t atom) { bits[atom / 64] &= ~(uint64_t{1} << (atom % 64)); }

class Sampler {
public:
    Sampler(const SampleSpace& space, std::span<const uint64_t> pool, uint64_t seed)
        : space_(space), words_((space.n_atoms + 63) / 64), pool_(pool), random_(seed), order_(space.groups.size()),
          in_group_(space.groups.size(), -1), forced_(words_) {
        std::iota(order_.begin(), order_.end(), 0);
        for (std::size_t g = 0; g < space.groups.size(); ++g) {
            for (int32_t atom : space.groups[g]) {  // sorted
                if (parts_.size() == part_start_.back() || parts_.back().word != atom / 64)
                    parts_.push_back({atom / 64, atom, 0, false});
                parts_.back().mask |= uint64_t{1} << (atom % 64);
                parts_.back().single = std::has_single_bit(parts_.back().mask);
            }
            true_.resize(std::max(true_.size(), space.groups[g].size() + 1));
            part_start_.push_back(parts_.size());
        }
        for (int32_t atom = 0; atom < space.n_atoms; ++atom)
            if (const int32_t positive = space.complement_of[atom];
                positive >= 0 && test(space.core.data(), atom) && test(space.core.data(), positive))
                complements_.push_back(atom);
    }

    void draw(std::span<const int32_t> forced, uint64_t* state) {
        if (pool_.empty()) {
            for (std::size_t w = 0; w < words_; ++w) state[w] = random_.next() & space_.core[w];
            for (int32_t atom : forced) {
                set(state, atom);
                set(forced_.data(), atom);
            }
            repair(state);
            for (int32_t atom : forced) clear(forced_.data(), atom);
        } else {
            const auto row = random_.below(static_cast<uint32_t>(pool_.size() / words_));
            for (std::size_t w = 0; w < words_; ++w) state[w] = pool_[row * words_ + w] & space_.core[w];
            // States of the pool have at most one true atom per group, so at most that one must become false.
            each_group_of_true(state, [&](int32_t group, int32_t atom) { in_group_[group] = atom; });
            for (int32_t atom : forced)
                for (int32_t group : space_.groups_of[atom])
                    if (in_group_[group] >= 0 && in_group_[group] != atom) clear(state, in_group_[group]);
            each_group_of_true(pool_.data() + row * words_, [&](int32_t group, int32_t) { in_group_[group] = -1; });
            for (int32_t atom : forced) set(state, atom);
        }
        // Set complement atoms to the negation of their atoms. If only the complement is a core atom, it is sampled
        // like any other atom.
        for (int32_t atom : complements_)
            if (!test(state, space_.complement_of[atom])) set(state, atom);
    }

private:
    struct Part {  // the atoms of a group in one word
        int32_t word;
        int32_t first;  // the lowest of these atoms
        uint64_t mask;
        bool single;
    };

    template <class Visit>
    void each_group_of_true(const uint64_t* state, Visit visit) const {
        for (std::size_t w = 0; w < words_; ++w)
            for (uint64_t rest = state[w] & space_.core[w]; rest; rest &= rest - 1) {
                const int32_t atom = static_cast<int32_t>(w * 64) + std::countr_zero(rest);
                for (int32_t group : space_.groups_of[atom]) visit(group, atom);
            }
    }

    // Visits the groups in random order; a group with several true atoms keeps a forced one or, if none, a random one.
    void repair(uint64_t* state) {
        for (std::size_t i = order_.size(); i > 1; --i)
            std::swap(order_[i - 1], order_[random_.below(static_cast<uint32_t>(i))]);
        for (int32_t group : order_) {
            const std::span<const Part> parts(parts_.data() + part_start_[group],
                                              parts_.data() + part_start_[group + 1]);
            std::size_t count = 0;  // number of the group's true atoms, which are stored in true_
            for (const Part& part : parts) {
                uint64_t rest = state[part.word] & part.mask;
                if (part.single) {  // without a branch, because it would be mispredicted half of the time
                    true_[count] = part.first;
                    count += rest != 0;
                } else {
                    for (; rest; rest &= rest - 1) true_[count++] = part.word * 64 + std::countr_zero(rest);
                }
            }
            if (count < 2) continue;
            const auto forced = std::find_if(true_.begin(), true_.begin() + static_cast<std::ptrdiff_t>(count),
                                             [&](int32_t atom) { return test(forced_.data(), atom); });
            const int32_t kept = forced != true_.begin() + static_cast<std::ptrdiff_t>(count)
                                     ? *forced
                                     : true_[random_.below(static_cast<uint32_t>(count))];
            for (std::size_t i = 0; i < count; ++i) clear(state, true_[i]);
            set(state, kept);
        }
    }

    const SampleSpace& space_;
    std::size_t words_;
    std::span<const uint64_t> pool_;
    Random random_;
    std::vector<int32_t> order_, complements_, true_, in_group_;
    std::vector<uint64_t> forced_;
    std::vector<Part> parts_;
    std::vector<std::size_t> part_start_{0};
};

}  // namespace

std::vector<uint64_t> sample_states(const SampleSpace& space, const Rows& forced, std::span<const int32_t> chosen,
                                    std::span<const uint64_t> pool, uint64_t seed, const std::function<bool()>& go_on) {
    Limits limits(0, 0, 1, go_on);
    const std::size_t words = (space.n_atoms + 63) / 64;
    std::vector<uint64_t> states(words * chosen.size());
    Sampler sampler(space, pool, seed);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (i % 1024 == 1023 && limits.stopped()) {
            states.resize(i * words);
            break;
        }
        sampler.draw(chosen[i] < 0 ? std::span<const int32_t>{} : forced[chosen[i]], states.data() + i * words);
    }
    return states;
}

// Bit-parallel over blocks of 512 states. A block is transposed to a row of 512 bits per atom. A pre-image is tested on
// all states of the block by AND-ing the rows of its atoms, the rarest first; most pre-images fail after a few atoms.
// Pre-images are tested by ascending depth, so the depth of the first one that a state contains is its label.
std::vector<int32_t> label_states(const Rows& preimages, std::span<const int32_t> depth, int n_atoms,
                                  std::span<const uint64_t> states, int32_t otherwise,
                                  const std::function<bool()>& go_on) {
    Limits limits(0, 0, 1, go_on);
    constexpr std::size_t block = 512, lanes = block / 64;
    const std::size_t words = (n_atoms + 63) / 64;
    const std::size_t n = words ? states.size() / words : 0;
    const uint64_t last = n_atoms % 64 ? (uint64_t{1} << (n_atoms % 64)) - 1 : ~uint64_t{0};  // bits of the last word
    std::vector<int32_t> labels(n, -1);

    std::vector<int64_t> count(n_atoms);
    const auto each_true = [&](std::size_t i, auto&& visit) {
        for (std::size_t w = 0; w < words; ++w)
            for (uint64_t rest = states[i * words + w] & (w + 1 == words ? last : ~uint64_t{0}); rest; rest &= rest - 1)
                visit(w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
    };
    for (std::size_t i = 0; i < n; ++i) each_true(i, [&](std::size_t atom) { ++count[atom]; });

    std::vector<int32_t> order(preimages.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return depth[a] < depth[b]; });
    std::vector<std::vector<int32_t>> tests;
    for (int32_t x : order) {
        auto& row = tests.emplace_back(preimages[x].begin(), preimages[x].end());
        std::stable_sort(row.begin(), row.end(), [&](int32_t a, int32_t b) { return count[a] < count[b]; });
    }

    struct alignas(64) Bits {
        uint64_t word[lanes];
    };
    std::vector<Bits> by_atom(n_atoms);
    // Process the blocks in an order that jumps between distant ones, so that the labelled states are representative if
    // a stop is requested.
    const std::size_t n_blocks = (n + block - 1) / block;
    std::size_t stride = n_blocks * 5 / 8 + 1;
    while (std::gcd(stride, n_blocks) > 1) ++stride;
    bool stopped = false;
    for (std::size_t done = 0; done < n_blocks && !stopped; ++done) {
        const std::size_t from = done * stride % n_blocks * block, size = std::min(block, n - from);
        std::fill_n(labels.begin() + static_cast<std::ptrdiff_t>(from), size, otherwise);
        std::fill(by_atom.begin(), by_atom.end(), Bits{});
        Bits open{};
        for (std::size_t i = 0; i < size; ++i) {
            open.word[i / 64] |= uint64_t{1} << (i % 64);
            each_true(from + i, [&](std::size_t atom) { by_atom[atom].word[i / 64] |= uint64_t{1} << (i % 64); });
        }
        for (std::size_t t = 0; t < tests.size(); ++t) {
            Bits holds = open;
            bool any = true;
            for (std::size_t k = 0; k < tests[t].size() && any; ++k) {
                const Bits& row = by_atom[tests[t][k]];
                uint64_t some = 0;
                for (std::size_t l = 0; l < lanes; ++l) some |= holds.word[l] &= row.word[l];
                any = some != 0;
            }
            // The first block is always completed.
            if (t % 65536 == 65535 && done && limits.stopped()) {
                std::fill_n(labels.begin() + static_cast<std::ptrdiff_t>(from), size, -1);
                stopped = true;
                break;
            }
            if (!any) continue;
            uint64_t unlabelled = 0;
            for (std::size_t l = 0; l < lanes; ++l) {
                for (uint64_t rest = holds.word[l]; rest; rest &= rest - 1)
                    labels[from + l * 64 + static_cast<std::size_t>(__builtin_ctzll(rest))] = depth[order[t]];
                unlabelled |= open.word[l] &= ~holds.word[l];
            }
            if (!unlabelled) break;
        }
        stopped = stopped || limits.stopped();
    }
    return labels;
}

}  // namespace goalward
