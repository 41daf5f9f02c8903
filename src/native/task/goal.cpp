#include "task/goal.hpp"

#include <map>
#include <utility>

namespace goalward {

Goal::Goal(std::vector<int32_t> atoms, const Packing& packing) : atoms_(std::move(atoms)) {
    std::erase_if(atoms_, [&](int32_t atom) { return packing.slot(atom).variable < 0; });
    std::map<uint32_t, Test> tests;
    for (int32_t atom : atoms_) {
        const Packing::Slot s = packing.slot(atom);
        const Packing::Variable v = packing.layout(s.variable);
        Test& t = tests.try_emplace(v.word, Test{v.word, 0, 0}).first->second;
        t.mask |= v.mask << v.shift;
        t.bits |= static_cast<uint32_t>(s.value) << v.shift;
    }
    for (const auto& [word, test] : tests) tests_.push_back(test);
}

}  // namespace goalward
