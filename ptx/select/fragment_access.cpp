#include "ptx/select/fragment_access.h"

#include <algorithm>
#include <map>

#include "ptx/select/address.h"
#include "ptx/select/parts.h"

namespace smsim::ptx::select {

using namespace machine;
using isa::matrix::MatrixOperation;

namespace {

/// Elements of a fragment that one access moves. `outer` and `inner` are what its lane adds nothing to: rows of the
/// first source or of the result, columns of the second source; and columns of the first source or of the result, rows
/// of the second source.
struct Piece {
    unsigned word;  ///< the first one of the fragment
    unsigned shift; ///< bits below it in that word
    unsigned bytes;
    unsigned outer;
    unsigned inner;
};

/// Which elements of a matrix a lane has: element (outer, inner) of each piece has lane / 4 more in `outer` and
/// `run` * (lane mod 4) more in `inner`.
struct Pieces {
    std::vector<Piece> all;
    unsigned words = 0; ///< of the fragment, without repetitions
    unsigned run = 1;
};

bool is_source(const MatrixForm &form) {
    return form.matrix == MatrixName::kA || form.matrix == MatrixName::kB;
}

/// Whether the tiles of a result follow one another in `outer`.
bool tiles_in_outer(const MatrixForm &form) {
    return form.m != 16;
}

/// Whether neighbours in `inner` are neighbours in memory.
bool is_contiguous(const MatrixForm &form) {
    return is_source(form) ? form.by_columns == (form.matrix == MatrixName::kB) : form.by_columns == form.transposed;
}

/// Adds the elements of `count` from (outer, inner) on, which fill words from `word` on: with one access if they are
/// neighbours in memory.
void add_run(Pieces &pieces, const Piece &first, unsigned count, unsigned bits, bool contiguous) {
    if (contiguous) {
        pieces.all.push_back({first.word, 0, count * bits / 8, first.outer, first.inner});
        return;
    }
    for (unsigned i = 0; i < count; ++i) {
        const unsigned at = i * bits;
        pieces.all.push_back({first.word + at / 32, at % 32, bits / 8, first.outer, first.inner + i});
    }
}

Pieces pieces_of_source(const MatrixForm &form) {
    const MatrixOperation &op = form.operation;
    const bool first = (form.matrix == MatrixName::kA) != form.transposed;
    const unsigned bits = width(form.element);
    const unsigned per = bits < 32 ? 32 / bits : 1;
    const unsigned step = bits < 32 ? 1 : bits / 32; // words of a run
    const unsigned runs = (first ? registers_of_a(op) : registers_of_b(op)) / step;
    const unsigned halves = first ? op.m / 8 : 1;
    Pieces pieces;
    pieces.run = per;
    for (unsigned tile = 0; tile < wmma_tiles(form, form.matrix); ++tile) {
        for (unsigned run = 0; run < runs; ++run) {
            const Piece at{pieces.words, 0, 0, (first ? 16 : 8) * tile + 8 * (run % halves), 4 * per * (run / halves)};
            add_run(pieces, at, per, bits, is_contiguous(form));
            pieces.words += step;
        }
    }
    return pieces;
}

Pieces pieces_of_result(const MatrixForm &form) {
    const unsigned bits = width(form.element);
    Pieces pieces;
    pieces.run = 2;
    for (unsigned tile = 0; tile < wmma_tiles(form, form.matrix); ++tile) {
        for (unsigned half = 0; half < form.operation.m / 8; ++half) {
            const unsigned outer = tiles_in_outer(form) ? 16 * tile : 0;
            const unsigned inner = tiles_in_outer(form) ? 0 : 8 * tile;
            add_run(pieces, {pieces.words, 0, 0, outer + 8 * half, inner}, 2, bits, is_contiguous(form));
            pieces.words += 2 * bits / 32;
        }
    }
    return pieces;
}

/// Addresses of the elements of a matrix.
class Places {
  public:
    Places(Selector &selector, const Selection &selection, const MatrixForm &form, std::size_t address, unsigned run)
        : selector_(selector), contiguous_(is_contiguous(form)), bits_(width(form.element)) {
        stride_ = selection.operands() > 2 ? selector.read(selection.operand(2), *find_type("u32"))
                                           : number(form.by_columns ? extent(form, true) : extent(form, false));
        Address base = address_of(selector, selection.instruction, selection.operand(address));
        if (form.verb == MatrixVerb::kWmmaStore) {
            base = written_address(selector, base, false);
        }
        const Register lane = selector.temporary();
        selector.emit("S2R", {define(lane), text("SR_LANEID")});
        const Register outer = selector.temporary();
        selector.emit("SHR", {define(outer), use(lane), number(2)});
        const Register inner = selector.temporary();
        selector.emit("LOP3", {define(inner), use(lane), number(3), zero(), number(0xc0)});
        const Operand along = times(use(contiguous_ ? inner : outer), contiguous_ ? run : 1);
        const Operand across = times(use(contiguous_ ? outer : inner), contiguous_ ? 1 : run);
        start_ = added(added(base, in_bytes(along)), in_strides(across));
    }

    /// The address of the element of a lane.
    Address of(unsigned outer, unsigned inner) {
        const unsigned across = contiguous_ ? outer : inner;
        const unsigned along = contiguous_ ? inner : outer;
        const std::int64_t bytes = std::int64_t{along} * bits_ / 8;
        if (stride_.kind == OperandKind::kInteger) {
            return moved(start_, bytes + across * stride_.value * bits_ / 8);
        }
        const auto [entry, fresh] = rows_.try_emplace(across, start_);
        if (fresh && across != 0) {
            entry->second = added(start_, in_strides(number(across)));
        }
        return moved(entry->second, bytes);
    }

  private:
    /// Rows of the matrix, or its columns.
    static std::int64_t extent(const MatrixForm &form, bool rows) {
        switch (form.matrix) {
        case MatrixName::kA:
            return rows ? form.m : form.k;
        case MatrixName::kB:
            return rows ? form.k : form.n;
        default:
            return rows ? form.m : form.n;
        }
    }

    Operand times(const Operand &value, unsigned factor) {
        if (factor == 1) {
            return value;
        }
        const Register product = selector_.temporary();
        selector_.emit("IMAD", {define(product), value, number(factor), zero()});
        return use(product);
    }

    /// Elements as bytes; of elements of less than a byte there is a multiple of eight bits.
    Operand in_bytes(const Operand &elements) {
        if (bits_ >= 8) {
            return times(elements, bits_ / 8);
        }
        const Register bytes = selector_.temporary();
        selector_.emit("SHR", {define(bytes), elements, number(bits_ == 4 ? 1 : 3)});
        return use(bytes);
    }

    /// Rows or columns as bytes.
    Operand in_strides(const Operand &count) {
        const Register product = selector_.temporary();
        const bool fixed = stride_.kind == OperandKind::kInteger || stride_.kind == OperandKind::kZero;
        const Operand factor = count.kind == OperandKind::kInteger ? count : stride_;
        const Operand value = count.kind == OperandKind::kInteger && !fixed ? stride_ : count;
        selector_.emit("IMAD", {define(product), selector_.in_register(value), factor, zero()});
        return in_bytes(use(product));
    }

    /// `address` plus a number of bytes in a register.
    Address added(Address address, const Operand &bytes) {
        if (address.base == kNoRegister) {
            address.base = bytes.reg;
            address.base_words = 1;
            return address;
        }
        const Register sum = selector_.temporary(address.base_words);
        if (address.base_words == 1) {
            selector_.emit("IADD3", {define(sum), use(address.base), bytes, zero()});
        } else {
            selector_.emit("IMAD.WIDE.U32", {define(sum, 2), bytes, number(1), use(address.base, 2)});
        }
        address.base = sum;
        return address;
    }

    Selector &selector_;
    bool contiguous_;
    unsigned bits_;
    Operand stride_;
    Address start_;
    std::map<unsigned, Address> rows_; ///< by the number of strides
};

Pieces pieces_of(const MatrixForm &form) {
    return is_source(form) ? pieces_of_source(form) : pieces_of_result(form);
}

} // namespace

void load_fragment(Selector &selector, const Selection &selection, const MatrixForm &form) {
    const Pieces pieces = pieces_of(form);
    Places places(selector, selection, form, 1, pieces.run);
    std::vector<Operand> words(pieces.words);
    for (const Piece &piece : pieces.all) {
        const unsigned count = std::max(1U, piece.bytes / 4);
        const Operand loaded = define(selector.temporary(count), count);
        load_bytes(selector, selection, piece.bytes, places.of(piece.outer, piece.inner), loaded);
        if (piece.shift != 0) {
            insert(selector, words[piece.word], piece.shift / 8, piece.bytes, use(loaded.reg));
            continue;
        }
        for (unsigned i = 0; i < count; ++i) {
            words[piece.word + i] = word(loaded, i);
        }
    }
    const Type type = form.fragment(form.matrix).type;
    const auto elements = elements_of(selection.operand(0));
    for (unsigned i = 0; i < elements.size(); ++i) {
        const Operand &first = words[i * type.bits / 32 % words.size()];
        selector.write_value(*elements[i], use(first.reg, type.bits / 32, first.first), type);
    }
}

void store_fragment(Selector &selector, const Selection &selection, const MatrixForm &form) {
    const Pieces pieces = pieces_of(form);
    Places places(selector, selection, form, 0, pieces.run);
    const Type type = form.fragment(form.matrix).type;
    const auto elements = elements_of(selection.operand(1));
    const unsigned each = type.bits / 32; // words of an element
    for (const Piece &piece : pieces.all) {
        const unsigned count = std::max(1U, piece.bytes / 4);
        Operand value;
        if (count == each) {
            value = selector.read_register(*elements[piece.word / each], type);
        } else {
            const Register whole = selector.temporary(count);
            for (unsigned i = 0; i < count; i += each) {
                selector.move(define(whole, each, i), selector.read(*elements[(piece.word + i) / each], type));
            }
            value = use(whole, count);
        }
        if (piece.shift != 0) {
            const Register shifted = selector.temporary();
            selector.emit("SHR", {define(shifted), value, number(piece.shift)});
            value = use(shifted);
        }
        store_bytes(selector, selection, piece.bytes, places.of(piece.outer, piece.inner), value);
    }
}

} // namespace smsim::ptx::select
