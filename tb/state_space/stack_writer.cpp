// Lines, labels, functions.
#include "tb/state_space/stack_writer.h"

#include <iterator>

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
        begin_ = lines_.size();
        numbers_ = one.number;
        depth_ = one.depth;
        calls_ = one.calls;
        function(*one.body);
    }
    return text();
}

StackWriter::Label StackWriter::label() {
    places_.push_back(0);
    return places_.size() - 1;
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

std::string StackWriter::text() const {
    std::string written;
    for (std::size_t i = 0; i <= lines_.size(); ++i) {
        for (Label label = 0; label < places_.size(); ++label) {
            if (places_[label] == i) {
                fmt::format_to(std::back_inserter(written), "l{}:\n", label);
            }
        }
        if (i < lines_.size()) {
            const Line &one = lines_[i];
            fmt::format_to(std::back_inserter(written), "    {}{};\n", one.text,
                           one.target ? fmt::format("l{}", *one.target) : "");
        }
    }
    return written;
}

} // namespace smsim::state_space
