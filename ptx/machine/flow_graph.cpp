#include "ptx/machine/flow_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace smsim::ptx::machine {

namespace {

Graph successor_graph(const Function &function) {
    Graph graph;
    graph.reserve(function.blocks.size());
    for (const Block &block : function.blocks) {
        graph.push_back(successors(block));
    }
    return graph;
}

/// Dominators after Lengauer and Tarjan: semidominators from a depth-first search, with path compression. Nodes are
/// numbered in the order of the search.
class DominatorFinder {
  public:
    DominatorFinder(const Graph &graph, BlockIndex entry) : number_(graph.size(), kNoNode) {
        search(graph, entry);
        const auto count = static_cast<Node>(block_.size());
        label_.resize(count);
        semi_.resize(count);
        for (Node node = 0; node < count; ++node) {
            label_[node] = semi_[node] = node;
        }
        above_.assign(count, kNoNode);
        idom_.assign(count, 0);
        first_waiting_.assign(count, kNoNode);
        next_waiting_.assign(count, kNoNode);
    }

    std::vector<BlockIndex> run(const Graph &graph) {
        const Graph before = reversed(graph);
        for (auto node = static_cast<Node>(block_.size()); node-- > 1;) {
            for (const BlockIndex from : before[block_[node]]) {
                count_steps();
                if (number_[from] != kNoNode) {
                    semi_[node] = std::min(semi_[node], semi_[lowest(number_[from])]);
                }
            }
            next_waiting_[node] = std::exchange(first_waiting_[semi_[node]], node);
            above_[node] = parent_[node];
            for (Node waiting = std::exchange(first_waiting_[parent_[node]], kNoNode); waiting != kNoNode;
                 waiting = next_waiting_[waiting]) {
                const Node low = lowest(waiting);
                idom_[waiting] = semi_[low] < semi_[waiting] ? low : parent_[node];
            }
        }
        std::vector<BlockIndex> idom(number_.size(), kNoBlock);
        for (Node node = 0; node < block_.size(); ++node) {
            if (idom_[node] != semi_[node]) {
                idom_[node] = idom_[idom_[node]];
            }
            idom[block_[node]] = block_[idom_[node]];
        }
        return idom;
    }

  private:
    using Node = std::uint32_t;
    static constexpr Node kNoNode = 0xffffffff;

    void search(const Graph &graph, BlockIndex entry) {
        std::vector<std::pair<Node, std::size_t>> open;
        const auto enter = [&](BlockIndex block, Node parent) {
            number_[block] = static_cast<Node>(block_.size());
            open.emplace_back(number_[block], 0);
            block_.push_back(block);
            parent_.push_back(parent);
        };
        enter(entry, 0);
        while (!open.empty()) {
            auto &[node, next] = open.back();
            const std::vector<BlockIndex> &targets = graph[block_[node]];
            if (next == targets.size()) {
                open.pop_back();
            } else if (const BlockIndex to = targets[next++]; number_[to] == kNoNode) {
                enter(to, node);
            }
        }
    }

    /// The node with the lowest semidominator on the path from `node` up to, but excluding, the last one that has been
    /// processed.
    Node lowest(Node node) {
        if (above_[node] == kNoNode) {
            return node;
        }
        path_.clear();
        for (Node at = node; above_[above_[at]] != kNoNode; at = above_[at]) {
            count_steps();
            path_.push_back(at);
        }
        while (!path_.empty()) {
            const Node at = path_.back();
            path_.pop_back();
            const Node next = above_[at];
            if (semi_[label_[next]] < semi_[label_[at]]) {
                label_[at] = label_[next];
            }
            above_[at] = above_[next];
        }
        return label_[node];
    }

    std::vector<Node> number_;      ///< by block
    std::vector<BlockIndex> block_; ///< by node, as all below
    std::vector<Node> parent_;      ///< in the tree of the search
    std::vector<Node> label_;
    std::vector<Node> semi_;
    std::vector<Node> above_;
    std::vector<Node> idom_;
    std::vector<Node> first_waiting_; ///< nodes whose semidominator it is
    std::vector<Node> next_waiting_;
    std::vector<Node> path_; ///< temporary storage of `lowest`
};

/// Natural loops, inner ones before those around them: a loop that has been found counts as its header from then on,
/// so that every edge is followed once.
class LoopFinder {
  public:
    explicit LoopFinder(FlowGraph &graph)
        : graph_(graph), loop_with_(graph.successors.size(), kNoLoop), stands_for_(graph.successors.size()) {}

    void run() {
        for (const BlockIndex from : graph_.order) {
            for (const BlockIndex to : graph_.successors[from]) {
                if (graph_.position[to] > graph_.position[from]) {
                    continue;
                }
                if (graph_.dominates(to, from)) {
                    back_edge(from, to);
                } else {
                    graph_.reducible = false;
                }
            }
        }
        nest();
        list_blocks();
    }

  private:
    void back_edge(BlockIndex latch, BlockIndex header) {
        if (loop_with_[header] == kNoLoop) {
            loop_with_[header] = static_cast<LoopIndex>(graph_.loops.size());
            graph_.loops.push_back({.header = header, .latches = {}});
        }
        graph_.loops[loop_with_[header]].latches.push_back(latch);
    }

    /// Parents and innermost loops: of two loops with a common block, one contains the other, and the header of the
    /// outer one comes first.
    void nest() {
        std::iota(stands_for_.begin(), stands_for_.end(), BlockIndex{0});
        for (auto header = graph_.order.rbegin(); header != graph_.order.rend(); ++header) {
            if (loop_with_[*header] != kNoLoop) {
                collect(loop_with_[*header]);
            }
        }
        std::vector<LoopIndex> parents;
        for (const BlockIndex header : graph_.order) {
            if (const LoopIndex loop = loop_with_[header]; loop != kNoLoop) {
                const LoopIndex parent = graph_.loops[loop].parent;
                graph_.loops[loop].depth = parent == kNoLoop ? 1 : graph_.loops[parent].depth + 1;
            }
        }
        for (const Loop &loop : graph_.loops) {
            parents.push_back(loop.parent);
        }
        graph_.nesting = Forest(parents);
    }

    void collect(LoopIndex loop) {
        const BlockIndex header = graph_.loops[loop].header;
        graph_.loop_of[header] = loop;
        std::vector<BlockIndex> open = graph_.loops[loop].latches;
        while (!open.empty()) {
            const BlockIndex block = head_of(open.back());
            open.pop_back();
            count_steps();
            if (block == header || graph_.idom[block] == kNoBlock) {
                continue;
            }
            LoopIndex &around =
                graph_.loop_of[block] == kNoLoop ? graph_.loop_of[block] : graph_.loops[graph_.loop_of[block]].parent;
            around = loop;
            stands_for_[block] = header;
            open.insert(open.end(), graph_.predecessors[block].begin(), graph_.predecessors[block].end());
        }
    }

    /// The header of the outermost loop found so far that contains `block`, or the block itself.
    BlockIndex head_of(BlockIndex block) {
        while (stands_for_[block] != block) {
            stands_for_[block] = stands_for_[stands_for_[block]];
            block = stands_for_[block];
        }
        return block;
    }

    void list_blocks() {
        std::vector<std::size_t> &ends = graph_.loop_ends;
        ends.assign(graph_.loops.size(), 0);
        const auto number = [&](BlockIndex block) { return graph_.nesting.first(graph_.loop_of[block]); };
        for (const BlockIndex block : graph_.order) {
            if (graph_.loop_of[block] != kNoLoop) {
                ++ends[number(block)];
            }
        }
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        graph_.by_loop.resize(ends.empty() ? 0 : ends.back());
        std::vector<std::size_t> open = ends;
        for (auto block = graph_.order.rbegin(); block != graph_.order.rend(); ++block) {
            if (graph_.loop_of[*block] != kNoLoop) {
                graph_.by_loop[--open[number(*block)]] = *block;
            }
        }
    }

    FlowGraph &graph_;
    std::vector<LoopIndex> loop_with_;   ///< by header
    std::vector<BlockIndex> stands_for_; ///< by block, one that is nearer to its `head_of`
};

/// True for an empty block that only continues to another one.
bool is_passed_over(const Function &function, BlockIndex block) {
    const Block &at = function.blocks[block];
    return at.code.empty() && at.end.kind == EndKind::kFall && at.end.next != block;
}

/// Where a jump to `block` ends when empty blocks are skipped.
BlockIndex final_target(const Function &function, BlockIndex block) {
    for (std::size_t steps = 0; steps < function.blocks.size() && is_passed_over(function, block); ++steps) {
        count_steps();
        block = function.blocks[block].end.next;
    }
    return block;
}

bool is_plain_exit(const Block &block) {
    return block.code.empty() && block.end.kind == EndKind::kExit;
}

/// The same, but also redirects the empty blocks there, so that they are not walked again. Not in cycles of empty
/// blocks, nor before an end, which may replace them.
BlockIndex shortened_target(Function &function, BlockIndex block) {
    const BlockIndex target = final_target(function, block);
    if (!is_passed_over(function, target) && !is_plain_exit(function.blocks[target])) {
        while (block != target) {
            block = std::exchange(function.blocks[block].end.next, target);
        }
    }
    return target;
}

void guarded_exit(Block &block, const Operand &predicate, BlockIndex next) {
    block.code.push_back({.mnemonic = "EXIT", .guard = predicate, .line = block.end.line});
    block.end.kind = EndKind::kFall;
    block.end.next = next;
}

void simplify_ends(Function &function) {
    std::vector<std::uint32_t> position(function.blocks.size(), 0);
    const std::vector<BlockIndex> order = reverse_postorder(successor_graph(function), 0);
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        position[order[i]] = i;
    }
    for (BlockIndex index = 0; index < function.blocks.size(); ++index) {
        Block &block = function.blocks[index];
        for_each_edge(block, [&](BlockIndex &to) { to = shortened_target(function, to); });
        End &end = block.end;
        if (end.kind == EndKind::kBranch && end.taken == end.next) {
            end.kind = EndKind::kFall;
        }
        // A round of a loop ends with one branch rather than with an EXIT and a jump.
        const bool forward = end.kind == EndKind::kBranch && position[end.taken] > position[index] &&
                             position[end.next] > position[index];
        if (forward && is_plain_exit(function.blocks[end.taken])) {
            guarded_exit(block, end.predicate, end.next);
        } else if (forward && is_plain_exit(function.blocks[end.next])) {
            Operand opposite = end.predicate;
            opposite.negated = !opposite.negated;
            guarded_exit(block, opposite, end.taken);
        }
        if (end.kind == EndKind::kFall && is_plain_exit(function.blocks[end.next])) {
            end.kind = EndKind::kExit;
        }
    }
}

void drop_unreachable(Function &function) {
    const std::vector<BlockIndex> order = reverse_postorder(successor_graph(function), 0);
    std::vector<BlockIndex> renamed(function.blocks.size(), kNoBlock);
    std::vector<bool> reached(function.blocks.size(), false);
    for (const BlockIndex block : order) {
        reached[block] = true;
    }
    std::vector<Block> kept;
    for (BlockIndex block = 0; block < function.blocks.size(); ++block) {
        if (reached[block]) {
            renamed[block] = static_cast<BlockIndex>(kept.size());
            kept.push_back(std::move(function.blocks[block]));
        }
    }
    function.blocks = std::move(kept);
    for (Block &block : function.blocks) {
        for_each_edge(block, [&](BlockIndex &to) { to = renamed[to]; });
    }
}

void join_chains(Function &function) {
    const Graph before = reversed(successor_graph(function));
    std::vector<bool> goes(function.blocks.size(), false); // to the end of its only predecessor
    for (BlockIndex block = 1; block < function.blocks.size(); ++block) {
        goes[block] = before[block].size() == 1 && before[block].front() != block &&
                      function.blocks[before[block].front()].end.kind == EndKind::kFall;
    }
    for (BlockIndex block = 0; block < function.blocks.size(); ++block) { // from the first block of each chain
        while (!goes[block] && function.blocks[block].end.kind == EndKind::kFall) {
            const BlockIndex next = function.blocks[block].end.next;
            if (!goes[next]) {
                break;
            }
            Block taken = std::move(function.blocks[next]);
            function.blocks[next] = {.code = {}, .end = {.kind = EndKind::kStop}};
            auto &code = function.blocks[block].code;
            std::ranges::move(taken.code, std::back_inserter(code));
            function.blocks[block].end = std::move(taken.end);
        }
    }
}

/// Redirects the edges from the blocks `from` to `header` to a new block before it.
BlockIndex put_in_front(Function &function, BlockIndex header, const std::vector<BlockIndex> &from) {
    const BlockIndex front = function.add_block();
    function.blocks[front].end.next = header;
    function.blocks[front].end.line = function.blocks[header].end.line;
    for (const BlockIndex block : from) {
        for_each_edge(function.blocks[block], [&](BlockIndex &to) {
            if (to == header) {
                to = front;
            }
        });
    }
    return front;
}

} // namespace

Graph reversed(const Graph &graph) {
    Graph result(graph.size());
    for (BlockIndex from = 0; from < graph.size(); ++from) {
        for (const BlockIndex to : graph[from]) {
            result[to].push_back(from);
        }
    }
    return result;
}

std::vector<BlockIndex> reverse_postorder(const Graph &graph, BlockIndex entry) {
    std::vector<BlockIndex> order;
    std::vector<bool> seen(graph.size(), false);
    std::vector<std::pair<BlockIndex, std::size_t>> open = {{entry, 0}};
    seen[entry] = true;
    while (!open.empty()) {
        auto &[block, next] = open.back();
        if (next < graph[block].size()) {
            const BlockIndex to = graph[block][next++];
            if (!seen[to]) {
                seen[to] = true;
                open.emplace_back(to, 0);
            }
        } else {
            order.push_back(block);
            open.pop_back();
        }
    }
    std::ranges::reverse(order);
    return order;
}

std::vector<BlockIndex> dominators(const Graph &graph, BlockIndex entry) {
    return DominatorFinder(graph, entry).run(graph);
}

Forest::Forest(const std::vector<std::uint32_t> &parents) : first_(parents.size()), end_(parents.size()) {
    constexpr std::uint32_t kNone = 0xffffffff;
    const auto count = static_cast<std::uint32_t>(parents.size());
    std::vector<std::uint32_t> first_child(count, kNone);
    std::vector<std::uint32_t> next_child(count, kNone);
    const auto is_root = [&](std::uint32_t node) { return parents[node] == kNone || parents[node] == node; };
    for (std::uint32_t node = count; node-- > 0;) {
        if (!is_root(node)) {
            next_child[node] = std::exchange(first_child[parents[node]], node);
        }
    }
    std::uint32_t number = 0;
    for (std::uint32_t root = 0; root < count; ++root) {
        std::uint32_t node = is_root(root) ? root : kNone;
        if (node != kNone) {
            first_[node] = number++;
        }
        while (node != kNone) {
            const std::uint32_t child = std::exchange(first_child[node], kNone);
            if (child != kNone) {
                first_child[node] = next_child[child];
                node = child;
                first_[node] = number++;
            } else {
                end_[node] = number;
                node = node == root ? kNone : parents[node];
            }
        }
    }
}

std::vector<BlockIndex> FlowGraph::blocks_of(LoopIndex loop) const {
    if (loop == kNoLoop) {
        return order;
    }
    const std::uint32_t first = nesting.first(loop);
    const auto begin = static_cast<std::ptrdiff_t>(first == 0 ? 0 : loop_ends[first - 1]);
    const auto end = static_cast<std::ptrdiff_t>(loop_ends[nesting.end(loop) - 1]);
    std::vector<BlockIndex> found(by_loop.begin() + begin, by_loop.begin() + end);
    std::ranges::sort(found, {}, [&](BlockIndex block) { return position[block]; });
    count_steps(found.size());
    return found;
}

double FlowGraph::loop_weight(BlockIndex block) const {
    double weight = 1;
    for (LoopIndex loop = loop_of[block]; loop != kNoLoop; loop = loops[loop].parent) {
        weight *= 8;
    }
    return weight;
}

FlowGraph analyse(const Function &function) {
    FlowGraph graph;
    graph.successors = successor_graph(function);
    graph.predecessors = reversed(graph.successors);
    graph.order = reverse_postorder(graph.successors, 0);
    graph.position.assign(function.blocks.size(), 0);
    for (std::uint32_t i = 0; i < graph.order.size(); ++i) {
        graph.position[graph.order[i]] = i;
    }
    graph.idom = dominators(graph.successors, 0);
    graph.dominance = Forest(graph.idom);
    graph.loop_of.assign(function.blocks.size(), kNoLoop);
    LoopFinder(graph).run();
    return graph;
}

std::vector<std::uint32_t> numbers_along_ways(const FlowGraph &graph) {
    // Against the edges, from the first block in reverse postorder on: what is found first from a block leads to it
    // and past it, or has a number already.
    std::vector<std::uint32_t> number(graph.successors.size(), 0);
    std::uint32_t last = 0;
    for (const BlockIndex first : graph.order) {
        std::vector<BlockIndex> open = {first};
        last += number[first] == 0 ? 1 : 0;
        while (!open.empty()) {
            const BlockIndex block = open.back();
            open.pop_back();
            count_steps();
            if (number[block] == 0 && graph.idom[block] != kNoBlock) {
                number[block] = last;
                open.insert(open.end(), graph.predecessors[block].begin(), graph.predecessors[block].end());
            }
        }
    }
    return number;
}

void tidy(Function &function) {
    simplify_ends(function);
    drop_unreachable(function);
    join_chains(function);
    simplify_ends(function);
    drop_unreachable(function);
}

void thread_jumps(Function &function) {
    for (Block &block : function.blocks) {
        End &end = block.end;
        if ((end.kind == EndKind::kBranch || end.kind == EndKind::kFall) && !end.next_written) {
            end.next = final_target(function, end.next);
        }
        if (end.kind == EndKind::kBranch && !end.taken_written) {
            end.taken = final_target(function, end.taken);
        }
    }
}

void normalise_loops(Function &function) {
    const FlowGraph graph = analyse(function);
    for (const Loop &loop : graph.loops) {
        std::vector<BlockIndex> outside;
        for (const BlockIndex from : graph.predecessors[loop.header]) {
            if (!graph.dominates(loop.header, from)) { // otherwise it is a latch
                outside.push_back(from);
            }
        }
        const bool direct = outside.size() == 1 && graph.successors[outside[0]].size() == 1;
        if (!direct && loop.header != 0) {
            put_in_front(function, loop.header, outside);
        }
        const bool one_latch = loop.latches.size() == 1 && graph.successors[loop.latches[0]].size() == 1;
        if (!one_latch) {
            put_in_front(function, loop.header, loop.latches);
        }
    }
}

} // namespace smsim::ptx::machine
