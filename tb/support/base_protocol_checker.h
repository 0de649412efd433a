// A strict monitor of the TLM-2.0 base protocol, placed between an initiator and a target.
//
// It records, as text, each rule that one of the two sides violates, and changes neither times nor results. Requests
// pass unchanged. Responses, including those of blocking and debug calls, return with another address than requested,
// as an interconnect may leave it (IEEE 1666-2011, 14.7: the address is the one field of a request that it may
// change): an initiator that relies on the address of a response fails here. It checks
// - the fields of a request (data, lengths, status, DMI hint, memory manager, reference count) and that they stay the
//   same, write data included and the address aside, until the transaction ends;
// - the order of phases of each transaction, the answers to them, and that times never go back;
// - request and response exclusion on the socket;
// - that a response carries a status, and that no forward call nests in a backward call or the other way round;
// - that only thread processes make blocking calls;
// - debug transport (no more bytes than requested, no change of the fields) and direct memory answers.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>

namespace smsim::tb {

class BaseProtocolChecker final : public sc_core::sc_module,
                                  private tlm::tlm_fw_transport_if<>,
                                  private tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_target_socket<64> from_initiator{"from_initiator"};
    tlm::tlm_initiator_socket<64> to_target{"to_target"};

    explicit BaseProtocolChecker(const sc_core::sc_module_name &name) : sc_module(name) {
        from_initiator.bind(*this);
        to_target.bind(*this);
    }

    /// The violations so far, in order.
    const std::vector<std::string> &violations() const { return violations_; }
    /// The violations, plus one for each transaction that has not ended. Call at the end of a test.
    std::vector<std::string> final_violations() const {
        std::vector<std::string> all = violations_;
        for (const auto &[payload, transaction] : open_) {
            all.push_back("transaction not ended in phase " + std::string(step_name(transaction.step)));
        }
        return all;
    }
    /// Transactions started on the non-blocking path.
    std::uint64_t transactions() const { return transactions_; }

  private:
    using Payload = tlm::tlm_generic_payload;
    enum class Step { kRequest, kAccepted, kResponse };
    /// The fields that must not change while a transaction is under way.
    struct Fields {
        explicit Fields(const Payload &p)
            : command(p.get_command()), data(p.get_data_ptr()), length(p.get_data_length()),
              enables(p.get_byte_enable_ptr()), enable_length(p.get_byte_enable_length()),
              width(p.get_streaming_width()) {
            if (command == tlm::TLM_WRITE_COMMAND && data != nullptr) {
                written.assign(data, data + length);
            }
        }
        bool operator==(const Fields &) const = default;
        tlm::tlm_command command;
        unsigned char *data;
        unsigned length;
        unsigned char *enables;
        unsigned enable_length;
        unsigned width;
        std::vector<unsigned char> written;
    };
    struct Transaction {
        Step step;
        sc_core::sc_time time; ///< of the last phase, annotation included
        Fields fields;
        sc_dt::uint64 address;
    };

    static const char *step_name(Step step) {
        return step == Step::kRequest ? "BEGIN_REQ" : step == Step::kAccepted ? "END_REQ" : "BEGIN_RESP";
    }
    void require(bool holds, const std::string &rule) {
        if (!holds) {
            violations_.push_back(sc_core::sc_time_stamp().to_string() + ": " + rule);
        }
    }

    void check_request(const Payload &p, const char *call) {
        const std::string where = std::string(call) + ": ";
        const bool moves = p.is_read() || p.is_write();
        require(moves || p.get_command() == tlm::TLM_IGNORE_COMMAND, where + "unknown command");
        require(!moves || p.get_data_ptr() != nullptr, where + "no data pointer");
        require(!moves || p.get_data_length() > 0, where + "data length 0");
        require(p.get_streaming_width() > 0, where + "streaming width 0");
        require(p.get_byte_enable_ptr() == nullptr || p.get_byte_enable_length() > 0, where + "byte enable length 0");
        require(p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, where + "status not INCOMPLETE");
        require(!p.is_dmi_allowed(), where + "DMI hint set in a request");
    }
    void check_response(const Payload &p, const Fields &before, const char *call) {
        const std::string where = std::string(call) + ": ";
        require(p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, where + "response without a status");
        require(Fields(p) == before, where + "fields changed during the transaction");
    }
    /// The address of the response to a request at `address`.
    static void change_address(Payload &payload, sc_dt::uint64 address) { payload.set_address(~address); }
    void end(const Payload &payload) {
        if (requesting_ == &payload) {
            requesting_ = nullptr;
        }
        if (responding_ == &payload) {
            responding_ = nullptr;
        }
        open_.erase(&payload);
    }
    /// A phase of `transaction` at the annotated time `time`.
    void advance(Transaction &transaction, const sc_core::sc_time &time) {
        require(time >= transaction.time, "time of a phase before that of the phase before");
        transaction.time = std::max(time, transaction.time);
    }
    void begin_response(Payload &payload, Transaction &transaction) {
        if (requesting_ == &payload) {
            requesting_ = nullptr;
        }
        require(responding_ == nullptr, "BEGIN_RESP before the END_RESP of the response before");
        responding_ = &payload;
        transaction.step = Step::kResponse;
        check_response(payload, transaction.fields, "BEGIN_RESP");
        change_address(payload, transaction.address);
    }
    static bool is_base_phase(const tlm::tlm_phase &phase) {
        return phase == tlm::BEGIN_REQ || phase == tlm::END_REQ || phase == tlm::BEGIN_RESP || phase == tlm::END_RESP;
    }

    tlm::tlm_sync_enum nb_transport_fw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        require(!in_backward_, "forward call nested in a backward call");
        const tlm::tlm_phase sent = phase;
        const sc_core::sc_time sent_delay = delay;
        const sc_core::sc_time &now = sc_core::sc_time_stamp();
        if (!is_base_phase(phase)) {
            return to_target->nb_transport_fw(payload, phase, delay);
        }
        if (phase == tlm::BEGIN_REQ) {
            ++transactions_;
            check_request(payload, "BEGIN_REQ");
            require(payload.has_mm(), "non-blocking payload without a memory manager");
            require(!payload.has_mm() || payload.get_ref_count() > 0, "non-blocking payload without a reference");
            require(requesting_ == nullptr, "BEGIN_REQ before the END_REQ of the request before");
            require(!open_.contains(&payload), "BEGIN_REQ of a transaction that is under way");
            open_.insert_or_assign(&payload,
                                   Transaction{Step::kRequest, now + delay, Fields(payload), payload.get_address()});
            requesting_ = &payload;
        } else if (phase == tlm::END_RESP) {
            const auto found = open_.find(&payload);
            const bool expected = found != open_.end() && found->second.step == Step::kResponse;
            require(expected, "END_RESP without a BEGIN_RESP");
            if (expected) {
                advance(found->second, now + delay);
                end(payload);
            }
        } else {
            require(false, "phase of the target on the forward path");
        }
        const unsigned outer = in_forward_++;
        const tlm::tlm_sync_enum answer = to_target->nb_transport_fw(payload, phase, delay);
        in_forward_ = outer;
        check_forward_answer(payload, sent, sent_delay, answer, phase, now + delay, delay);
        return answer;
    }
    void check_forward_answer(Payload &payload, const tlm::tlm_phase &sent, const sc_core::sc_time &sent_delay,
                              tlm::tlm_sync_enum answer, const tlm::tlm_phase &phase, const sc_core::sc_time &time,
                              const sc_core::sc_time &delay) {
        if (sent != tlm::BEGIN_REQ) {
            require(answer != tlm::TLM_UPDATED, "END_RESP answered with TLM_UPDATED");
            return;
        }
        const auto found = open_.find(&payload);
        if (answer == tlm::TLM_ACCEPTED) {
            require(phase == sent && delay == sent_delay, "TLM_ACCEPTED with changed phase or delay");
            return;
        }
        if (found == open_.end()) {
            require(false, "answer to a transaction that has ended");
            return;
        }
        Transaction &transaction = found->second;
        require(transaction.step == Step::kRequest, "answer on the return after a backward call");
        advance(transaction, time);
        if (answer == tlm::TLM_COMPLETED) {
            check_response(payload, transaction.fields, "TLM_COMPLETED");
            change_address(payload, transaction.address);
            end(payload);
        } else if (phase == tlm::END_REQ) {
            transaction.step = Step::kAccepted;
            requesting_ = nullptr;
        } else if (phase == tlm::BEGIN_RESP) {
            begin_response(payload, transaction);
        } else {
            require(false, "request answered with TLM_UPDATED and a phase other than END_REQ, BEGIN_RESP");
        }
    }

    tlm::tlm_sync_enum nb_transport_bw(Payload &payload, tlm::tlm_phase &phase, sc_core::sc_time &delay) override {
        require(in_forward_ == 0, "backward call nested in a forward call");
        const sc_core::sc_time &now = sc_core::sc_time_stamp();
        const tlm::tlm_phase sent = phase;
        const sc_core::sc_time sent_delay = delay;
        if (!is_base_phase(phase)) {
            return from_initiator->nb_transport_bw(payload, phase, delay);
        }
        const auto found = open_.find(&payload);
        if (found == open_.end()) {
            require(false, "backward call for a transaction that is not under way");
        } else if (phase == tlm::END_REQ) {
            require(found->second.step == Step::kRequest, "END_REQ twice or after BEGIN_RESP");
            advance(found->second, now + delay);
            found->second.step = Step::kAccepted;
            requesting_ = requesting_ == &payload ? nullptr : requesting_;
        } else if (phase == tlm::BEGIN_RESP) {
            require(found->second.step != Step::kResponse, "BEGIN_RESP twice");
            advance(found->second, now + delay);
            begin_response(payload, found->second);
        } else {
            require(false, "phase of the initiator on the backward path");
        }
        in_backward_ = true;
        const tlm::tlm_sync_enum answer = from_initiator->nb_transport_bw(payload, phase, delay);
        in_backward_ = false;
        check_backward_answer(payload, sent, sent_delay, answer, phase, now + delay, delay);
        return answer;
    }
    void check_backward_answer(Payload &payload, const tlm::tlm_phase &sent, const sc_core::sc_time &sent_delay,
                               tlm::tlm_sync_enum answer, const tlm::tlm_phase &phase, const sc_core::sc_time &time,
                               const sc_core::sc_time &delay) {
        if (answer == tlm::TLM_ACCEPTED) {
            require(phase == sent && delay == sent_delay, "TLM_ACCEPTED with changed phase or delay");
            return;
        }
        require(sent == tlm::BEGIN_RESP, "END_REQ answered with other than TLM_ACCEPTED");
        require(answer == tlm::TLM_COMPLETED || phase == tlm::END_RESP,
                "BEGIN_RESP answered with TLM_UPDATED and a phase other than END_RESP");
        const auto found = open_.find(&payload);
        if (sent == tlm::BEGIN_RESP && found != open_.end()) {
            advance(found->second, time);
            end(payload);
        }
    }

    void b_transport(Payload &payload, sc_core::sc_time &delay) override {
        const sc_core::sc_curr_proc_kind kind = sc_core::sc_get_current_process_handle().proc_kind();
        require(kind == sc_core::SC_THREAD_PROC_ || kind == sc_core::SC_CTHREAD_PROC_,
                "b_transport from other than a thread process");
        check_request(payload, "b_transport");
        const Fields before(payload);
        const sc_dt::uint64 address = payload.get_address();
        const sc_core::sc_time start = sc_core::sc_time_stamp() + delay;
        to_target->b_transport(payload, delay);
        require(sc_core::sc_time_stamp() + delay >= start, "b_transport: time went back");
        check_response(payload, before, "b_transport");
        change_address(payload, address);
    }

    unsigned transport_dbg(Payload &payload) override {
        const Fields before(payload);
        const sc_dt::uint64 address = payload.get_address();
        const unsigned count = to_target->transport_dbg(payload);
        require(count <= before.length, "debug transport: more bytes than asked for");
        require(Fields(payload) == before, "debug transport: fields changed");
        change_address(payload, address);
        return count;
    }

    bool get_direct_mem_ptr(Payload &payload, tlm::tlm_dmi &dmi) override {
        const bool granted = to_target->get_direct_mem_ptr(payload, dmi);
        const sc_dt::uint64 address = payload.get_address();
        require(dmi.get_start_address() <= address && address <= dmi.get_end_address(),
                "DMI: answer does not cover the address asked for");
        if (granted) {
            require(dmi.get_dmi_ptr() != nullptr, "DMI: granted without a pointer");
            require(payload.is_write() ? dmi.is_write_allowed() : dmi.is_read_allowed(),
                    "DMI: granted without the access asked for");
        }
        return granted;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
        require(first <= last, "DMI: invalidated range is empty");
        from_initiator->invalidate_direct_mem_ptr(first, last);
    }

    std::vector<std::string> violations_;
    std::map<const Payload *, Transaction> open_;
    const Payload *requesting_ = nullptr;
    const Payload *responding_ = nullptr;
    unsigned in_forward_ = 0;
    bool in_backward_ = false;
    std::uint64_t transactions_ = 0;
};

} // namespace smsim::tb
