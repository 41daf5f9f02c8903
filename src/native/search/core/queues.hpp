// Open lists of searches with guides: several queues that take turns.
//
// In lazy search all successors of a state have their parent's value, so a queue holds the expanded state once and
// hands out its operators one after the other, instead of holding every successor. Among equal values the state that
// came first is served to its end first: only the first state of each value can be half served, and one cursor per
// value suffices. A state costs four bytes per queue.
//
// If a network has a value for every child, that decides between the children of states of equal value, siblings
// among them. Then a queue holds the best child that is left of each expanded state, and a child costs four bytes.
//
// Which queue is next is decided by alternation: the one that has been served least, the first among equals. When a
// heuristic makes progress, the queues of preferred operators are put ahead by `boost` turns.
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

// Items by value, each of them served several times before the next of its value. What an item is (a state, the place
// of a list of operators) is the caller's.
class LazyQueue {
public:
    using Item = uint32_t;
    // Do many items share a value? Buckets take four bytes an item then, but far more than a heap if values are fractional.
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
    // The first item, and how often it has been served.
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
    std::map<uint32_t, uint32_t> served_;  // how often the first item of a value has been served, if it has been
};

// Operators preferred in a state, for all states end to end; a queue of preferred operators holds places.
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

// Hands out the operators of expanded states one by one, of the state with the least value first: all applicable ones, or
// those that were preferred in it.
class OperatorQueue {
public:
    struct Served {
        StateId state;
        int32_t op;
        bool listed;  // were the operators of the state listed for this?
    };

    explicit OperatorQueue(bool only_preferred, LazyQueue::Values values = LazyQueue::Values::few)
        : only_preferred_(only_preferred), items_(values) {}

    bool only_preferred() const { return only_preferred_; }
    bool empty() const { return items_.empty(); }
    std::size_t size() const { return items_.size(); }
    uint64_t bytes() const { return items_.bytes(); }

    // A state, or the place of its preferred operators.
    void push(float value, LazyQueue::Item item) { items_.push(value, item); }
    // The next operator; nothing if no state that is left has one.
    std::optional<Served> next(StateSpace& space, const PreferredOperators& preferred);

private:
    bool only_preferred_;
    LazyQueue items_;
    StateId listed_ = no_state;
};

// Children of expanded states, those of each state in the order in which queues serve them, end to end.
class ChildLists {
public:
    using Place = uint32_t;

    // The place of the first of at least one child; the others follow it, and then comes no_state.
    Place add(std::span<const StateId> children);
    StateId operator[](Place place) const { return cells_[place]; }
    uint64_t bytes() const { return size_ * sizeof(StateId); }

private:
    MappedArray<StateId> cells_;
    std::size_t size_ = 0;
};

// Children in the order of their parents' values, and among equals of their own; those that came first of all equals.
class ChildQueue {
public:
    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    uint64_t bytes() const { return entries_.bytes(); }

    // Children that are listed from a place on have a parent with this value; `first` is the value of the first child.
    void push(float parent, float first, ChildLists::Place place) { entries_.push({ordered(parent), ordered(first), place}); }
    StateId pop(const ChildLists& lists, const Chunked<float>& values);

private:
    struct Entry {
        uint32_t parent, child;  // values that integers compare
        ChildLists::Place place;

        bool operator<(const Entry& other) const {
            return std::tie(parent, child, place) < std::tie(other.parent, other.child, other.place);
        }
    };
    static_assert(sizeof(Entry) == 12);

    Heap<Entry> entries_;
};

// Whose turn it is.
class Alternation {
public:
    explicit Alternation(int64_t boost) : boost_(boost) {}

    void add(bool preferred) { turns_.push_back({0, preferred}); }
    // The next of the queues that have something to serve, or -1.
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
