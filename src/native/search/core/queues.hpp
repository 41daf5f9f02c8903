// Open lists of searches with guides: several queues that take turns.
//
// In lazy search, all successors of a state have their parent's value. So a queue holds each expanded state once, and
// gives its operators one after the other, instead of holding all successors. Ties are broken first in, first out: the
// queue finishes one state before the next of the same value. So one cursor per value is enough, and a state takes four
// bytes per queue.
//
// If a network has evaluated every child, its values break ties between the children of states of equal value. Then a
// queue holds the best remaining child of each expanded state, and a child takes four bytes.
//
// The next queue is chosen by alternation: the queue with the fewest turns, the first one in case of ties. If a
// heuristic makes progress, queues of preferred operators get `boost` extra turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "search/core/chunked.hpp"
#include "search/core/mapped.hpp"
#include "search/core/open_list.hpp"
#include "search/core/state_space.hpp"

namespace goalward {

// A queue of items by value. The first item may be served several times before it is dropped. The caller decides what
// an item is: a state, or the index of a list of operators.
class LazyQueue {
public:
    using Item = uint32_t;
    // The number of distinct values. With few, buckets take four bytes per item; with many, they take more than a heap.
    enum class Values { few, many };

    explicit LazyQueue(Values values) : values_(values) {}

    bool empty() const { return size() == 0; }
    std::size_t size() const { return buckets_.size() + heap_.size(); }
    uint64_t bytes() const { return buckets_.bytes() + heap_.bytes(); }

    void push(float h, Item item) {
        if (values_ == Values::few)
            buckets_.push({h, item});
        else
            heap_.push({ordered(h), order_++, item});
    }
    // The first item, and the number of times that it was served.
    Item first() const { return values_ == Values::few ? buckets_.top().id() : heap_.top().item; }
    uint32_t served() const {
        const auto at = served_.find(rank());
        return at == served_.end() ? 0 : at->second;
    }
    void serve() { ++served_[rank()]; }
    void drop() {
        served_.erase(rank());
        if (values_ == Values::few)
            buckets_.pop();
        else
            heap_.pop();
    }

private:
    struct Entry {
        uint32_t rank, order;
        Item item;

        bool operator<(const Entry& other) const { return std::tie(rank, order) < std::tie(other.rank, other.order); }
    };
    static_assert(sizeof(Entry) == 12);

    uint32_t rank() const { return values_ == Values::few ? buckets_.top().rank() : heap_.top().rank; }

    Values values_;
    Buckets buckets_;
    Heap<Entry> heap_;
    uint32_t order_ = 0;
    std::map<uint32_t, uint32_t> served_;  // by value: the number of times that its first item was served, if any
};

// The lists of preferred operators of all states in one array. Queues of preferred operators hold places in it.
class PreferredOperators {
public:
    using Place = uint32_t;

    Place add(StateId state, std::span<const int32_t> operators);
    std::pair<StateId, std::span<const int32_t>> operator[](Place place) const {
        return {static_cast<StateId>(cells_[place]), {&cells_[place + 2], static_cast<std::size_t>(cells_[place + 1])}};
    }
    uint64_t bytes() const { return size_ * sizeof(int32_t); }

private:
    MappedArray<int32_t> cells_;  // state, length, operators, state, length, operators, …
    std::size_t size_ = 0;
};

// Gives the operators of expanded states one by one, those of the state with the minimum value first. They are either
// all applicable operators, or only those that are preferred in the state.
class OperatorQueue {
public:
    struct Served {
        StateId state;
        int32_t op;
        bool listed;  // true if the applicable operators of the state had to be generated
    };

    explicit OperatorQueue(bool only_preferred, LazyQueue::Values values = LazyQueue::Values::few)
        : only_preferred_(only_preferred), items_(values) {}

    bool only_preferred() const { return only_preferred_; }
    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); }
    uint64_t bytes() const { return items_.bytes(); }

    // `item` is a state, or the place of its preferred operators.
    void push(float value, LazyQueue::Item item) { items_.push(value, item); }
    // The next operator; nullopt if no state has one left.
    std::optional<Served> next(StateSpace& space, const PreferredOperators& preferred);

private:
    bool only_preferred_;
    LazyQueue items_;
    StateId listed_ = no_state;
};

// The lists of children of all expanded states in one array, each in the order in which queues serve the children.
class ChildLists {
public:
    using Place = uint32_t;

    // Adds a list of at least one child and returns the place of the first. A list ends with no_state.
    Place add(std::span<const StateId> children);
    StateId operator[](Place place) const { return cells_[place]; }
    uint64_t bytes() const { return size_ * sizeof(StateId); }

private:
    MappedArray<StateId> cells_;
    std::size_t size_ = 0;
};

// A queue of children by their parents' values. Their own values, then the order of insertion break ties.
class ChildQueue {
public:
    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    uint64_t bytes() const { return entries_.bytes(); }

    // Adds a list of children; `parent` is the value of their parent and `first` that of the first child.
    void push(float parent, float first, ChildLists::Place place) {
        entries_.push({ordered(parent), ordered(first), place});
    }
    StateId pop(const ChildLists& lists, const Chunked<float>& values);

private:
    struct Entry {
        uint32_t parent, child;  // values, mapped by ordered()
        ChildLists::Place place;

        bool operator<(const Entry& other) const {
            return std::tie(parent, child, place) < std::tie(other.parent, other.child, other.place);
        }
    };
    static_assert(sizeof(Entry) == 12);

    Heap<Entry> entries_;
};

// Chooses the queue whose turn is next.
class Alternation {
public:
    explicit Alternation(int64_t boost) : boost_(boost) {}

    void add(bool preferred) { turns_.push_back({0, preferred}); }
    // The queue with the fewest turns among those that are ready, or -1.
    template <class Ready>
    int next(Ready ready) const {
        int best = -1;
        for (int q = 0; q < static_cast<int>(turns_.size()); ++q)
            if ((best < 0 || turns_[q].count < turns_[best].count) && ready(q)) best = q;
        return best;
    }
    void serve(int queue) { ++turns_[queue].count; }
    void reward() {
        for (Turns& turns : turns_)
            if (turns.preferred) turns.count -= boost_;
    }

private:
    struct Turns {
        int64_t count;
        bool preferred;
    };
    int64_t boost_;
    std::vector<Turns> turns_;
};

}  // namespace goalward
