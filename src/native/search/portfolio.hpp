// Searches that take turns until one of them ends: with h_FF and landmarks, by novelty, with a network beside h_FF and
// landmarks, with the network alone.
//
// Turns go by counted effort, not by the clock, so a portfolio does the same on every run. Each search has states of its
// own and begins with its first turn, so that what one search solves at once never waits for another.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "search/best_first.hpp"
#include "search/guidance.hpp"

namespace goalward {

struct PortfolioPart {
    std::string name;  // where there are several parts, the names of its queues begin with it
    bool guided;       // with h_FF and landmarks
    bool network;
    bool novelty;  // by what is new in a state, and with nothing else
    int batch;     // see QueueSearchOptions
    double share;  // of the effort that all parts take together, relative to the others
    // A head start for the others: the part begins when the effort of every part that has begun, divided by its share,
    // has reached this.
    uint64_t delay;
};

// `network`, made for the same problem, may be null if no part asks for it. Of the options only the limits count. They
// hold for all parts together, except that the limit on expansions is one on each, and the first to reach it ends all.
SearchResult portfolio_search(Guidance& guidance, Evaluator* network, std::span<const PortfolioPart> parts,
                              std::span<const int32_t> init, const SearchOptions& options,
                              const std::function<bool(const Statistics&)>& heartbeat);

}  // namespace goalward
