#include "tb/fuzz/programs/shrink.h"

#include <algorithm>

namespace smsim::fuzz {
namespace {

class Shrinker {
  public:
    Shrinker(Tree tree, const std::function<bool(const Tree &)> &fails, unsigned attempts)
        : best_(std::move(tree)), fails_(fails), left_(attempts) {}

    Tree run() {
        bool smaller = true;
        while (smaller && left_ > 0) {
            smaller = grid();
            smaller |= cut_chunks();
            smaller |= hoist();
        }
        return best_;
    }

  private:
    bool try_tree(const Tree &tree) {
        if (left_ == 0) {
            return false;
        }
        --left_;
        if (!fails_(tree)) {
            return false;
        }
        best_ = tree;
        return true;
    }

    bool grid() {
        bool any = false;
        const auto with = [&](auto change) {
            Tree tree = best_;
            change(tree);
            any |= try_tree(tree);
        };
        if (best_.ctas > 1) {
            with([](Tree &tree) { tree.ctas = 1; });
        }
        for (const std::uint32_t threads : {1U, 2U, 3U, 4U, 8U, 32U, 33U, 64U}) {
            if (threads < best_.threads) {
                with([&](Tree &tree) { tree.threads = threads; });
                if (best_.threads == threads) {
                    break;
                }
            }
        }
        if (best_.trap_handler) {
            with([](Tree &tree) { tree.trap_handler = false; });
        }
        return any;
    }

    /// All blocks of a tree, outer ones first.
    static void collect(Block &block, std::vector<Block *> &all) {
        all.push_back(&block);
        for (Node &node : block) {
            for (Block &inner : node.blocks) {
                collect(inner, all);
            }
        }
    }
    static std::vector<Block *> blocks_of(Tree &tree) {
        std::vector<Block *> all;
        collect(tree.body, all);
        for (Block &function : tree.functions) {
            collect(function, all);
        }
        return all;
    }

    /// Removes runs of statements, long ones first.
    bool cut_chunks() {
        bool any = false;
        for (std::size_t chunk = 16; chunk > 0; chunk /= 2) {
            for (std::size_t b = 0; b < blocks_of(best_).size(); ++b) {
                std::size_t at = 0;
                while (true) {
                    Tree tree = best_;
                    const auto blocks = blocks_of(tree);
                    if (b >= blocks.size() || at >= blocks[b]->size()) {
                        break;
                    }
                    Block &block = *blocks[b];
                    const auto first = block.begin() + static_cast<std::ptrdiff_t>(at);
                    block.erase(first, first + static_cast<std::ptrdiff_t>(std::min(chunk, block.size() - at)));
                    if (try_tree(tree)) {
                        any = true;
                    } else {
                        at += chunk;
                    }
                    if (left_ == 0) {
                        return any;
                    }
                }
            }
        }
        return any;
    }

    /// Replaces a statement by the statements of one of its inner blocks.
    bool hoist() {
        bool any = false;
        for (std::size_t b = 0; b < blocks_of(best_).size(); ++b) {
            for (std::size_t at = 0; left_ > 0; ++at) {
                Tree tree = best_;
                const auto blocks = blocks_of(tree);
                if (b >= blocks.size() || at >= blocks[b]->size()) {
                    break;
                }
                Block &block = *blocks[b];
                if (block[at].blocks.empty()) {
                    continue;
                }
                Block inner;
                for (Block &part : block[at].blocks) {
                    inner.insert(inner.end(), part.begin(), part.end());
                }
                block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
                block.insert(block.begin() + static_cast<std::ptrdiff_t>(at), inner.begin(), inner.end());
                any |= try_tree(tree);
            }
        }
        return any;
    }

    Tree best_;
    const std::function<bool(const Tree &)> &fails_;
    unsigned left_;
};

} // namespace

Tree shrink(Tree tree, const std::function<bool(const Tree &)> &fails, unsigned attempts) {
    return Shrinker(std::move(tree), fails, attempts).run();
}

} // namespace smsim::fuzz
