#include "search/landmarks/knowledge.hpp"

#include <utility>

namespace goalward {

namespace {

Rows to_rows(const std::vector<std::vector<int32_t>>& lists) {
    Rows result;
    for (const auto& list : lists) result.push_back(list);
    return result;
}

}  // namespace

LandmarkKnowledge::LandmarkKnowledge(std::shared_ptr<const Problem> the_problem, Rows groups,
                                     std::vector<int32_t> kind_of_atom, LandmarkOptions the_options,
                                     std::shared_ptr<const RelaxedOperators> relaxed)
    : problem(std::move(the_problem)), options(the_options), operators(std::move(relaxed)), kinds(std::move(kind_of_atom)),
      deleted(kinds.size()), mutex_groups(std::move(groups)) {
    std::vector<std::vector<int32_t>> by_relaxed(n_atoms()), by_operator(n_atoms()), of_atom(n_atoms());
    for (std::size_t o = 0; o < operators->size(); ++o) {
        n_pre.push_back(static_cast<int32_t>(operators->pre[o].size()));
        for (int32_t atom : operators->add[o]) by_relaxed[atom].push_back(static_cast<int32_t>(o));
    }
    for (int32_t o : problem->active_operators()) {
        for (int32_t atom : problem->op(o).add) by_operator[atom].push_back(o);
        for (int32_t atom : problem->op(o).del) deleted[atom] = 1;
    }
    for (std::size_t g = 0; g < mutex_groups.size(); ++g)
        for (int32_t atom : mutex_groups[g]) of_atom.at(atom).push_back(static_cast<int32_t>(g));
    relaxed_achievers = to_rows(by_relaxed);
    achievers = to_rows(by_operator);
    groups_of = to_rows(of_atom);
}

}  // namespace goalward
