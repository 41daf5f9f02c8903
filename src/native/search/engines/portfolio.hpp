// Searches that take turns until one of them ends: with h_FF and landmarks, by novelty, goal by goal, with a network
// beside h_FF and landmarks, with the network alone.
//
// Turns go by counted effort, not by the clock, so a portfolio does the same on every run. Each search has states of its
// own and begins with its first turn, so that what one search solves at once never waits for another.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "search/engines/best_first.hpp"
#include "search/engines/guidance.hpp"

namespace goalward {

enum class PartKind {
    guided,   // with h_FF and landmarks
    hybrid,   // with h_FF, landmarks and the network
    network,  // with the network alone
    novelty,  // by what is new in a state
    agenda,   // goal by goal
};

struct PortfolioPart {
    std::string name;  // where there are several parts, the names of its queues begin with it
    PartKind kind;
    int batch;       // see QueueSearchOptions
    double share;    // see Turns
    uint64_t delay;  // see Turns

    bool needs_network() const { return kind == PartKind::hybrid || kind == PartKind::network; }
};

// `network`, made for the same problem, may be null if no part asks for it. Of the options only the limits count. They
// hold for all parts together, except that the limit on expansions is one on each, and the first to reach it ends all.
SearchResult portfolio_search(Guidance& guidance, Evaluator* network, std::span<const PortfolioPart> parts,
                              std::span<const int32_t> init, const SearchOptions& options,
                              const std::function<bool(const Statistics&)>& heartbeat);

}  // namespace goalward
