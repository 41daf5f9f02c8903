// Stores every distinct state of a search once and assigns it a small integer id.
//
//     Word* child = registry.scratch();
//     problem.apply(op, parent, child);
//     auto [id, fresh] = registry.insert_scratch();
//
// Ids start at 0 and ascend in order of insertion. Data about states is stored in arrays indexed by id. The hash table
// holds ids and one byte of each hash (5 bytes per slot, with a load between 62 and 80 %). It is rebuilt from the
// states when it grows, so that the old and the new table are never in memory together.
#pragma once

#include <cstdint>
#include <utility>

#include "search/core/limits.hpp"
#include "search/core/chunked.hpp"
#include "search/core/mapped.hpp"
#include "task/packing.hpp"

namespace goalward {

using StateId = uint32_t;
constexpr StateId no_state = 0xffffffff;

class Registry {
public:
    Registry(int n_words, Budget& budget);

    Word* scratch() { return states_.next(); }
    // Inserts the state in scratch(). Returns its id and whether it is new; no_state if the budget is exceeded.
    std::pair<StateId, bool> insert_scratch();

    const Word* operator[](StateId id) const { return states_[id]; }
    std::size_t size() const { return states_.size(); }
    uint64_t bytes() const { return states_.bytes() + capacity_ * slot_bytes; }

private:
    static constexpr std::size_t slot_bytes = sizeof(StateId) + 1;

    uint64_t hash(const Word* state) const;
    std::size_t slot_of(uint64_t h) const;
    bool grow();

    int n_words_;
    Budget& budget_;
    Chunked<Word> states_;
    std::size_t capacity_ = 0, limit_ = 0;
    MappedArray<StateId> ids_;
    MappedArray<uint8_t> tags_;  // 0: empty, else 0x80 | 7 bits of the hash
};

}  // namespace goalward
