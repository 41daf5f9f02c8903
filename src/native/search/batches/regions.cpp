#include "search/batches/regions.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "search/core/open_list.hpp"
#include "search/core/state_space.hpp"

namespace goalward {

namespace {

class Region {
public:
    Region(const Problem& problem, Evaluator& evaluator, const RegionOptions& options, Budget& unlimited)
        : problem_(problem), evaluator_(evaluator), options_(options), space_(problem, unlimited) {}

    void search(const Word* first) {
        space_.add(first);
        add_node();
        children_.push_back(0);
        evaluate_children({}, {});
        while (!open_.empty() && !met_goal_ && expanded_.size() < static_cast<std::size_t>(options_.expansions)) {
            const std::size_t from = expanded_.size();
            const std::size_t max_size = std::min<std::size_t>(options_.expansions - from, options_.batch);
            while (!open_.empty() && expanded_.size() - from < max_size) expanded_.push_back(open_.pop().id());
            expand({expanded_.data() + from, expanded_.size() - from});
        }
    }

    void report(int32_t number, Regions& regions) {
        const std::vector<float> values = backed_up_values();
        for (StateId id : expanded_) {
            append_bits(id, regions.states);
            regions.values.push_back(values[id]);
            regions.origins.push_back(number);
        }
        const bool has_exit = !met_goal_ && !open_.empty();
        regions.ends.push_back(met_goal_ ? RegionEnd::goal : has_exit ? RegionEnd::border : RegionEnd::dead_end);
        if (has_exit)
            append_bits(open_.top().id(), regions.exits);
        else
            regions.exits.resize(regions.exits.size() + problem_.packing().n_bit_words());
    }

private:
    struct Edge {
        StateId child, parent;
    };

    void expand(std::span<const StateId> batch) {
        parents_.clear();
        children_.clear();
        origins_.clear();
        for (StateId id : batch) parents_.push_back(space_[id]);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            for (int32_t op : space_.applicable(batch[i])) {
                const auto [child, fresh] = space_.follow(batch[i], op);
                edges_.push_back({child, batch[i]});
                if (!fresh) continue;
                add_node();
                children_.push_back(child);
                origins_.push_back({static_cast<int32_t>(i), op});
            }
        }
        evaluate_children(parents_, origins_);
    }

    void add_node() {
        const auto id = static_cast<StateId>(space_.size() - 1);
        is_goal_.push_back(problem_.is_goal(space_[id]));
        met_goal_ = met_goal_ || is_goal_[id];
        h_.push_back(dead_end);
    }

    void evaluate_children(std::span<const Word* const> parents, std::span<const Batch::Origin> origins) {
        states_.clear();
        for (StateId id : children_) states_.push_back(space_[id]);
        fresh_.resize(children_.size());
        evaluator_.evaluate({states_, parents, origins}, fresh_);
        for (std::size_t i = 0; i < children_.size(); ++i) {
            h_[children_[i]] = fresh_[i];
            if (fresh_[i] != dead_end) open_.push(GreedyEntry(fresh_[i], children_[i]));
        }
    }

    // Dijkstra's algorithm backwards over the generated edges, from goals and from the border.
    std::vector<float> backed_up_values() const {
        const std::size_t n = space_.size();
        std::vector<uint32_t> start(n + 1);
        for (const Edge& edge : edges_) ++start[edge.child + 1];
        for (std::size_t i = 0; i < n; ++i) start[i + 1] += start[i];
        std::vector<StateId> parents(edges_.size());
        std::vector<uint32_t> next(start.begin(), start.end() - 1);
        for (const Edge& edge : edges_) parents[next[edge.child]++] = edge.parent;

        // A state that is not a goal is at least one step away from one.
        std::vector<float> value(n);
        for (std::size_t id = 0; id < n; ++id) value[id] = is_goal_[id] ? 0 : std::max(h_[id], 1.0f);
        for (StateId id : expanded_) value[id] = dead_end;
        using Entry = std::pair<float, StateId>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
        for (std::size_t id = 0; id < n; ++id)
            if (value[id] != dead_end) queue.push({value[id], static_cast<StateId>(id)});
        while (!queue.empty()) {
            const auto [distance, id] = queue.top();
            queue.pop();
            if (distance > value[id]) continue;
            for (uint32_t e = start[id]; e < start[id + 1]; ++e)
                if (distance + 1 < value[parents[e]]) queue.push({value[parents[e]] = distance + 1, parents[e]});
        }
        return value;
    }

    void append_bits(StateId id, std::vector<uint64_t>& rows) const {
        rows.resize(rows.size() + problem_.packing().n_bit_words());
        problem_.packing().write_bits(space_[id], rows.data() + rows.size() - problem_.packing().n_bit_words());
    }

    const Problem& problem_;
    Evaluator& evaluator_;
    const RegionOptions& options_;
    StateSpace space_;
    Heap<GreedyEntry> open_;
    std::vector<float> h_;          // by id
    std::vector<uint8_t> is_goal_;  // by id
    bool met_goal_ = false;
    std::vector<StateId> expanded_;
    std::vector<Edge> edges_;

    // Scratch memory for one batch.
    std::vector<StateId> children_;
    std::vector<Batch::Origin> origins_;
    std::vector<const Word*> parents_, states_;
    std::vector<float> fresh_;
};

}  // namespace

Regions search_regions(const Heuristic& heuristic, std::span<const Word* const> states, const RegionOptions& options,
                       const std::function<bool()>& go_on) {
    Regions regions;
    Limits limits(0, 0, 1, nullptr);
    Budget unlimited(limits);
    const std::unique_ptr<Evaluator> evaluator = heuristic.evaluator();
    for (std::size_t i = 0; i < states.size(); ++i) {
        Region region(heuristic.problem(), *evaluator, options, unlimited);
        region.search(states[i]);
        region.report(static_cast<int32_t>(i), regions);
        if (!go_on()) break;
    }
    return regions;
}

}  // namespace goalward
