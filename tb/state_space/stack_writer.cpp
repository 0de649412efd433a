// Lines, labels, functions.
#include "tb/state_space/stack_writer.h"

#include "tb/state_space/piece_rules.h"

namespace smsim::state_space {

std::string StackWriter::write(const Block &program) {
    line("S2R R0, SR_LANEID");
    line("MOV R3, {:#x}", kFactor);
    line("MOV R6, 0x1");
    line("LOP3 R4, R0, 0x1, RZ, 0xc0");
    line("ISETP.NE.AND P0, PT, R4, RZ, PT");
    line("ISETP.LT.AND P1, PT, R0, {:#x}, PT", threads_ / 2);
    line("@P1 MOV R5, 0x1");
    body(program);
    for (std::size_t i = 0; i < functions_.size(); ++i) { // a function may add some
        const Function one = functions_[i];
        place(one.label);
        begin_ = size();
        numbers_ = one.number;
        depth_ = one.depth;
        calls_ = one.calls;
        function(*one.body);
    }
    return text();
}

void StackWriter::block(const Block &pieces) {
    for (const Piece &piece : pieces) {
        const unsigned number = ++numbers_;
        one(piece, number);
        line("IMAD R1, R1, R3, {:#x}", number);
    }
}

StackWriter::Label StackWriter::called(const Block &body) {
    functions_.push_back({label(), &body, numbers_, depth_, calls_ + 1});
    skip(body);
    return functions_.back().label;
}

void StackWriter::skip(const Block &pieces) {
    for (const Piece &piece : pieces) {
        ++numbers_;
        skip(piece.body);
        skip(piece.other);
    }
}

void StackWriter::barrier(unsigned number, const char *instruction) {
    line("ATOMS.ADD R2, [{:#x}], R6", 4 * number);
    line("{}", instruction);
    line("LDS R2, [{:#x}]", 4 * number);
    line("IMAD R1, R1, R3, R2");
}

void StackWriter::count(const Piece &loop) {
    if (loop.choice == Choice::kByLane) {
        line("MOV R{}, R0", counter());
    } else {
        line("IADD3 R{}, R0, {:#x}, RZ", counter(), 1 - static_cast<int>(threads_));
        line("IABS R{}, R{}", counter(), counter());
    }
}

} // namespace smsim::state_space
