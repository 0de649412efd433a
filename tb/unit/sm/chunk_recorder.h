// Plays the load/store unit and two memories for a transfer, without simulation: performs each chunk as it is sent, and
// returns the answers when the access has been started: in the order of the chunks, or in another order given by the
// test.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/protocol/atomic.h"
#include "sm/load_store/transfer.h"
#include "tb/unit/sm/memory_instructions.h"

namespace smsim::sm {

/// `request.address[t]` becomes base + t * stride.
inline void set_addresses(MemoryRequest &request, std::uint64_t base, std::uint64_t stride) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        request.address[lane] = base + lane * stride;
    }
}

/// One access after another.
class ChunkRecorder final : public ChunkSink {
  public:
    explicit ChunkRecorder(Transfer &transfer) : transfer_(transfer) {}

    /// Memory of each side, and what was sent: "shared R|W|A address+bytes", with the enabled bytes of a sparse write.
    std::vector<unsigned char> shared = std::vector<unsigned char>(8192);
    std::vector<unsigned char> global = std::vector<unsigned char>(8192);
    std::vector<std::string> log;
    std::vector<int> phases;                 ///< of the chunks that were sent, -1 where the access has none
    std::vector<std::uint32_t> phase_counts; ///< for those sent in phases: how many they represent
    std::vector<std::uint32_t> path_cycles;  ///< and for how many cycles the access takes its data path
    std::vector<bool> full_passes;           ///< and whether the first pass of a phase takes the path as any other
    bool performs_atomics = true;
    /// The chunks of the start of an access by number, in the order of their answers; empty: as they were sent.
    std::vector<std::size_t> answer_order;
    TransferState state;

    template <typename T> static T get(const std::vector<unsigned char> &memory, std::uint64_t address) {
        T value;
        std::memcpy(&value, &memory.at(address), sizeof(T));
        return value;
    }
    template <typename T> static void put(std::vector<unsigned char> &memory, std::uint64_t address, T value) {
        std::memcpy(&memory.at(address), &value, sizeof(T));
    }

    /// Performs the whole access; returns the fault of the check, or of the chunks beyond a memory ("" for none).
    std::string run(MemoryRequest &request) {
        Transfer::Checked checked;
        if (const auto fault = transfer_.check(request, checked)) {
            return fmt::format("{}: {}", fault_name(fault->fault), fault->detail);
        }
        state = {};
        state.request = &request;
        started = transfer_.start(state, checked, *this);
        if (state.alone) {
            EXPECT_TRUE(sent_.empty()) << "it waits for its turn";
            transfer_.resume(state, *this);
        }
        if (!answer_order.empty()) {
            std::deque<Chunk *> ordered;
            for (const std::size_t number : answer_order) {
                ordered.push_back(sent_.at(number));
            }
            EXPECT_EQ(ordered.size(), sent_.size()) << "each chunk is answered once";
            sent_ = std::move(ordered);
        }
        while (!sent_.empty()) { // an answer may send more
            const Chunk &chunk = *sent_.front();
            sent_.pop_front();
            answer(chunk);
        }
        return state.failed ? fmt::format("{}: {}", fault_name(state.fault.fault), state.fault.detail) : "";
    }
    Transfer::Started started;

    Chunk &next() override {
        Chunk &chunk = chunks_.emplace_back();
        chunk.data.fill(0xee);
        chunk.enables.fill(0xee);
        return chunk;
    }
    /// How many of the transactions that accompany a chunk are performed at once, as far as the memory has their bytes.
    std::size_t takes = 0;
    std::size_t taken = 0; ///< so far

    std::size_t send(Chunk &chunk, std::span<MemoryRow> following) override {
        auto &memory = chunk.to == MemorySide::kShared ? shared : global;
        note(chunk, chunk.address, chunk.bytes, chunk.sparse ? chunk.enables.data() : nullptr);
        phases.push_back(chunk.phased ? static_cast<int>(chunk.phase) : -1);
        if (chunk.phased) {
            phase_counts.push_back(chunk.phases);
            path_cycles.push_back(chunk.path_cycles);
            full_passes.push_back(chunk.full_passes);
        }
        EXPECT_EQ(chunk.after_answers,
                  chunk.part == Chunk::Part::kModifyRead || chunk.part == Chunk::Part::kModifyWrite);
        sent_.push_back(&chunk);
        if (chunk.address + chunk.bytes > memory.size()) {
            return 0;
        }
        MemoryRow own{.bytes = chunk.bytes,
                      .data = chunk.data.data(),
                      .enables = chunk.sparse ? chunk.enables.data() : nullptr,
                      .operand = chunk.operand,
                      .compare = chunk.compare};
        chunk.performed = perform(chunk, own, &memory[chunk.address]);
        std::size_t performed = 0;
        for (MemoryRow &row : following.first(std::min(takes, following.size()))) {
            if (row.address + row.bytes > memory.size()) {
                break;
            }
            note(chunk, row.address, row.bytes, row.enables);
            perform(chunk, row, &memory[row.address]);
            ++performed;
        }
        taken += performed;
        return performed;
    }

  private:
    void note(const Chunk &chunk, std::uint64_t address, std::uint32_t bytes, const unsigned char *enables) {
        const char kind = chunk.kind == Chunk::Kind::kRead ? 'R' : chunk.kind == Chunk::Kind::kWrite ? 'W' : 'A';
        std::string line =
            fmt::format("{} {} {:#x}+{}", chunk.to == MemorySide::kShared ? "shared" : "global", kind, address, bytes);
        for (unsigned i = 0; enables != nullptr && i < bytes; ++i) {
            line += (i == 0 ? " " : "");
            line += enables[i] == Chunk::kEnabled ? '#' : '.';
        }
        log.push_back(line);
    }
    /// Performs `chunk` on the bytes of `row`. False: an atomic that is not performed.
    bool perform(const Chunk &chunk, MemoryRow &row, unsigned char *at) const {
        if (chunk.kind == Chunk::Kind::kRead) {
            std::memcpy(row.data, at, row.bytes);
        } else if (chunk.kind == Chunk::Kind::kWrite) {
            for (unsigned i = 0; i < row.bytes; ++i) {
                at[i] = row.enables != nullptr && row.enables[i] != Chunk::kEnabled ? at[i] : row.data[i];
            }
        } else if (performs_atomics) {
            std::uint64_t old = 0;
            std::memcpy(&old, at, row.bytes);
            const std::uint64_t now = protocol::atomic_result(chunk.op, chunk.type, old, row.operand, row.compare);
            std::memcpy(row.data, &old, row.bytes);
            std::memcpy(at, &now, row.bytes);
            return true;
        }
        return false;
    }
    void answer(const Chunk &chunk) {
        const auto &memory = chunk.to == MemorySide::kShared ? shared : global;
        if (chunk.address + chunk.bytes <= memory.size()) {
            transfer_.answered(state, chunk, *this);
        } else {
            transfer_.refused(state, chunk, refusal, "no such byte");
        }
    }

  public:
    Transfer::Refusal refusal = Transfer::Refusal::kAddress; ///< of a chunk beyond its memory

  private:
    Transfer &transfer_;
    std::deque<Chunk> chunks_;
    std::deque<Chunk *> sent_;
};

} // namespace smsim::sm
