#include "search/engines/portfolio.hpp"

#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "search/engines/agenda_search.hpp"
#include "search/heuristics/ff_guide.hpp"
#include "search/landmarks/count.hpp"
#include "search/engines/novelty_search.hpp"
#include "search/engines/queue_search.hpp"
#include "search/engines/turns.hpp"

namespace goalward {

namespace {

void check(std::span<const PortfolioPart> parts, const Evaluator* network) {
    if (parts.empty()) throw std::invalid_argument("a portfolio has at least one part");
    for (const PortfolioPart& part : parts) {
        if (part.needs_network() && !network) throw std::invalid_argument("a part of the portfolio needs a network");
        if (part.batch < 1 || !(part.share > 0)) throw std::invalid_argument("a batch or a share is not above 0");
    }
}

// Makes the searches; what guides them lives as long as it does.
class Maker {
public:
    Maker(Guidance& guidance, Evaluator* network, uint64_t expansion_limit, Budget& budget, bool several)
        : guidance_(guidance), network_(network), expansion_limit_(expansion_limit), budget_(budget), several_(several) {}

    std::unique_ptr<TurnSearch> make(const PortfolioPart& part) {
        const Goal& goal = guidance_.problem->goal();
        if (part.kind == PartKind::novelty)
            return std::make_unique<NoveltySearch>(guidance_.relaxation, goal, part.name, expansion_limit_, budget_);
        if (part.kind == PartKind::agenda)
            return std::make_unique<AgendaSearch>(guidance_, part.name, expansion_limit_, budget_);
        std::vector<Guide*> guides;
        if (part.kind != PartKind::network) {
            guides.push_back(keep(std::make_unique<FFGuide>(guidance_.relaxation)));
            guides.push_back(keep(std::make_unique<LandmarkGuide>(guidance_.landmarks)));
        }
        const QueueSearchOptions options{
            .prefix = several_ ? part.name + ": " : "", .batch = part.batch, .expansion_limit = expansion_limit_};
        return std::make_unique<QueueSearch>(*guidance_.problem, goal, std::move(guides),
                                             part.needs_network() ? network_ : nullptr, options, budget_);
    }

private:
    Guide* keep(std::unique_ptr<Guide> guide) { return guides_.emplace_back(std::move(guide)).get(); }

    Guidance& guidance_;
    Evaluator* network_;
    uint64_t expansion_limit_;
    Budget& budget_;
    bool several_;
    std::vector<std::unique_ptr<Guide>> guides_;
};

}  // namespace

SearchResult portfolio_search(Guidance& guidance, Evaluator* network, std::span<const PortfolioPart> parts,
                              std::span<const int32_t> init, const SearchOptions& options,
                              const std::function<bool(const Statistics&)>& heartbeat) {
    check(parts, network);
    if (network && &network->problem() != guidance.problem.get())
        throw std::invalid_argument("the network was made for another problem than the guides");
    std::function<Statistics()> totals;
    Budget budget(options.time_limit, options.memory_limit, options.at_once, [&] { return !heartbeat || heartbeat(totals()); });
    Maker maker(guidance, network, options.expansion_limit, budget, parts.size() > 1);
    Turns turns;
    totals = [&] {
        Statistics total = turns.statistics();
        total.seconds = budget.elapsed();
        return total;
    };
    for (const PortfolioPart& part : parts) turns.add([&maker, &part] { return maker.make(part); }, part.share, part.delay);
    SearchResult result;
    std::optional<Status> status;
    try {
        while (!status) status = turns.advance(init);
    } catch (const OutOfBudget&) {
        status = status_of(budget.why());
    } catch (const std::bad_alloc&) {
        status = Status::out_of_memory;
    } catch (const std::length_error&) {  // more states than there are numbers for
        status = Status::out_of_memory;
    }
    result.status = *status;
    result.statistics = totals();
    if (result.status == Status::solved) {
        result.plan = turns.last().plan();
        result.statistics.led_by = turns.last().led_by();
    }
    return result;
}

}  // namespace goalward
