#include "search/improve/suffixes.hpp"

#include <algorithm>

namespace goalward {

Suffixes::Suffixes(const Problem& problem, const Path& path)
    : packing_(&problem.packing()), n_(path.length()), n_words_(packing_->n_words()), mask_(n_words_ * (n_ + 1)),
      bits_(n_words_ * (n_ + 1)) {
    Word* mask = mask_.data() + n_words_ * n_;
    Word* bits = bits_.data() + n_words_ * n_;
    const auto need = [&](int32_t atom) {
        const Packing::Slot s = packing_->slot(atom);
        const Packing::Variable v = packing_->layout(s.variable);
        mask[v.word] |= v.mask << v.shift;
        bits[v.word] |= static_cast<Word>(s.value) << v.shift;
    };
    const auto release = [&](int32_t atom) {
        if (!packing_->holds(bits, atom)) return;
        const Packing::Variable v = packing_->layout(packing_->slot(atom).variable);
        mask[v.word] &= ~(v.mask << v.shift);
        bits[v.word] &= ~(v.mask << v.shift);
    };
    for (int32_t atom : problem.goal().atoms()) need(atom);
    for (int j = n_; j-- > 0;) {
        std::copy_n(mask, n_words_, mask - n_words_);
        std::copy_n(bits, n_words_, bits - n_words_);
        mask -= n_words_;
        bits -= n_words_;
        const Problem::Operator op = problem.op(path.op(j));
        for (int32_t atom : op.add) release(atom);
        for (int32_t atom : op.pre) need(atom);
    }
}

void SuffixIndex::make_blocks() {
    for (int p = 0; p <= n_; p += 64) blocks_.push_back(make_block(p));
}

SuffixIndex::Block SuffixIndex::make_block(int first_position) const {
    const int size = std::min(64, n_ + 1 - first_position);
    const uint64_t all = ~uint64_t{0} >> (64 - size);
    const auto at = [&](int p) { return static_cast<std::size_t>(n_ - first_position - p) * n_words_; };
    // Neighbouring suffixes differ in few variables. Only these need an entry for each suffix.
    std::vector<Word> tested(n_words_), changed(n_words_);
    for (int p = 0; p < size; ++p)
        for (std::size_t w = 0; w < n_words_; ++w) {
            tested[w] |= mask_[at(p) + w];
            changed[w] |= bits_[at(p) + w] ^ bits_[at(0) + w];
        }
    Block block;
    for (int v = 0; v < packing_->n_variables(); ++v) {
        const Packing::Variable layout = packing_->layout(v);
        const Word bits_of_variable = layout.mask << layout.shift;
        if (!(tested[layout.word] & bits_of_variable)) continue;
        const auto value = [&](int p) { return (bits_[at(p) + layout.word] & bits_of_variable) >> layout.shift; };
        const auto table = static_cast<uint32_t>(block.table.size());
        block.table.resize(table + packing_->domain_size(v));
        if (changed[layout.word] & bits_of_variable)
            for (int p = 0; p < size; ++p) block.table[table + value(p)] |= uint64_t{1} << p;
        else
            block.table[table + value(0)] = all;
        const uint64_t without_condition = block.table[table] | ~all;  // value 0: no condition on the variable
        for (std::size_t i = table; i < block.table.size(); ++i) block.table[i] |= without_condition;
        block.tests.push_back({layout, table});
    }
    return block;
}

}  // namespace goalward
