#include "search/heuristics/novelty.hpp"

#include <algorithm>

namespace goalward {

namespace {
// Sets a bit; was it unset?
bool claim(uint64_t& word, std::size_t bit) {
    const uint64_t mask = uint64_t{1} << (bit % 64);
    const bool unset = !(word & mask);
    word |= mask;
    return unset;
}
}  // namespace

NoveltyTables::NoveltyTables(const Packing& packing) : number_(packing.n_atoms(), -1) {
    for (int atom = 0; atom < packing.n_atoms(); ++atom)
        if (packing.slot(atom).variable >= 0) number_[atom] = static_cast<int32_t>(n_++);
}

NoveltyTables::Partition& NoveltyTables::at(uint32_t partition) {
    if (partition >= partitions_.size()) partitions_.resize(partition + 1);
    Partition& tables = partitions_[partition];
    if (tables.atoms.empty()) {
        tables.atoms.assign((n_ + 63) / 64, 0);
        bytes_ += tables.atoms.size() * sizeof(uint64_t);
    }
    const std::size_t words = n_ * (n_ - 1) / 2 / 64 + 1;
    if (!tables.pairs.size() && n_ && bytes_ + words * sizeof(uint64_t) <= allowed_) {
        tables.pairs = MappedArray<uint64_t>(words);
        bytes_ += words * sizeof(uint64_t);
    }
    return tables;
}

int NoveltyTables::see(uint32_t partition, std::span<const int32_t> atoms, std::span<const int32_t> fresh) {
    Partition& tables = at(partition);
    effort_ += fresh.size();
    bool new_atom = false, new_pair = false;
    for (int32_t atom : fresh) {
        const auto i = static_cast<std::size_t>(number_[atom]);
        new_atom |= claim(tables.atoms[i / 64], i);
    }
    if (!tables.pairs.size()) return new_atom ? 1 : 3;
    effort_ += fresh.size() * atoms.size();
    numbers_.clear();
    for (int32_t atom : atoms) numbers_.push_back(number_[atom]);
    for (int32_t atom : fresh) {
        const auto i = static_cast<std::size_t>(number_[atom]);
        for (int32_t other : numbers_) {
            const auto j = static_cast<std::size_t>(other);
            if (i == j) continue;
            const std::size_t high = std::max(i, j), pair = high * (high - 1) / 2 + std::min(i, j);
            new_pair |= claim(tables.pairs[pair / 64], pair);
        }
    }
    return new_atom ? 1 : new_pair ? 2 : 3;
}

}  // namespace goalward
