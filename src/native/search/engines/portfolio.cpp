#include "search/engines/portfolio.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include "search/engines/agenda_search.hpp"
#include "search/engines/hybrid_search.hpp"
#include "search/engines/lazy_search.hpp"
#include "search/engines/novelty_search.hpp"
#include "search/engines/run.hpp"

namespace goalward {

namespace {

void check(std::span<const PortfolioPart> parts, const Heuristic* network) {
    if (parts.empty()) throw std::invalid_argument("a portfolio must have at least one part");
    for (const PortfolioPart& part : parts) {
        if (part.needs_network() && !network) throw std::invalid_argument("a part of the portfolio needs a network");
        if (part.batch < 1 || !(part.share > 0)) throw std::invalid_argument("batch and share must be above 0");
        if (!(part.weight >= 0)) throw std::invalid_argument("weight must be at least 0");
    }
}

std::unique_ptr<Search> make(const PortfolioPart& part, const Guidance& guidance, const Heuristic* network,
                             const SearchOptions& options, bool several, Budget& budget) {
    const Problem& problem = guidance.problem();
    const Goal& goal = problem.goal();
    const std::string prefix = several ? part.name + ": " : "";
    const GuidedOptions guided{.prefix = prefix, .expansion_limit = options.expansion_limit};
    switch (part.kind) {
        case PartKind::guided:
            return std::make_unique<LazySearch>(problem, goal, guidance.guides(goal, options.unit_costs), guided, budget);
        case PartKind::hybrid:
            return std::make_unique<HybridSearch>(goal, guidance.guides(goal, options.unit_costs), *network, part.batch,
                                                  guided, budget);
        case PartKind::network: {
            SearchOptions alone;
            alone.greedy = part.weight == 0;
            alone.weight = part.weight;
            alone.unit_costs = network->unit_costs().value_or(options.unit_costs);
            alone.expansion_limit = options.expansion_limit;
            alone.prunes = network->safe();
            const std::string queue = prefix + (alone.greedy ? "network" : "weighted A*");
            return make_best_first(*network, alone, part.batch, queue, budget);
        }
        case PartKind::novelty:
            return std::make_unique<NoveltySearch>(problem, guidance.relaxed(options.unit_costs), goal, part.name,
                                                   options.expansion_limit, budget);
        case PartKind::agenda:
            return std::make_unique<AgendaSearch>(guidance, part.name, options.expansion_limit, budget);
    }
    throw std::invalid_argument("unknown kind of part");
}

}  // namespace

SearchResult portfolio_search(const Guidance& guidance, const Heuristic* network, std::span<const PortfolioPart> parts,
                              std::span<const int32_t> init, const SearchOptions& options,
                              const std::function<bool(const Statistics&)>& heartbeat) {
    check(parts, network);
    if (network && &network->problem() != &guidance.problem())
        throw std::invalid_argument("the network and the guides are for different problems");
    return run_searches(options, init, heartbeat, [&](Scheduler& scheduler) {
        for (const PortfolioPart& part : parts)
            scheduler.add(part.name, [&, several = parts.size() > 1](Budget& budget) {
                return make(part, guidance, network, options, several, budget);
            }, part.share, part.delay);
    });
}

}  // namespace goalward
