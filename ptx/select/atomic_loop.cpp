#include "ptx/select/atomic_loop.h"

#include <string>
#include <vector>

namespace smsim::ptx::select {

using namespace machine;

namespace {

/// One loop. The guard of the instruction becomes a branch around the loop, so that everything in it is unguarded.
class AtomicLoop {
  public:
    AtomicLoop(Selector &selector, const Selection &selection, const Address &address)
        : selector_(selector), selection_(selection), around_(address), type_(selection.type()) {}

    void run() {
        const Operand guard = selector_.guard();
        selector_.set_guard(always());
        const BlockIndex behind = selector_.new_block();
        const BlockIndex first = selector_.new_block();
        selector_.branch(negated(guard), behind, first);
        if (type_.bits == 16) {
            find_word();
        }
        selection_.has("cas") ? swap() : add();
        const bool returns = selection_.instruction.opcode == "atom";
        if (returns && type_.bits == 16) {
            const Register result = selector_.temporary();
            selector_.emit("SHR", {define(result), use(old_), use(shift_)});
            selector_.write_value(selection_.operand(0), use(result), type_);
        } else if (returns) {
            selector_.write_value(selection_.operand(0), use(old_), type_);
        }
        selector_.fall_to(behind);
        selector_.set_guard(guard);
    }

  private:
    /// Finds the word around 16 bits, their position in it, and their mask.
    void find_word() {
        const bool based = around_.base != kNoRegister; // variables of shared memory have a plain number
        const Operand at = based ? use(around_.base, 1, 0) : zero();
        const Register byte = selector_.temporary();
        selector_.emit("IADD3", {define(byte), at, number(around_.offset), zero()});
        const Register word_address = selector_.temporary(2);
        selector_.undefined(word_address);
        selector_.emit("LOP3", {define(word_address, 1, 0), use(byte), number(-4), zero(), number(0xc0)});
        selector_.emit(
            "MOV", {define(word_address, 1, 1), based && around_.base_words == 2 ? use(around_.base, 1, 1) : zero()});
        const Register half = selector_.temporary();
        shift_ = selector_.temporary();
        selector_.emit("LOP3", {define(half), use(byte), number(2), zero(), number(0xc0)});
        selector_.emit("SHL", {define(shift_), use(half), number(3)});
        const Register place = selector_.temporary();
        mask_ = selector_.temporary();
        selector_.emit("MOV", {define(place), number(0xffff)});
        selector_.emit("SHL", {define(mask_), use(place), use(shift_)});
        around_.base = word_address;
        around_.offset = 0;
    }

    /// Source `index` shifted to its position in the word, with zeros around it.
    Register placed(std::size_t index) {
        const Operand value = selector_.read_extended(selection_.operand(index), *find_type("u16"));
        const Register at = selector_.temporary();
        selector_.emit("SHL", {define(at), selector_.in_register(value), use(shift_)});
        return at;
    }

    /// An atomic instruction on the word in each memory that the address may point to.
    void access(Register to, const std::vector<Operand> &values, const std::string &name) {
        const std::vector<Route> ways = routes(selector_, around_);
        selector_.undefined(to);
        for (const Route &way : ways) {
            std::vector<Operand> operands = {define(to), address_operand(selector_, around_, way.space)};
            operands.insert(operands.end(), values.begin(), values.end());
            selector_.emit_if(way.guard, (way.space == kSharedSet ? "ATOMS" : "ATOMG") + name, std::move(operands))
                .spins = true;
        }
    }

    /// Reads the word and begins the loop. Returns its first block.
    BlockIndex begin() {
        old_ = selector_.temporary();
        const BlockIndex loop = selector_.new_block();
        access(old_, {zero()}, ".OR");
        selector_.fall_to(loop);
        return loop;
    }

    /// Replaces `old_` by `next`; if something else was found, repeats with that from `loop`. Continues at `done`.
    void exchange(Register next, BlockIndex loop, BlockIndex done) {
        const Register seen = selector_.temporary();
        access(seen, {use(old_), use(next)}, ".CAS");
        const Register same = selector_.temporary_predicate();
        selector_.emit("ISETP.EQ.U32.AND", {define_predicate(same), always(), use(seen), use(old_), always()});
        const BlockIndex retry = selector_.new_block();
        selector_.branch(if_true(same), done, retry);
        selector_.emit("MOV", {define(old_), use(seen)});
        selector_.fall_to(loop);
        selector_.set_block(done);
    }

    /// Ends without an exchange if the 16 bits differ from the expected ones.
    void swap() {
        const Register expected = placed(2);
        const Register wanted = placed(3);
        const BlockIndex loop = begin();
        const Register now = selector_.temporary();
        selector_.emit("LOP3", {define(now), use(old_), use(mask_), zero(), number(0xc0)});
        const Register differs = selector_.temporary_predicate();
        selector_.emit("ISETP.NE.U32.AND", {define_predicate(differs), always(), use(now), use(expected), always()});
        const BlockIndex same = selector_.new_block();
        const BlockIndex done = selector_.new_block();
        selector_.branch(if_true(differs), done, same);
        exchange(with_rest(wanted), loop, done);
    }

    /// A single element is added in its position of a pair; the result of the other half is dropped.
    void add() {
        const std::size_t source = selection_.instruction.opcode == "red" ? 1 : 2;
        const bool single = type_.bits == 16;
        const Operand value = single ? use(placed(source)) : selector_.read_register(selection_.operand(source), type_);
        const BlockIndex loop = begin();
        const Register sum = selector_.temporary();
        const std::string mnemonic = type_.name.starts_with("b") ? "HADD2.BF16_V2" : "HADD2";
        selector_.emit(mnemonic, {define(sum), use(old_), value});
        const BlockIndex done = selector_.new_block();
        exchange(single ? with_rest(sum) : sum, loop, done);
    }

    /// The 16 bits of `value` in their position and the rest of the old word.
    Register with_rest(Register value) {
        const Register next = selector_.temporary();
        selector_.emit("LOP3", {define(next), use(value), use(old_), use(mask_), number(0xe4)});
        return next;
    }

    Selector &selector_;
    const Selection &selection_;
    Address around_;
    Type type_;
    Register shift_ = kNoRegister;
    Register mask_ = kNoRegister;
    Register old_ = kNoRegister;
};

} // namespace

bool needs_loop(Type type) {
    return type.bits == 16 || type.name == "f16x2" || type.name == "bf16x2";
}

void select_atomic_loop(Selector &selector, const Selection &selection, const Address &address) {
    AtomicLoop(selector, selection, address).run();
}

} // namespace smsim::ptx::select
