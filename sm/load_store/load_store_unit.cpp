#include "sm/load_store/load_store_unit.h"

#include <algorithm>

#include "model/config/config.h"
#include "model/config/validate.h"
#include "model/protocol/rows.h"
#include "model/protocol/unanswered.h"
#include "sm/load_store/lane_data.h"
#include "sm/load_store/memory_operation.h"

namespace smsim::sm {

using protocol::LoadStorePayload;
using sc_core::sc_time;
using tlm::tlm_phase;
using tlm::tlm_sync_enum;

namespace {

constexpr std::uint64_t kService = ~std::uint64_t{0}; ///< for the jitter: the unit itself, not one of its queues

Transfer::Refusal refusal_of(tlm::tlm_response_status status) {
    return status == tlm::TLM_ADDRESS_ERROR_RESPONSE   ? Transfer::Refusal::kAddress
           : status == tlm::TLM_COMMAND_ERROR_RESPONSE ? Transfer::Refusal::kCommand
                                                       : Transfer::Refusal::kOther;
}

} // namespace

/// The context of one transaction of the unit. It keeps the address as requested: an interconnect may change that of
/// the payload.
struct LoadStoreUnit::ChunkContext final : protocol::PooledExtension<ChunkContext>, Chunk {
    protocol::AccessGroupExtension group;
    protocol::AtomicExtension atomic;
    protocol::RowsExtension rows;
    Access *access = nullptr;
    protocol::LinkPayload<ChunkContext> *payload = nullptr; ///< of this context; carries the ignorable extensions
};

LoadStoreUnit::LoadStoreUnit(const sc_core::sc_module_name &name, const Config &config)
    : sc_module(name_if_valid(name, config)), shared("shared", protocol::Clock(config).period(), alarm_),
      global("global", protocol::Clock(config).period(), alarm_), config_(config), clock_(config), timing_(config),
      constants_(config.constants), jitter_(config.jitter, timing::Jitter::Part::kLoadStore),
      shared_space_(config.shared), global_space_(config), local_space_(config),
      queues_(config.sm.sub_partitions, config.lsu.queue_depth, config.lsu.queue_latency, config.lsu.units),
      owed_end_req_(config.sm.sub_partitions, nullptr), sector_(config.lsu.sector_bytes),
      lines_per_cycle_(config.lsu.lines_per_cycle), pass_interval_(config.shared.pass_interval),
      fetched_takes_array_(config.l1.enabled && config.l1.bytes_per_cycle != 0), limit_(config.lsu.max_outstanding),
      pool_(std::make_unique<protocol::PayloadPool<ChunkContext>>()), unit_use_(config.lsu.units),
      tag_use_(config.lsu.units), address_use_(config.sm.sub_partitions), numbers_(config.sm.sub_partitions) {
    alarm_.on_due<&LoadStoreUnit::cycle>(this);
    for (unsigned i = 0; i < config.sm.sub_partitions; ++i) {
        datapaths.push_back(
            std::make_unique<protocol::Target<protocol::LoadStoreLink>>(sc_core::sc_gen_unique_name("datapath")));
        datapaths.back()->on_request<&LoadStoreUnit::on_request>(this, i);
    }
    shared.on_done<&LoadStoreUnit::on_done>(this);
    global.on_done<&LoadStoreUnit::on_done>(this);
}

LoadStoreUnit::~LoadStoreUnit() = default;

// --- queues --------------------------------------------------------------------------------------------------------

Transfer &LoadStoreUnit::transfer_of(const isa::Instruction &insn) {
    const isa::OpSpec &spec = insn.spec();
    if (spec.has(isa::kShared)) {
        return shared_space_;
    }
    if (spec.has(isa::kLocal)) {
        return local_space_;
    }
    return global_space_;
}

tlm_sync_enum LoadStoreUnit::on_request(unsigned tag, LoadStorePayload &payload, tlm_phase &phase, sc_time &delay) {
    auto &ext = *protocol::extension_of(payload);
    Queued &queued = queues_.place(tag);
    queued.payload = &payload;
    if (!ext.insn->spec().accesses_memory()) {
        queued.transfer = nullptr;
        return enqueue(tag, payload, {.unit = timing_.of(*ext.insn).takes_unit}, phase, delay);
    }
    queued.transfer = &transfer_of(*ext.insn);
    queued.checked.outside = false;
    if (auto fault = queued.transfer->check(ext, queued.checked)) [[unlikely]] {
        ext.fault = std::move(*fault);
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    const std::uint64_t number = numbers_[tag].queued++;
    if (observer_ != nullptr) [[unlikely]] {
        const Cycle arrival = std::max(clock_.at(delay), clock_.now() + 1);
        observer_->observe(clock_.now(), observation::AccessQueued{arrival, ext.warp, number, ext.insn->pc, ext.lanes});
    }
    return enqueue(tag, payload, {.room = queued.transfer->uses_global()}, phase, delay);
}

tlm_sync_enum LoadStoreUnit::enqueue(unsigned tag, LoadStorePayload &payload, ServiceQueues<Queued>::Needs needs,
                                     tlm_phase &phase, sc_time &delay) {
    payload.acquire();
    const Cycle arrival = std::max(clock_.at(delay), clock_.now() + 1);
    alarm_.set(clock_.raw(queues_.push(tag, arrival, needs)));
    const Cycle room_at = queues_.room_at(tag, clock_.now());
    if (room_at == kNever) {
        owed_end_req_[tag] = &payload;
        return tlm::TLM_ACCEPTED;
    }
    phase = tlm::END_REQ;
    delay = clock_.until(room_at);
    return tlm::TLM_UPDATED;
}

void LoadStoreUnit::cycle() {
    shared.run_due();
    global.run_due();
    const Cycle now = clock_.now();
    limit_.advance(now);
    while (const auto *served = queues_.take(now, limit_.has_room())) {
        const unsigned tag = served->queue;
        if (owed_end_req_[tag] != nullptr) {
            tlm_phase phase = tlm::END_REQ;
            sc_time delay = clock_.span(config_.lsu.queue_latency);
            LoadStorePayload *owed = owed_end_req_[tag];
            owed_end_req_[tag] = nullptr;
            (*datapaths[tag])->nb_transport_bw(*owed, phase, delay);
        }
        if (served->item.transfer == nullptr) {
            if (const Cycle busy = pass(tag, *served->item.payload); busy != 0) {
                unit_use_[queues_.occupy(now + busy)].take(now, now + busy);
            }
        } else {
            const Service service = serve(tag, served->item, served->arrival);
            const Cycle free_at = now + service.busy + jitter_(now, kService);
            const unsigned unit = queues_.occupy(free_at);
            unit_use_[unit].take(now, free_at);
            if (service.lines != 0) {
                tag_use_[unit].take(now, now + service.lines);
            }
        }
    }
    const auto next = queues_.next(now, limit_.room_at());
    room_wanted_ = next.wants_room;
    if (next.at != kNever) {
        alarm_.set(clock_.raw(next.at));
    }
}

// --- one instruction -----------------------------------------------------------------------------------------------

/// For an access that is served now. It reaches its memory `saving` cycles before it leaves its queue, but not before
/// the previous access, and is done no earlier than its sources are read: an instruction that waits for a result need
/// not wait for the sources as well (F-56).
inline LoadStoreUnit::Access &LoadStoreUnit::acquire_access(const AccessTiming::Figures &figures) {
    if (free_accesses_.empty()) {
        free_accesses_.push_back(&accesses_.emplace_back(*this));
    }
    Access &access = *free_accesses_.back();
    free_accesses_.pop_back();
    access.state.failed = false;
    access.state.alone = false;
    access.state.bypass_l1 = false;
    access.state.wavefronts = {};
    const Cycle now = clock_.now();
    last_arrival_ = std::max(last_arrival_, now + (config_.lsu.queue_latency - 1) - figures.saving);
    access.front = clock_.span(last_arrival_ - now);
    const Cycle read = std::max<Cycle>(figures.sources, 2) - 2; // the response is one cycle after `done`
    access.done = clock_.time() + clock_.span(std::max(last_arrival_ - now, read));
    access.first = sc_core::sc_max_time();
    access.begins = 0;
    access.figures = &figures;
    access.misses = 0;
    access.sectors = 0;
    access.transactions = 0;
    access.passes = 0;
    access.conflicts = 0;
    return access;
}

LoadStoreUnit::Service LoadStoreUnit::serve(unsigned tag, const Queued &queued, Cycle arrival) {
    LoadStorePayload &payload = *queued.payload;
    auto &ext = *protocol::extension_of(payload);
    const isa::Instruction &insn = *ext.insn;
    Transfer &transfer = *queued.transfer;
    ++stats_.by_op[static_cast<std::uint8_t>(insn.op)];

    const AccessTiming::Figures &figures = timing_.of(insn);
    if (insn.rsb != isa::kNoScoreboard) {
        tell_sources(tag, payload, figures.sources);
    }
    Access &access = acquire_access(figures);
    access.payload = &payload;
    access.transfer = &transfer;
    access.state.request = &ext;
    access.found = ext.found;
    if (access.found != nullptr) [[unlikely]] {
        access.found->clear();
    }
    access.tag = tag;
    access.issued = arrival - 1;
    access.place = insn.pc / kInstructionBytes;
    if (access.place >= stats_.by_pc.size()) [[unlikely]] {
        stats_.by_pc.resize(access.place + 1);
    }
    access.number = numbers_[tag].started++;
    access.group = next_group_++;
    if (queued.checked.outside) [[unlikely]] {
        transfer.note_outside(ext, clock_.now()); // here and not on the call: notes are in the order of this unit
    }
    // One more than the number of chunks, so that an answer on the call does not complete the access too early.
    access.pending = 1;
    const Transfer::Started started = transfer.start(access.state, queued.checked, access);
    const std::uint32_t tags = access.state.wavefronts.tags; // the access may be finished below
    const Cycle conflicts = conflict_cycles(access.state.wavefronts);
    stats_.transactions_shared += started.shared;
    stats_.transactions_global += started.global;
    const std::uint64_t requested = std::uint64_t{ext.lanes.count()} * bytes_per_thread(insn);
    stats_.by_pc[access.place].requested_bytes += requested;
    if (transfer.uses_global()) {
        stats_.requested_global_bytes += requested;
    }
    if (observer_ != nullptr) [[unlikely]] {
        tell_started(access, started.shared + started.global);
    }
    const Cycle now = clock_.now();
    ext.placed = now + config_.lsu.queue_latency;
    const Cycle begun = access.begins - std::min<Cycle>(access.begins, config_.lsu.queue_latency - 1);
    queues_.hold(tag, std::max(begun, now + figures.queue_interval + conflicts));
    address_use_[tag].take(now, now + figures.queue_interval);
    if (access.state.alone) [[unlikely]] {
        // Its write leaves with the answer of its read: later accesses of the warp would otherwise reach the memory
        // first.
        queues_.keep(tag);
    }
    if (--access.pending == 0) {
        finish(access);
    } else if (!access.state.alone) {
        // Requests of both memories leave in the order of `send`. The write of a read-write atomic has yet to be sent.
        tlm_phase phase = protocol::PLACED;
        sc_time delay = clock_.span(config_.lsu.queue_latency);
        (*datapaths[tag])->nb_transport_bw(payload, phase, delay);
    }
    // Lines of global accesses take the tag stage; shared memory has its own queueing.
    Cycle lines = started.global == 0 ? 0 : tags;
    if (is_atomic(insn)) [[unlikely]] {
        lines = lines_per_cycle_.quotient(started.global + lines_per_cycle_.value() - 1);
    }
    return {std::max<Cycle>(std::max<Cycle>(config_.lsu.issue_interval, lines), 1), lines};
}

Cycle LoadStoreUnit::pass(unsigned tag, LoadStorePayload &payload) {
    const auto &request = *protocol::extension_of(payload);
    const isa::Instruction &insn = *request.insn;
    const AccessTiming::Figures &figures = timing_.of(insn);
    if (insn.rsb != isa::kNoScoreboard) {
        tell_sources(tag, payload, figures.sources);
    }
    const Cycle now = clock_.now();
    ConstantLoads::Time longer;
    if (insn.spec().has(isa::kConstant)) {
        longer = constants_.serve(request, now);
        stats_.constant_misses += longer.misses;
    }
    queues_.hold(tag, now + figures.queue_interval + longer.queue);
    address_use_[tag].take(now, now + figures.queue_interval + longer.queue);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const Cycle latency =
        std::max<Cycle>(std::max<Cycle>(figures.latency + longer.result, figures.sources), 2) - 1 + jitter_(now, tag);
    respond(tag, payload, clock_.span(latency));
    return figures.takes_unit ? config_.lsu.issue_interval : 0;
}

void LoadStoreUnit::tell_sources(unsigned tag, LoadStorePayload &payload, Cycle after_issue) {
    tlm_phase phase = protocol::SOURCES_READ;
    sc_time delay = clock_.span(std::max<Cycle>(after_issue, 2) - 1); // the issue was about a cycle ago
    (*datapaths[tag])->nb_transport_bw(payload, phase, delay);
}

// --- chunks ----------------------------------------------------------------------------------------------------------

Chunk &LoadStoreUnit::Access::next() {
    auto &to_send = unit.pool_->acquire();
    auto &context = to_send.extension();
    if (context.payload == nullptr) {
        to_send.set_extension(&context.group);
        to_send.set_extension(&context.atomic);
        to_send.set_extension(&context.rows);
        context.payload = &to_send;
    }
    context.access = this;
    context.sparse = false;
    context.after_answers = false;
    context.phased = false;
    context.path_cycles = 0;
    context.transactions = 1;
    context.pieces.clear();
    return context;
}

std::size_t LoadStoreUnit::Access::send(Chunk &chunk, std::span<MemoryRow> following) {
    auto &context = static_cast<ChunkContext &>(chunk);
    tlm::tlm_generic_payload &to_send = *context.payload;
    context.group.group = group;
    context.group.bypass_l1 = state.bypass_l1;
    context.group.port = tag;
    context.group.phased = chunk.phased;
    context.group.phase = chunk.phased ? chunk.phase : 0;
    context.group.phases = chunk.phased ? chunk.phases : 1;
    context.group.transactions = chunk.transactions;
    context.group.wavefronts = state.wavefronts.data;
    context.group.ideal_wavefronts = state.wavefronts.ideal;
    context.group.path_cycles = chunk.path_cycles;
    context.group.full_passes = chunk.full_passes;
    context.group.begins = sc_core::SC_ZERO_TIME;
    context.group.passes = 0;
    context.group.conflicts = 0;
    context.group.cache_hit = false;
    context.group.waited = false;
    context.atomic.active = chunk.kind == Chunk::Kind::kAtomic;
    context.atomic.performed = false;
    if (chunk.kind == Chunk::Kind::kAtomic) {
        context.atomic.op = chunk.op;
        context.atomic.type = chunk.type;
        context.atomic.operand = chunk.operand;
        context.atomic.compare = chunk.compare;
    } else {
        to_send.set_command(chunk.kind == Chunk::Kind::kWrite ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    }
    to_send.set_address(chunk.address);
    to_send.set_data_ptr(chunk.data.data());
    to_send.set_data_length(chunk.bytes);
    to_send.set_streaming_width(chunk.bytes);
    if (chunk.sparse) {
        to_send.set_byte_enable_ptr(chunk.enables.data());
        to_send.set_byte_enable_length(chunk.bytes);
    }
    const bool to_global = chunk.to == MemorySide::kGlobal;
    if (to_global) {
        unit.limit_.start(unit.clock_.now());
        count_sectors(unit.sectors_of(chunk.address, chunk.bytes));
    }
    ++transactions;
    ++pending;
    sc_time delay = front;
    if (chunk.after_answers) [[unlikely]] {
        delay = done - std::min(done, unit.clock_.time());
    }
    protocol::MemoryInitiator &port = to_global ? unit.global : unit.shared;
    if (following.empty()) [[likely]] {
        port.send(to_send, delay);
        return 0;
    }
    protocol::RowsExtension &rows = context.rows;
    rows.to = port.socket.peer();
    rows.offered = following;
    rows.taken = 0;
    to_send.acquire(); // it may be answered and released before its rows are read
    port.send(to_send, delay);
    rows.offered = {};
    std::size_t taken = rows.taken;
    if (taken != 0 && (taken > following.size() || !to_send.is_response_ok())) {
        SC_REPORT_ERROR(port.name(), "a target took more rows than it was offered, or without having performed the "
                                     "transaction that they came with");
        taken = 0;
    }
    to_send.release();
    if (taken != 0) {
        to_global ? add_performed(following.first(taken)) : add_shared(following.first(taken));
    }
    return taken;
}

/// Number of sectors of global memory that hold some of the bytes.
std::uint64_t LoadStoreUnit::sectors_of(std::uint64_t address, std::uint32_t bytes) const {
    return sector_.quotient(address + bytes - 1) - sector_.quotient(address) + 1;
}

void LoadStoreUnit::Access::count_sectors(std::uint64_t touched) {
    unit.stats_.moved_global_bytes += touched * unit.sector_.value();
    sectors += touched;
}

/// Adds rows of global memory. Each corresponds to a chunk and its answer.
void LoadStoreUnit::Access::add_performed(std::span<const MemoryRow> rows) {
    const Cycle now = unit.clock_.now();
    unit.limit_.start(now, rows.size());
    std::uint64_t earliest = rows.front().when;
    std::uint64_t latest = earliest;
    std::uint64_t touched = 0;
    unsigned hits = 0;
    for (auto row = rows.begin(); row != rows.end();) {
        // Usually several are answered at the same time.
        const std::uint64_t when = row->when;
        std::uint32_t count = 0;
        for (; row != rows.end() && row->when == when; ++row, ++count) {
            touched += unit.sectors_of(row->address, row->bytes);
            hits += row->cache_hit ? 1 : 0;
        }
        unit.limit_.answer(std::max(unit.clock_.first_from(when), now + 1), count);
        earliest = std::min(earliest, when);
        latest = std::max(latest, when);
    }
    count_sectors(touched);
    misses += static_cast<unsigned>(rows.size()) - hits;
    if (found != nullptr && !state.bypass_l1) [[unlikely]] {
        for (const MemoryRow &row : rows) {
            found->add(row.address, row.cache_hit);
        }
    }
    transactions += static_cast<unsigned>(rows.size());
    first = std::min(first, sc_time::from_value(earliest));
    done = std::max(done, sc_time::from_value(latest));
    unit.want_room(now);
}

/// Adds rows of shared memory; what they change of the access came with the transaction that they were offered with.
void LoadStoreUnit::Access::add_shared(std::span<const MemoryRow> rows) {
    const auto [earliest, latest] = std::ranges::minmax(rows, {}, &MemoryRow::when);
    transactions += static_cast<unsigned>(rows.size());
    first = std::min(first, sc_time::from_value(earliest.when));
    done = std::max(done, sc_time::from_value(latest.when));
}

/// The end of a global transaction has become known.
void LoadStoreUnit::want_room(Cycle now) {
    if (room_wanted_) {
        alarm_.set(clock_.raw(std::max(limit_.next_end(), now + 1)));
    }
}

void LoadStoreUnit::on_done(tlm::tlm_generic_payload &payload, const sc_time &when) {
    // The initiators return only what was sent through them, which is from the pool.
    auto &context = protocol::PayloadPool<ChunkContext>::own(payload).extension();
    Access &access = *context.access;
    access.done = std::max(access.done, when);
    access.first = std::min(access.first, when);
    access.passes = std::max(access.passes, context.group.passes);
    access.conflicts = std::max(access.conflicts, context.group.conflicts);
    access.misses += context.group.cache_hit ? 0 : 1;
    if (access.found != nullptr && !access.state.bypass_l1) [[unlikely]] {
        access.found->add(context.address, context.group.cache_hit);
    }
    if (context.group.begins > clock_.time()) {
        access.begins = std::max(access.begins, clock_.at(context.group.begins - clock_.time()));
    }
    if (context.to == MemorySide::kGlobal) {
        const Cycle now = clock_.now();
        const Cycle end = context.group.waited ? clock_.complete(when.value()) + 1 : clock_.at(when - clock_.time());
        limit_.answer(std::max(end, now + 1));
        want_room(now);
    }
    if (payload.is_response_ok()) [[likely]] {
        context.performed = context.atomic.performed;
        access.transfer->answered(access.state, context, access);
    } else {
        access.transfer->refused(access.state, context, refusal_of(payload.get_response_status()),
                                 payload.get_response_string());
    }
    payload.release();
    if (--access.pending == 0) {
        finish(access);
    }
}

// --- missing answers -----------------------------------------------------------------------------------------------

std::optional<parts::UnansweredRequest> LoadStoreUnit::unanswered() const {
    return protocol::oldest_unanswered(global, clock_);
}

std::optional<parts::WaitingAccess> LoadStoreUnit::waits_for(std::uint64_t address, std::uint32_t bytes) const {
    std::optional<parts::WaitingAccess> oldest;
    std::uint64_t group = 0; // in the order in which they were served
    global.for_each_unanswered([&](const tlm::tlm_generic_payload &payload, const sc_time &, bool) {
        // The initiators hold only what was sent through them, which is from the pool.
        const auto &chunk = static_cast<const protocol::LinkPayload<ChunkContext> &>(payload).extension();
        const bool touches = chunk.address < address + bytes && address < chunk.address + chunk.bytes;
        if (!touches || (oldest && chunk.access->group > group)) {
            return;
        }
        const MemoryRequest &request = *chunk.access->state.request;
        const auto &issue = *protocol::extension_of(*protocol::extension_of(*chunk.access->payload)->upstream);
        group = chunk.access->group;
        oldest = {request.warp, issue.age, request.insn, issue.active, request.lanes, issue.issued};
    });
    return oldest;
}

// --- statistics ----------------------------------------------------------------------------------------------------

void LoadStoreUnit::clear_statistics() {
    stats_ = {};
    constants_.clear(); // a launch begins
    const Cycle now = clock_.now();
    queues_.clear_use(now);
    limit_.clear_use(now);
    for (std::vector<TakenTime> *uses : {&unit_use_, &tag_use_, &address_use_}) {
        for (TakenTime &use : *uses) {
            use.clear(now);
        }
    }
}

void LoadStoreUnit::add_use(Cycle end, UnitUses &uses) const {
    for (unsigned i = 0; i < config_.sm.sub_partitions; ++i) {
        smsim::add_use(uses, UsedUnit::kQueueEntries, config_.lsu.queue_depth, queues_.entry_use(i, end));
        smsim::add_use(uses, UsedUnit::kQueueAddress, 1, address_use_[i].until(end));
    }
    for (unsigned i = 0; i < config_.lsu.units; ++i) {
        smsim::add_use(uses, UsedUnit::kLoadStore, 1, unit_use_[i].until(end));
        smsim::add_use(uses, UsedUnit::kTags, 1, tag_use_[i].until(end));
    }
    smsim::add_use(uses, UsedUnit::kTransactions, config_.lsu.max_outstanding, limit_.use(end));
}

// --- accesses that run one at a time -------------------------------------------------------------------------------

void LoadStoreUnit::begin_alone() {
    Access &access = *alone_.front();
    access.done = std::max(access.done, alone_end_);
    ++access.pending;
    access.transfer->resume(access.state, access);
    if (--access.pending == 0) {
        finish(access);
    }
}

void LoadStoreUnit::finish(Access &access) {
    if (!access.state.alone) [[likely]] {
        complete(access);
        return;
    }
    if (alone_.empty() || alone_.front() != &access) {
        alone_.push_back(&access);
        if (alone_.size() == 1) {
            begin_alone();
        }
        return;
    }
    alone_end_ = access.done;
    complete(access);
    alone_.pop_front();
    if (!alone_.empty()) {
        begin_alone();
    }
}

// --- completion ----------------------------------------------------------------------------------------------------

/// Cycles for which data beyond 4 bytes per thread returns: that of phases without a thread does not.
inline Cycle LoadStoreUnit::return_cycles(const Access &access) {
    const Cycle all = access.figures->return_cycles;
    if (all == 0 || access.state.wavefronts.phases <= 1) [[likely]] {
        return all;
    }
    const Wavefronts &wavefronts = access.state.wavefronts;
    return all * (wavefronts.ideal - 1) / (wavefronts.phases - 1);
}

/// An access that is done from cycle `end` on.
inline void LoadStoreUnit::count(const Access &access, Cycle end) {
    const Cycle latency = end - access.issued;
    const bool on_shared = !access.transfer->uses_global();
    const bool is_hit = !on_shared && access.misses == 0 && access.transactions != 0;
    AccessStats &sum = stats_.by_pc[access.place];
    ++sum.accesses;
    sum.transactions += access.transactions;
    sum.sectors += access.sectors;
    sum.shared_passes += access.passes;
    sum.bank_conflicts += access.conflicts;
    if (const Wavefronts &wavefronts = access.state.wavefronts; wavefronts.data != 0) {
        sum.tag_wavefronts += wavefronts.tags;
        sum.wavefronts += wavefronts.data;
        sum.ideal_wavefronts += wavefronts.ideal;
    }
    sum.l1_hits += is_hit ? 1 : 0;
    sum.cycles += latency;
    sum.most = std::max(sum.most, latency);
    const isa::OpSpec &spec = access.state.request->insn->spec();
    if (!spec.has(isa::kReadsMemory)) {
        return; // nothing waits for a result
    }
    LatencyKind kind = on_shared ? LatencyKind::kSharedLoad : is_hit ? LatencyKind::kLoadHit : LatencyKind::kLoadMiss;
    if (spec.has(isa::kAtomic)) [[unlikely]] {
        kind = on_shared ? LatencyKind::kSharedAtomic : LatencyKind::kGlobalAtomic;
        if (spec.has(isa::kCompareSwap)) {
            count_swaps(*access.state.request);
        }
    }
    stats_.latencies[static_cast<std::size_t>(kind)].add(latency);
}

void LoadStoreUnit::complete(Access &access) {
    LoadStorePayload &payload = *access.payload;
    auto &ext = *protocol::extension_of(payload);
    if (access.state.failed) [[unlikely]] {
        ext.fault = access.state.fault;
    } else if (config_.ideal.locks && is_atomic(*ext.insn)) [[unlikely]] {
        find_unlocked(ext);
    }
    if (access.state.alone) [[unlikely]] {
        ext.placed = clock_.now() + 1;              // its last write was sent after it was served
        queues_.hold(access.tag, clock_.now() + 1); // whatever else the unit does in this cycle
        queues_.release(access.tag);
        alarm_.set(clock_.raw(clock_.now() + 1));
    }
    payload.set_response_status(access.state.failed ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    const sc_time &now = clock_.time();
    // Data is on its way back from the first answer on, while lines have yet to be looked up and others to arrive.
    sc_time back = access.done;
    const Wavefronts &wavefronts = access.state.wavefronts;
    const Cycle after_first = return_cycles(access) + wavefronts.tags - 1 + conflict_cycles(wavefronts);
    if (after_first != 0) {
        back = std::max(back, access.first + clock_.span(after_first));
    }
    if (access.misses != 0 && wavefronts.data > wavefronts.ideal && ext.insn->spec().has(isa::kReadsMemory) &&
        fetched_takes_array_) [[unlikely]] {
        array_free_ = std::max(clock_.at(std::max(access.done, now) - now), array_free_) + wavefronts.data;
        back = std::max(back, now + clock_.span(array_free_ - clock_.now() - 1));
    }
    const sc_time end = back + clock_.span(1 + jitter_(access.number, access.tag));
    const sc_time delay = std::max(end - now, clock_.period());
    count(access, clock_.at(delay));
    if (observer_ != nullptr) [[unlikely]] {
        observer_->observe(clock_.now(), observation::AccessPerformed{clock_.at(delay), ext.warp, access.number});
    }
    respond(access.tag, payload, delay);
    free_accesses_.push_back(&access);
}

void LoadStoreUnit::count_swaps(const MemoryRequest &request) {
    stats_.cas += request.lanes.count();
    stats_.cas_failed += failed_swaps(request);
}

void LoadStoreUnit::tell_started(const Access &access, std::size_t transactions) {
    const MemoryRequest &request = *access.state.request;
    const Cycle now = clock_.now();
    observer_->observe(now,
                       observation::AccessStarted{now, request.warp, access.number, request.insn->pc,
                                                  access.transfer->space(), static_cast<std::uint32_t>(transactions)});
}

void LoadStoreUnit::respond(unsigned tag, LoadStorePayload &payload, sc_time delay) {
    tlm_phase phase = tlm::BEGIN_RESP;
    (*datapaths[tag])->nb_transport_bw(payload, phase, delay);
    payload.release();
}

} // namespace smsim::sm
