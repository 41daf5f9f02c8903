#include "search/heuristics/relaxed_operators.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>

#include "task/random.hpp"

namespace goalward {

namespace {
// Dominating operators are only found if their preconditions are a subset of the first `max_in_subsets` preconditions
// of the dominated one, or the same set. Trying all subsets would take exponential time.
constexpr std::size_t max_in_subsets = 6;

int32_t relaxed_cost(const Problem& problem, int32_t o, bool unit_costs) {
    return unit_costs ? 1 : std::min(problem.cost(o), highest_relaxed_cost);
}

// A hash table of the cheapest operator for each pair of a precondition set and an effect. Most lookups are for keys
// that it does not have. A bit set that fits into the cache (a Bloom filter with one hash function) rejects nearly all
// of them.
class Providers {
public:
    explicit Providers(std::size_t n) : slots_(std::bit_ceil(2 * n + 1)), seen_(std::bit_ceil(16 * n + 64) / 64) {}

    // The operator with this key, or -1.
    int32_t find(uint64_t key) const {
        if (!(seen_[word(key)] >> (key % 64) & 1)) return -1;
        return slots_[slot(key)].op;
    }
    int32_t& add(uint64_t key) {
        seen_[word(key)] |= uint64_t{1} << (key % 64);
        Slot& found = slots_[slot(key)];
        found.key = key;
        return found.op;
    }

private:
    struct Slot {
        uint64_t key = 0;
        int32_t op = -1;
    };
    std::size_t word(uint64_t key) const { return (key >> 6) & (seen_.size() - 1); }
    std::size_t slot(uint64_t key) const {  // the slot of the key, or the empty slot for it
        std::size_t at = (key >> 20) & (slots_.size() - 1);
        while (slots_[at].op >= 0 && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
        return at;
    }

    std::vector<Slot> slots_;
    std::vector<uint64_t> seen_;
};

// For each active operator, the add effects that are not dominated.
std::vector<std::vector<int32_t>> undominated_effects(const Problem& problem, bool unit_costs) {
    const auto& active = problem.active_operators();
    Random random(1);
    std::vector<uint64_t> as_condition(problem.packing().n_atoms()), as_effect(problem.packing().n_atoms());
    for (uint64_t& key : as_condition) key = random.next();
    for (uint64_t& key : as_effect) key = random.next();
    const auto cheaper = [&](int32_t a, int32_t b) {  // ties go to the first operator
        const int32_t cost_a = relaxed_cost(problem, a, unit_costs), cost_b = relaxed_cost(problem, b, unit_costs);
        return cost_a < cost_b || (cost_a == cost_b && a < b);
    };
    std::size_t n_effects = 0;
    for (int32_t o : active) n_effects += problem.op(o).add.size();
    Providers providers(n_effects);
    // By operator with many preconditions: the first operator with the same ones. Sets are compared once here, and not
    // for every effect.
    std::vector<int32_t> same_condition(problem.n_operators(), -1);
    std::unordered_map<uint64_t, int32_t> first_with;
    for (int32_t o : active) {
        const std::span<const int32_t> pre = problem.op(o).pre;
        uint64_t condition = 0;
        for (int32_t atom : pre) condition ^= as_condition[atom];
        if (pre.size() > max_in_subsets) {
            const int32_t first = first_with.try_emplace(condition, o).first->second;
            same_condition[o] = std::ranges::equal(pre, problem.op(first).pre) ? first : o;
        }
        for (int32_t atom : problem.op(o).add) {
            int32_t& provider = providers.add(condition ^ as_effect[atom]);
            if (provider < 0 || cheaper(o, provider)) provider = o;
        }
    }
    const auto contains = [](std::span<const int32_t> sorted, int32_t x) {
        return std::binary_search(sorted.begin(), sorted.end(), x);
    };
    std::vector<std::vector<int32_t>> result(active.size());
    std::vector<uint64_t> conditions;  // keys of the subsets of preconditions that are tried
    for (std::size_t i = 0; i < active.size(); ++i) {
        const Problem::Operator op = problem.op(active[i]);
        const std::size_t n = op.pre.size(), few = std::min(n, max_in_subsets);
        conditions.assign(1, 0);
        for (std::size_t p = 0; p < few; ++p)
            for (std::size_t k = 0, known = conditions.size(); k < known; ++k)
                conditions.push_back(conditions[k] ^ as_condition[op.pre[p]]);
        if (n > few) {
            conditions.push_back(0);
            for (int32_t atom : op.pre) conditions.back() ^= as_condition[atom];
        }
        const auto dominates = [&](int32_t o, int32_t effect) {
            if (o < 0 || o == active[i]) return false;
            const Problem::Operator other = problem.op(o);  // may differ from the key: hashes can collide
            const auto needed = [&](int32_t p) { return contains(op.pre, p); };
            const bool needs_no_more = other.pre.size() > max_in_subsets
                                           ? same_condition[o] == same_condition[active[i]]
                                           : std::ranges::all_of(other.pre, needed);
            return needs_no_more && contains(other.add, effect) &&
                   (other.pre.size() < n
                        ? relaxed_cost(problem, o, unit_costs) <= relaxed_cost(problem, active[i], unit_costs)
                        : cheaper(o, active[i]));
        };
        for (int32_t atom : op.add)
            if (std::none_of(conditions.begin(), conditions.end(), [&](uint64_t condition) {
                    return dominates(providers.find(condition ^ as_effect[atom]), atom);
                }))
                result[i].push_back(atom);
    }
    return result;
}
}  // namespace

RelaxedOperators relaxed_operators(const Problem& problem, bool unit_costs) {
    RelaxedOperators result;
    const std::vector<std::vector<int32_t>> useful = undominated_effects(problem, unit_costs);
    for (std::size_t i = 0; i < useful.size(); ++i) {
        if (useful[i].empty()) continue;
        const int32_t o = problem.active_operators()[i];
        result.pre.push_back(problem.op(o).pre);
        result.add.push_back(useful[i]);
        result.original.push_back(o);
        result.cost.push_back(relaxed_cost(problem, o, unit_costs));
    }
    std::vector<std::vector<int32_t>> waiting(problem.packing().n_atoms());
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (result.pre[i].empty()) result.free.push_back(static_cast<int32_t>(i));
        for (int32_t atom : result.pre[i]) waiting[atom].push_back(static_cast<int32_t>(i));
    }
    for (const auto& row : waiting) result.waiting.push_back(row);
    return result;
}

}  // namespace goalward
