#include "search/heuristics/novelty.hpp"

#include <bit>

#include "search/core/bit_matrix.hpp"

namespace goalward {

namespace {
// Sets a bit. Returns true if it was unset.
bool claim(uint64_t& word, std::size_t bit) {
    const uint64_t mask = uint64_t{1} << (bit % 64);
    const bool unset = !(word & mask);
    word |= mask;
    return unset;
}

std::size_t row_start(std::size_t i) { return i * (i - 1) / 2; }  // 0 for the rows 0 and 1

// Sets the bits of the pairs of i and the state's smaller numbers. Returns true if one was unset. A row may start
// within a word, so the words of the state are shifted.
bool claim_smaller(MappedArray<uint64_t>& pairs, std::span<const uint64_t> state, std::size_t i) {
    const std::size_t start = row_start(i), shift = start % 64, last = i / 64;
    uint64_t* row = &pairs[start / 64];
    uint64_t carry = 0;
    bool any = false;
    const auto claim_word = [&](std::size_t w, uint64_t bits) {
        if (!(bits & ~row[w])) return;
        row[w] |= bits;
        any = true;
    };
    for (std::size_t w = 0; w < last; ++w) {
        claim_word(w, state[w] << shift | carry);
        carry = state[w] >> 1 >> (63 - shift);  // in two steps, because a shift by 64 is undefined
    }
    const uint64_t bits = state[last] & ((uint64_t{1} << (i % 64)) - 1);
    claim_word(last, bits << shift | carry);
    carry = bits >> 1 >> (63 - shift);
    if (carry) claim_word(last + 1, carry);  // otherwise, the word may be past the end of the table
    return any;
}

// Sets the bits of the pairs of i and the state's larger numbers. Returns true if one was unset.
bool claim_larger(MappedArray<uint64_t>& pairs, std::span<const uint64_t> state, std::size_t i) {
    bool any = false;
    uint64_t rest = state[i / 64] & (~uint64_t{1} << (i % 64));
    for (std::size_t w = i / 64;;) {
        for (; rest; rest &= rest - 1) {
            const std::size_t pair = row_start(w * 64 + static_cast<std::size_t>(std::countr_zero(rest))) + i;
            any |= claim(pairs[pair / 64], pair);
        }
        if (++w == state.size()) return any;
        rest = state[w];
    }
}
}  // namespace

NoveltyTables::NoveltyTables(const Packing& packing) : first_(packing.n_variables()), number_(packing.n_atoms()) {
    for (int v = packing.n_variables() - 1; v >= 0; --v) {
        first_[v] = n_;
        n_ += static_cast<std::size_t>(packing.domain_size(v) - 1);
    }
    for (int atom = 0; atom < packing.n_atoms(); ++atom)
        if (const auto [variable, value] = packing.slot(atom); variable >= 0) number_[atom] = number(variable, value);
}

NoveltyTables::Partition& NoveltyTables::at(uint32_t partition) {
    if (partition >= partitions_.size()) partitions_.resize(partition + 1);
    Partition& tables = partitions_[partition];
    if (tables.atoms.empty()) {
        tables.atoms.assign((n_ + 63) / 64, 0);
        bytes_ += tables.atoms.size() * sizeof(uint64_t);
    }
    const std::size_t words = n_ * (n_ - 1) / 2 / 64 + 1;
    if (!tables.pairs.size() && n_ && bytes_ + words * sizeof(uint64_t) <= max_bytes_) {
        tables.pairs = MappedArray<uint64_t>(words);
        bytes_ += words * sizeof(uint64_t);
    }
    return tables;
}

int NoveltyTables::see(uint32_t partition, const NumberedAtoms& state, std::span<const int32_t> fresh) {
    Partition& tables = at(partition);
    effort_ += fresh.size();
    bool new_atom = false, new_pair = false;
    for (int32_t atom : fresh) new_atom |= claim(tables.atoms[number_[atom] / 64], number_[atom]);
    if (!tables.pairs.size()) return new_atom ? 1 : 3;
    effort_ += fresh.size() * state.size();
    for (int32_t atom : fresh) {
        new_pair |= claim_smaller(tables.pairs, state.words(), number_[atom]);
        new_pair |= claim_larger(tables.pairs, state.words(), number_[atom]);
    }
    return new_atom ? 1 : new_pair ? 2 : 3;
}

int NoveltyTables::see(uint32_t partition, const NumberedAtoms& state) {
    Partition& tables = at(partition);
    effort_ += state.size();
    const std::span<const uint64_t> words = state.words();
    const bool new_atom = !is_subset(words.data(), tables.atoms.data(), words.size());
    if (new_atom) include(tables.atoms.data(), words.data(), words.size());
    if (!tables.pairs.size()) return new_atom ? 1 : 3;
    effort_ += state.size() * state.size();
    bool new_pair = false;  // each pair is tested once, in the row of its larger number
    for_each_bit(words.data(), words.size(), [&](int32_t i) {
        new_pair |= claim_smaller(tables.pairs, words, static_cast<std::size_t>(i));
    });
    return new_atom ? 1 : new_pair ? 2 : 3;
}

}  // namespace goalward
