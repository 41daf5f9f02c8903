#include "search/heuristics/novelty.hpp"

namespace goalward {

namespace {
// Sets a bit; was it unset?
bool claim(uint64_t& word, std::size_t bit) {
    const uint64_t mask = uint64_t{1} << (bit % 64);
    const bool unset = !(word & mask);
    word |= mask;
    return unset;
}

std::size_t row_start(std::size_t i) { return i * (i - 1) / 2; }  // 0 for the rows 0 and 1
}  // namespace

NoveltyTables::NoveltyTables(const Packing& packing) : number_(packing.n_atoms(), -1) {
    for (int v = packing.n_variables() - 1; v >= 0; --v)
        for (int32_t atom : packing.atoms(v)) number_[atom] = static_cast<int32_t>(n_++);
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

// Sets the bits of row i that the state has. The row starts anywhere in a word, so each word of the state is shifted and
// may touch two of the table.
bool NoveltyTables::claim_smaller(MappedArray<uint64_t>& pairs, std::size_t i) const {
    const std::size_t start = row_start(i), shift = start % 64;
    uint64_t* row = &pairs[start / 64];
    bool any = false;
    for (auto [word, bits] : bits_) {
        if (word >= i / 64) {
            if (word > i / 64) break;
            bits &= (uint64_t{1} << (i % 64)) - 1;
        }
        const uint64_t low = bits << shift, high = bits >> 1 >> (63 - shift);
        if (low & ~row[word]) {
            any = true;
            row[word] |= low;
        }
        if (high && high & ~row[word + 1]) {
            any = true;
            row[word + 1] |= high;
        }
    }
    return any;
}

// Sets bit i in the rows of the state's larger numbers.
bool NoveltyTables::claim_larger(MappedArray<uint64_t>& pairs, std::size_t i) const {
    bool any = false;
    for (std::size_t j : numbers_) {
        if (j <= i) break;
        const std::size_t pair = row_start(j) + i;
        any |= claim(pairs[pair / 64], pair);
    }
    return any;
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
    for (int32_t atom : atoms) numbers_.push_back(static_cast<uint32_t>(number_[atom]));
    bits_.clear();
    for (std::size_t k = numbers_.size(); k-- > 0;) {
        const uint32_t word = numbers_[k] / 64;
        if (bits_.empty() || bits_.back().word != word) bits_.push_back({word, 0});
        bits_.back().bits |= uint64_t{1} << (numbers_[k] % 64);
    }
    const bool all_fresh = fresh.size() == atoms.size();  // each pair is then met from its larger number
    for (int32_t atom : fresh) {
        const auto i = static_cast<std::size_t>(number_[atom]);
        new_pair |= claim_smaller(tables.pairs, i);
        if (!all_fresh) new_pair |= claim_larger(tables.pairs, i);
    }
    return new_atom ? 1 : new_pair ? 2 : 3;
}

}  // namespace goalward
