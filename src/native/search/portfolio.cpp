#include "search/portfolio.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/ff_guide.hpp"
#include "search/landmark_count.hpp"
#include "search/novelty_search.hpp"
#include "search/queue_search.hpp"

namespace goalward {

namespace {

constexpr uint64_t shortest_turn = 5'000'000;  // in units of effort, which are about nanoseconds
constexpr uint64_t turns_so_far = 16;  // later turns are this part of the effort so far, so that there are not too many

class Member {
public:
    Member(const PortfolioPart& part, std::string prefix, Guidance& guidance, Evaluator* network,
           uint64_t expansion_limit, Budget& budget)
        : part_(part), prefix_(std::move(prefix)), guidance_(guidance), network_(network),
          expansion_limit_(expansion_limit), budget_(budget) {}

    // Effort so far in proportion to the share; the member with the lowest number is next.
    double due() const {
        return static_cast<double>(part_.delay) + (search_ ? static_cast<double>(search_->effort()) / part_.share : 0);
    }
    std::optional<Status> take_turn(std::span<const int32_t> init, uint64_t effort) {
        if (!search_) {
            begin();
            if (const auto status = search_->start(init)) return status;
        }
        return search_->advance(effort);
    }
    TurnSearch* search() { return search_.get(); }

private:
    // A search begins with its first turn: short searches never pay for the others.
    void begin() {
        if (part_.novelty) {
            search_ = std::make_unique<NoveltySearch>(guidance_.relaxation, part_.name, expansion_limit_, budget_);
            return;
        }
        if (part_.guided) {
            guides_.push_back(std::make_unique<FFGuide>(guidance_.relaxation));
            guides_.push_back(std::make_unique<LandmarkGuide>(guidance_.landmarks));
        }
        std::vector<Guide*> guides;
        for (const auto& guide : guides_) guides.push_back(guide.get());
        const QueueSearchOptions options{
            .prefix = prefix_, .batch = part_.batch, .expansion_limit = expansion_limit_};
        search_ = std::make_unique<QueueSearch>(*guidance_.problem, std::move(guides), part_.network ? network_ : nullptr,
                                                options, budget_);
    }

    PortfolioPart part_;
    std::string prefix_;
    Guidance& guidance_;
    Evaluator* network_;
    uint64_t expansion_limit_;
    Budget& budget_;
    std::vector<std::unique_ptr<Guide>> guides_;
    std::unique_ptr<TurnSearch> search_;
};

void check(std::span<const PortfolioPart> parts, const Evaluator* network) {
    if (parts.empty()) throw std::invalid_argument("a portfolio has at least one part");
    for (const PortfolioPart& part : parts) {
        if (part.network && !network) throw std::invalid_argument("a part of the portfolio needs a network");
        if (part.novelty ? part.network || part.guided : !part.network && !part.guided)
            throw std::invalid_argument("a part of the portfolio has heuristics, or goes by novelty alone");
        if (part.batch < 1 || !(part.share > 0)) throw std::invalid_argument("a batch or a share is not above 0");
    }
}

}  // namespace

SearchResult portfolio_search(Guidance& guidance, Evaluator* network, std::span<const PortfolioPart> parts,
                              std::span<const int32_t> init, const SearchOptions& options,
                              const std::function<bool(const Statistics&)>& heartbeat) {
    check(parts, network);
    if (network && &network->problem() != guidance.problem.get())
        throw std::invalid_argument("the network was made for another problem than the guides");
    std::vector<Member> members;
    Budget* clock = nullptr;
    const auto totals = [&] {
        Statistics total;
        for (Member& member : members) {
            if (!member.search()) continue;
            if (&member == &members.front())
                total = member.search()->statistics();
            else
                total.add(member.search()->statistics());
        }
        total.seconds = clock->elapsed();
        return total;
    };
    Budget budget(options.time_limit, options.memory_limit, options.at_once, [&] { return !heartbeat || heartbeat(totals()); });
    clock = &budget;
    for (const PortfolioPart& part : parts)
        members.emplace_back(part, parts.size() > 1 ? part.name + ": " : "", guidance, network, options.expansion_limit,
                             budget);
    SearchResult result;
    std::optional<Status> status;
    Member* last = nullptr;
    try {
        for (uint64_t done = 0; !status;) {
            last = &*std::min_element(members.begin(), members.end(),
                                      [](const Member& a, const Member& b) { return a.due() < b.due(); });
            const uint64_t turn = members.size() == 1 ? UINT64_MAX : std::max(shortest_turn, done / turns_so_far);
            status = last->take_turn(init, turn);
            done += turn;
        }
    } catch (const std::bad_alloc&) {
        status = Status::out_of_memory;
    } catch (const std::length_error&) {  // more states than there are numbers for
        status = Status::out_of_memory;
    }
    result.status = *status;
    result.statistics = totals();
    if (result.status == Status::solved) {
        result.plan = last->search()->plan();
        result.statistics.led_by = last->search()->led_by();
    }
    return result;
}

}  // namespace goalward
