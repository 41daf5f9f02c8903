// A portfolio of searches that share the time until one of them ends.
//
// The time is shared by counted effort and not by the clock, so that portfolios are repeatable (scheduler.hpp). Each
// search stores its own states.
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
    novelty,  // best-first width search
    agenda,   // goal agenda search
};

struct PortfolioPart {
    std::string name;  // prefix of the names of its queues if there are several parts
    PartKind kind;
    int batch;       // number of states that are expanded before the network evaluates their children together
    double weight;   // of the network alone: weighted A* with this weight; 0: greedy search
    double share;    // see Scheduler
    uint64_t delay;  // see Scheduler

    bool needs_network() const { return kind == PartKind::hybrid || kind == PartKind::network; }
};

// `network`, which must be for the same problem, may be null if no part needs it. Only costs, cores and limits of the
// options are used. The limits hold for all parts together, except that each part has its own expansion limit; the
// first part that reaches it ends all.
SearchResult portfolio_search(const Guidance& guidance, const Heuristic* network, std::span<const PortfolioPart> parts,
                              std::span<const int32_t> init, const SearchOptions& options,
                              const std::function<bool(const Statistics&)>& heartbeat);

}  // namespace goalward
