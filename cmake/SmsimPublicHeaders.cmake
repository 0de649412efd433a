# The public interface of the library: the headers that are installed, all of them and no others. What another project may
# rely on is here on purpose; a header joins it when a documented way to use the library needs it. Each compiles alone, and
# includes nothing that is not here (test package.headers).
set(SMSIM_PUBLIC_HEADERS
  # Sessions and single launches, and the memory behind them (docs/session.md, docs/memory.md).
  session/memory_backend.h
  session/memory_library.h
  session/model_memory.h
  session/plan_runner.h
  session/session.h
  session/simulation.h
  session/simulation_result.h
  # Configurations.
  model/config/config.h
  model/config/config_json.h
  model/config/implementation.h
  model/config/loader.h
  model/config/operation_list.h
  model/config/setting.h
  # Programs: assembly text, PTX, binary programs, and their instructions.
  model/assembler/assembler.h
  model/assembler/disassembler.h
  model/isa/instruction.h
  model/isa/isa.h
  model/isa/operands.h
  model/isa/word.h
  model/program/container.h
  model/program/engine.h
  model/program/program.h
  model/timing/dependence.h
  model/timing/pipes.h
  ptx/compile_log.h
  ptx/compiler.h
  # Launches: in code and from files.
  model/launch/launch.h
  model/launch/plan.h
  # Reports and what they are made of.
  model/stats/check_result.h
  model/stats/early_end.h
  model/stats/fetch_cause.h
  model/stats/interval_counters.h
  model/stats/level_stats.h
  model/stats/lockstep.h
  model/stats/memory_check.h
  model/stats/plan_report.h
  model/stats/raised_exception.h
  model/stats/release_kind.h
  model/stats/report.h
  model/stats/stall.h
  model/stats/statistics.h
  model/stats/summary.h
  model/stats/validation.h
  # Observers, traces, waveforms.
  model/observation/observer.h
  session/observers.h
  sm/execution_observer.h
  views/timeline/event_order.h
  views/timeline/window.h
  views/trace/trace_fields.h
  views/waveforms/request.h
  # The SM, what its parts are to it, and how others take their places (docs/replacing-a-part.md).
  model/parts/barrier_unit.h
  model/parts/branch_unit.h
  model/parts/instruction_buffer.h
  model/parts/memories.h
  sm/dispatch/cta_allocator.h
  sm/dispatch/grid_distributor.h
  sm/dispatch/raised_fault.h
  sm/link_binder.h
  sm/load_store/global_bounds.h
  sm/part_factory.h
  sm/parts.h
  sm/streaming_multiprocessor.h
  # What parts tell each other.
  model/error.h
  model/protocol/atomic.h
  model/protocol/calendar.h
  model/protocol/clock.h
  model/protocol/links.h
  model/protocol/memory.h
  model/protocol/memory_initiator.h
  model/protocol/payload_pool.h
  model/protocol/socket.h
  model/state/condition_flags.h
  model/state/constant_banks.h
  model/state/control_snapshot.h
  model/state/dim3.h
  model/state/launch_context.h
  model/state/memory_request.h
  model/state/warp_life.h
  model/types.h
  # Memories and what joins other memories to an SM (docs/memory.md), with what these are made of.
  memory/address_ranges.h
  memory/bandwidth.h
  memory/blocking_adapter.h
  memory/byte_store.h
  memory/four_phase_target.h
  memory/global_memory.h
  memory/l2_cache.h
  memory/memory_arbiter.h
  memory/regions.h
  memory/transfer.h
  memory/width_adapter.h
  model/timing/jitter.h
  model/timing/timed_lines.h
  # Cores without time, as golden models (docs/co-simulation.md).
  bcu/barrier.h
  bru/engines/common/traps.h
  bru/engines/convergence_barrier/control_state.h
  bru/engines/convergence_barrier/engine.h
  bru/engines/convergence_barrier/warp_control.h
  bru/engines/simt_stack/engine.h
  bru/engines/simt_stack/reconvergence.h
  bru/engines/simt_stack/state.h
  bru/engines/token_stack/control_state.h
  bru/engines/token_stack/engine.h
  bru/reconvergence_engine.h
  ibuffer/constant_operands.h
  ibuffer/fetch_buffers.h
  ibuffer/issue_latches.h
  ibuffer/issue_policy.h
  ibuffer/issue_ports.h
  ibuffer/issue_selection.h
  ibuffer/issue_stage.h
  ibuffer/redirect.h
  ibuffer/register_reads.h
  ibuffer/result_writes.h
  ibuffer/reuse_cache.h
  ibuffer/scoreboard.h
  ibuffer/warp_accounts.h
  ibuffer/warp_machine.h
  ibuffer/warp_set.h
  memory/bank_conflicts.h
  sm/datapath/compute/execute.h
  sm/datapath/compute/registers.h
  sm/load_store/coalescer.h
)
