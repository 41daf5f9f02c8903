// Searches that share the time until one of them ends: with h_FF and landmarks, by novelty, goal by goal, with a network
// beside h_FF and landmarks, with the network alone.
//
// They share it by counted effort, not by the clock, so a portfolio does the same on every run (scheduler.hpp). Each search
// has states of its own.
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
    std::string name;  // if there are several parts, the names of its queues begin with it
    PartKind kind;
    int batch;       // states that are expanded before the network evaluates their children together
    double share;    // see Scheduler
    uint64_t delay;  // see Scheduler

    bool needs_network() const { return kind == PartKind::hybrid || kind == PartKind::network; }
};

// `network`, made for the same problem, may be null if no part needs it. Of the options, costs, cores and limits count. The
// limits hold for all parts together, except that the limit on expansions is one on each, and the first to reach it ends
// all.
SearchResult portfolio_search(const Guidance& guidance, const Heuristic* network, std::span<const PortfolioPart> parts,
                              std::span<const int32_t> init, const SearchOptions& options,
                              const std::function<bool(const Statistics&)>& heartbeat);

}  // namespace goalward
