#include "search/core/registry.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace goalward {

namespace {
__extension__ using uint128 = unsigned __int128;

uint64_t mix(uint64_t a, uint64_t b) {
    const uint128 product = static_cast<uint128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint8_t tag_of(uint64_t h) { return static_cast<uint8_t>(0x80 | (h & 0x7f)); }
}  // namespace

Registry::Registry(int n_words, Budget& budget) : n_words_(n_words), budget_(budget), states_(n_words) { grow(); }

uint64_t Registry::hash(const Word* state) const {
    uint64_t h = 0x9e3779b97f4a7c15;
    int i = 0;
    for (; i + 1 < n_words_; i += 2) {
        uint64_t pair;
        std::memcpy(&pair, state + i, sizeof pair);
        h = mix(h ^ pair, 0xa0761d6478bd642f);
    }
    if (i < n_words_) h = mix(h ^ state[i], 0xe7037ed1a0b428db);
    return mix(h, 0x8ebc6af09c88c6e3);
}

std::size_t Registry::slot_of(uint64_t h) const {
    return static_cast<std::size_t>(static_cast<uint128>(h) * capacity_ >> 64);
}

std::pair<StateId, bool> Registry::insert_scratch() {
    if (states_.size() >= limit_ && !grow()) return {no_state, false};
    const Word* state = states_.next();
    const uint64_t h = hash(state);
    const uint8_t tag = tag_of(h);
    std::size_t slot = slot_of(h);
    while (tags_[slot]) {
        if (tags_[slot] == tag && std::memcmp(states_[ids_[slot]], state, n_words_ * sizeof(Word)) == 0)
            return {ids_[slot], false};
        if (++slot == capacity_) slot = 0;
    }
    if (states_.size() >= no_state) throw std::length_error("more than 2^32 - 2 states");
    const auto id = static_cast<StateId>(states_.size());
    tags_[slot] = tag;
    ids_[slot] = id;
    states_.commit();
    return {id, true};
}

bool Registry::grow() {
    const std::size_t new_capacity = std::max<std::size_t>(1024, capacity_ + capacity_ * 3 / 10);
    if (!budget_.allows((new_capacity - capacity_) * slot_bytes)) return false;
    capacity_ = new_capacity;
    limit_ = capacity_ * 8 / 10;
    ids_ = {};  // free the old table before allocating the new one
    tags_ = {};
    ids_ = MappedArray<StateId>(capacity_);
    tags_ = MappedArray<uint8_t>(capacity_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
        if (i % 65536 == 0 && budget_.out_of_time()) return false;
        const uint64_t h = hash(states_[i]);
        std::size_t slot = slot_of(h);
        while (tags_[slot])
            if (++slot == capacity_) slot = 0;
        tags_[slot] = tag_of(h);
        ids_[slot] = static_cast<StateId>(i);
    }
    return true;
}

}  // namespace goalward
