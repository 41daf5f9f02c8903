#include "search/landmarks/discovery.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace goalward {

namespace {
// Number of matrices with a bit for each pair of landmarks: in a graph, and in addition while finding reasonable
// orders.
constexpr uint64_t matrices = 5, extra_matrices = 4;
// Finding reasonable orders may take time cubic in the number of landmarks, so they are left out beyond this number.
constexpr std::size_t max_for_reasonable_orders = 16384;
}  // namespace

LandmarkFinder::LandmarkFinder(const LandmarkKnowledge& knowledge)
    : knowledge_(knowledge), propagation_(knowledge), reasonable_(knowledge), fact_(knowledge.n_atoms()),
      disjunction_(knowledge.n_atoms()), count_(knowledge.n_atoms()) {}

LandmarkGraph LandmarkFinder::find(const Word* state, std::span<const int32_t> goal, Budget& budget) {
    if (!propagation_.run(state, goal, budget)) {
        LandmarkGraph none;
        none.solvable = false;
        return none;
    }
    natural_.clear();
    greedy_necessary_.clear();
    necessary_.clear();
    number_facts(goal);
    const auto n_facts = static_cast<int32_t>(found_.size());
    for (int32_t fact = 0; fact < n_facts; ++fact) {
        budget.require();
        order_fact(fact);
    }
    if (knowledge_.options.max_disjuncts >= 2)
        for (std::size_t i = 0; i < found_.size(); ++i) {
            budget.require();
            find_disjunctions(static_cast<int32_t>(i));
        }
    LandmarkGraph graph = make_graph(goal, budget);
    if (knowledge_.options.reasonable && graph.size() <= max_for_reasonable_orders) {
        budget.require(propagation_.bytes() + (matrices + extra_matrices) * graph.natural.bytes());
        reasonable_.find(graph, budget);
    }
    return graph;
}

// Numbers the fact landmarks of the goal in the order in which the relaxed exploration reached them.
void LandmarkFinder::number_facts(std::span<const int32_t> goal) {
    std::vector<uint64_t> needed(propagation_.width());
    for (int32_t atom : goal)
        for (std::size_t w = 0; w < needed.size(); ++w) needed[w] |= propagation_.needed(atom)[w];
    std::fill(fact_.begin(), fact_.end(), -1);
    std::fill(disjunction_.begin(), disjunction_.end(), -1);
    found_.clear();
    for (int32_t atom : propagation_.reached()) {
        const int32_t column = propagation_.column(atom);
        if (column < 0 || !(needed[column / 64] >> (column % 64) & 1)) continue;
        if (propagation_.holds_initially(atom) && !knowledge_.deleted[atom]) continue;
        fact_[atom] = static_cast<int32_t>(found_.size());
        found_.push_back({atom});
    }
}

// Calls function(atom) for each precondition that all operators have in common.
template <class Function>
void LandmarkFinder::for_each_shared(const std::vector<int32_t>& operators, Function&& function) {
    if (operators.empty()) return;
    const Rows& pre = propagation_.operators().pre;
    for (int32_t op : operators)
        for (int32_t atom : pre[op]) ++count_[atom];
    for (int32_t atom : pre[operators.front()])
        if (count_[atom] == static_cast<int32_t>(operators.size())) function(atom);
    for (int32_t op : operators)
        for (int32_t atom : pre[op]) count_[atom] = 0;
}

// The operators that may be the first to make one of the atoms true: those that do not require any of them.
std::vector<int32_t> LandmarkFinder::first_achievers(std::span<const int32_t> atoms) {
    std::vector<int32_t> result;
    for (int32_t atom : atoms)
        for (int32_t op : propagation_.achievers(atom)) {
            const bool requires_one = std::any_of(atoms.begin(), atoms.end(), [&](int32_t other) {
                const int32_t column = propagation_.column(other);
                return column >= 0 && propagation_.operator_needs(op, column);
            });
            if (!requires_one) result.push_back(op);
        }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

// Adds an order unless `before` is not a landmark.
void LandmarkFinder::add_order(std::vector<Order>& orders, int32_t before, int32_t after) const {
    if (const int32_t fact = fact_[before]; fact >= 0 && fact != after) orders.push_back({fact, after});
}

void LandmarkFinder::order_fact(int32_t landmark) {
    const int32_t fact = found_[landmark].front();
    if (propagation_.holds_initially(fact)) return;
    for_each_bit(propagation_.needed(fact), propagation_.width(), [&](int32_t column) {
        add_order(natural_, propagation_.candidate(column), landmark);
    });
    for_each_shared(first_achievers(found_[landmark]),
                    [&](int32_t atom) { add_order(greedy_necessary_, atom, landmark); });
    for_each_shared(propagation_.achievers(fact), [&](int32_t atom) { add_order(necessary_, atom, landmark); });
}

// If every first achiever of a landmark has a precondition of the same kind, these preconditions are a disjunctive
// landmark.
void LandmarkFinder::find_disjunctions(int32_t landmark) {
    if (propagation_.holds_initially(found_[landmark].front())) return;
    const Rows& pre = propagation_.operators().pre;
    const std::vector<int32_t> first = first_achievers(found_[landmark]);
    if (first.size() < 2) return;
    std::vector<int32_t> kinds;
    for (int32_t atom : pre[first.front()])
        if (fact_[atom] < 0) kinds.push_back(knowledge_.kinds[atom]);
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    for (int32_t kind : kinds) {
        std::vector<int32_t> atoms;
        const bool all = std::all_of(first.begin(), first.end(), [&](int32_t op) {
            const std::size_t before = atoms.size();
            for (int32_t atom : pre[op])
                if (knowledge_.kinds[atom] == kind) {
                    if (propagation_.holds_initially(atom) || fact_[atom] >= 0) return false;
                    atoms.push_back(atom);
                }
            return atoms.size() > before;
        });
        if (!all) continue;
        std::sort(atoms.begin(), atoms.end());
        atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
        if (atoms.size() > static_cast<std::size_t>(knowledge_.options.max_disjuncts)) continue;
        if (const int32_t before = add_disjunction(std::move(atoms)); before >= 0) {
            natural_.push_back({before, landmark});
            greedy_necessary_.push_back({before, landmark});
        }
    }
}

// Returns the number of the new or existing landmark, or -1 if it shares atoms with another one.
int32_t LandmarkFinder::add_disjunction(std::vector<int32_t> atoms) {
    const int32_t existing = disjunction_[atoms.front()];
    if (existing >= 0) return found_[existing] == atoms ? existing : -1;
    for (int32_t atom : atoms)
        if (disjunction_[atom] >= 0) return -1;
    const auto number = static_cast<int32_t>(found_.size());
    for (int32_t atom : atoms) disjunction_[atom] = number;
    std::vector<uint64_t> needed(propagation_.width(), ~uint64_t{0});
    for (int32_t atom : atoms)
        for (std::size_t w = 0; w < needed.size(); ++w) needed[w] &= propagation_.needed(atom)[w];
    for_each_bit(needed.data(), needed.size(), [&](int32_t column) {
        add_order(natural_, propagation_.candidate(column), number);
    });
    found_.push_back(std::move(atoms));
    for_each_shared(first_achievers(found_.back()),
                    [&](int32_t atom) { add_order(greedy_necessary_, atom, number); });
    return number;
}

LandmarkGraph LandmarkFinder::make_graph(std::span<const int32_t> goal, Budget& budget) const {
    const std::size_t n = found_.size();
    // Number the landmarks in the order in which the relaxed exploration reaches them, including disjunctions.
    std::vector<int32_t> time(fact_.size()), reached(n), by_time(n), number(n);
    for (std::size_t i = 0; i < propagation_.reached().size(); ++i)
        time[propagation_.reached()[i]] = static_cast<int32_t>(i);
    for (std::size_t i = 0; i < n; ++i) {
        reached[i] = time[found_[i].front()];
        for (int32_t atom : found_[i]) reached[i] = std::min(reached[i], time[atom]);
    }
    std::iota(by_time.begin(), by_time.end(), 0);
    std::sort(by_time.begin(), by_time.end(), [&](int32_t a, int32_t b) { return reached[a] < reached[b]; });

    LandmarkGraph graph;
    budget.require(propagation_.bytes() + matrices * BitMatrix(n, n).bytes());
    for (int32_t i : by_time) {
        number[i] = static_cast<int32_t>(graph.size());
        graph.atoms.push_back(found_[i]);
        graph.initial.push_back(propagation_.holds_initially(found_[i].front()));
    }
    graph.goal.resize(n);
    for (int32_t atom : goal)
        if (fact_[atom] >= 0) graph.goal[number[fact_[atom]]] = 1;
    const auto fill = [&](BitMatrix& matrix, const std::vector<Order>& orders) {
        matrix = BitMatrix(n, n);
        for (const Order& order : orders) matrix.set(number[order.after], number[order.before]);
    };
    fill(graph.natural, natural_);
    fill(graph.greedy_necessary, greedy_necessary_);
    fill(graph.necessary, necessary_);
    graph.reasonable = BitMatrix(n, n);
    return graph;
}

}  // namespace goalward
