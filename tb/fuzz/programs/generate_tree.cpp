#include "tb/fuzz/programs/generate_tree.h"

#include <span>

#include "tb/fuzz/programs/random.h"

namespace smsim::fuzz {
namespace {

struct Weight {
    Kind kind;
    std::uint32_t weight;
};

/// Statements for any place.
constexpr Weight kPlain[] = {
    {Kind::kCompute, 20},
    {Kind::kPrivate, 7},
    {Kind::kGather, 3},
    {Kind::kAtomic, 5},
    {Kind::kIf, 14},
    {Kind::kLoop, 7},
    {Kind::kSwitch, 4},
    {Kind::kCall, 4},
    {Kind::kBreakOut, 4},
    {Kind::kExit, 2},
    {Kind::kYield, 4},
    {Kind::kSleep, 6},
    {Kind::kBarrierRegister, 6},
    {Kind::kNothing, 4},
    {Kind::kTrap, 3},
    {Kind::kLock, 2},
    {Kind::kEither, 3},
};

/// Statements for places where threads can meet.
constexpr Weight kTeam[] = {
    {Kind::kMeet, 6},    {Kind::kExchange, 5}, {Kind::kKnownBranch, 5}, {Kind::kChain, 2},
    {Kind::kBarrier, 5}, {Kind::kReduce, 5},   {Kind::kProducer, 3},    {Kind::kPartBarrier, 5},
    {Kind::kContext, 2}, {Kind::kLate, 2},     {Kind::kButterfly, 2},
};

Kind draw(Random &random, std::span<const Weight> weights) {
    std::uint32_t sum = 0;
    for (const Weight &w : weights) {
        sum += w.weight;
    }
    std::uint32_t at = random.below(sum);
    for (const Weight &w : weights) {
        if (at < w.weight) {
            return w.kind;
        }
        at -= w.weight;
    }
    return Kind::kNothing;
}

class Grower {
  public:
    Grower(Random &random, unsigned budget) : random_(random), budget_(budget) {}

    Block block(unsigned depth, unsigned most, bool team) {
        Block result;
        const unsigned count = random_.between(1, most);
        for (unsigned i = 0; i < count && budget_ > 0; ++i) {
            result.push_back(node(depth, team));
        }
        return result;
    }

  private:
    Node node(unsigned depth, bool team) {
        --budget_;
        Node result;
        const bool wants_team = team && random_.chance(depth == 0 ? 35 : 18);
        result.kind = wants_team ? draw(random_, kTeam) : draw(random_, kPlain);
        for (std::uint32_t &p : result.p) {
            p = static_cast<std::uint32_t>(random_.next());
        }
        if (depth >= 4) {
            return result; // compound statements without blocks
        }
        switch (result.kind) {
        case Kind::kIf:
            result.blocks.push_back(block(depth + 1, 4, team));
            if (random_.chance(60)) {
                result.blocks.push_back(block(depth + 1, 3, team));
            }
            break;
        case Kind::kLoop:
            result.blocks.push_back(block(depth + 1, 4, team));
            break;
        case Kind::kSwitch:
            for (unsigned i = random_.between(2, 4); i > 0; --i) {
                result.blocks.push_back(block(depth + 1, 2, false));
            }
            break;
        case Kind::kEither:
            result.blocks.push_back(block(depth + 2, 2, false));
            break;
        case Kind::kLock:
            result.blocks.push_back(block(4, 2, false));
            break;
        default:
            break;
        }
        return result;
    }

    Random &random_;
    unsigned budget_;
};

} // namespace

Tree grow(std::uint64_t seed) {
    Random random(seed * 0x2545f4914f6cdd1d + 0x1234567);
    Tree tree;
    tree.data_seed = random.next();
    unsigned budget = random.between(4, 26);
    std::uint32_t warps = 1;
    switch (random.below(40)) {
    case 0:
        warps = random.between(9, 32);
        budget = random.between(3, 8);
        break;
    case 1:
    case 2:
        warps = random.between(4, 8);
        budget = random.between(4, 14);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        warps = random.between(2, 4);
        break;
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
        warps = 2;
        break;
    default:
        break;
    }
    tree.threads = warps * 32;
    if (random.chance(40)) {
        tree.threads -= random.chance(30) ? random.between(25, 31) : random.below(32);
    }
    if (warps <= 4 && random.chance(25)) {
        tree.ctas = random.between(2, 3);
    }
    tree.trap_handler = random.chance(25);
    Grower grower(random, budget);
    const unsigned functions = random.chance(40) ? random.between(1, 2) : 0;
    for (unsigned i = 0; i < functions; ++i) {
        tree.functions.push_back(grower.block(2, 3, false));
    }
    tree.body = grower.block(0, 14, true);
    return tree;
}

} // namespace smsim::fuzz
