#include "search/improve/reorder.hpp"

#include <algorithm>

namespace goalward {

namespace {

// For each step, later steps that must stay after it. The transitive closure of this relation has all of them.
std::vector<std::vector<int>> followers(const Problem& problem, const Path& path) {
    struct Access {
        int last_write = -1;
        std::vector<int> reads_since;
    };
    const Packing& packing = problem.packing();
    std::vector<Access> accesses(packing.n_variables());
    std::vector<std::vector<int>> after(path.length());
    const auto order = [&](int first, int second) {
        if (first >= 0 && first != second && (after[first].empty() || after[first].back() != second))
            after[first].push_back(second);
    };
    for (int i = 0; i < path.length(); ++i) {
        const Problem::Operator op = problem.op(path.op(i));
        for (int32_t atom : op.pre) {
            Access& a = accesses[packing.slot(atom).variable];
            order(a.last_write, i);
            a.reads_since.push_back(i);
        }
        for (const auto& effects : {op.add, op.del})
            for (int32_t atom : effects) {
                Access& a = accesses[packing.slot(atom).variable];
                order(a.last_write, i);
                for (int reader : a.reads_since) order(reader, i);
                a.reads_since.clear();
                a.last_write = i;
            }
    }
    return after;
}

}  // namespace

std::vector<int32_t> reordered(const Problem& problem, const Path& path, Random& random) {
    std::vector<std::vector<int>> after = followers(problem, path);
    std::vector<int> n_open_predecessors(path.length(), 0);
    for (auto& row : after) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        for (int i : row) ++n_open_predecessors[i];
    }
    std::vector<int> ready;  // a stack
    const auto shuffle = [&](std::size_t from) {
        for (std::size_t i = ready.size(); i > from + 1; --i)
            std::swap(ready[i - 1], ready[from + random.below(static_cast<uint32_t>(i - from))]);
    };
    for (int i = 0; i < path.length(); ++i)
        if (!n_open_predecessors[i]) ready.push_back(i);
    shuffle(0);
    std::vector<int32_t> plan;
    while (!ready.empty()) {
        const int step = ready.back();
        ready.pop_back();
        plan.push_back(path.op(step));
        const std::size_t before = ready.size();
        for (int i : after[step])
            if (--n_open_predecessors[i] == 0) ready.push_back(i);
        shuffle(before);
    }
    return plan;
}

}  // namespace goalward
