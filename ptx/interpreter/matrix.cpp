// Instructions of a whole warp on matrices: products, and moves of matrices between memory and registers. All 32
// threads take part: they meet, all sources of all of them are read, then all targets are written.
#include <algorithm>

#include <fmt/format.h>

#include "ptx/interpreter/fragments.h"
#include "ptx/interpreter/machine.h"
#include "ptx/interpreter/matrix_arithmetic.h"

namespace smsim::ptx::interpreter {

namespace {

using isa::matrix::Element;
using isa::matrix::MatrixOperation;
using Registers = std::span<const std::uint64_t>;

constexpr std::uint64_t kWholeWarp = 0xffff'ffff;
constexpr unsigned kMatrixRows = 8; ///< of a matrix of ldmatrix
constexpr unsigned kMatrixRowBytes = 16;

/// The bits of the elements of a matrix.
struct Matrix {
    unsigned columns = 0;
    std::vector<std::uint64_t> elements;

    Matrix(unsigned rows, unsigned columns_of_it)
        : columns(columns_of_it), elements(std::size_t{rows} * columns_of_it) {}
    std::uint64_t &at(unsigned row, unsigned column) { return elements.at(std::size_t{row} * columns + column); }
    std::uint64_t at(unsigned row, unsigned column) const { return elements.at(std::size_t{row} * columns + column); }
};

/// Where the registers of each source of a product start among those that a lane brings: A, B, C and what follows.
struct Starts {
    unsigned b;
    unsigned c;
    unsigned end;

    explicit Starts(const MatrixForm &form)
        : b(form.fragment(MatrixName::kA).registers), c(b + form.fragment(MatrixName::kB).registers),
          end(c + form.fragment(MatrixName::kC).registers) {}

    unsigned of(MatrixName name) const { return name == MatrixName::kA ? 0 : name == MatrixName::kB ? b : c; }
};

Element type_of(const MatrixOperation &operation, MatrixName name) {
    switch (name) {
    case MatrixName::kA:
        return operation.a;
    case MatrixName::kB:
        return operation.b;
    case MatrixName::kC:
        return operation.c;
    default:
        return operation.d;
    }
}

// mma.

/// A matrix of an mma, without what a sparse A leaves out: its shape.
struct MmaShape {
    unsigned rows;
    unsigned columns;
};

MmaShape shape_of(const MatrixOperation &operation, MatrixName name) {
    switch (name) {
    case MatrixName::kA:
        return {operation.m, isa::matrix::stored_k(operation)};
    case MatrixName::kB:
        return {operation.k, operation.n};
    default:
        return {operation.m, operation.n};
    }
}

/// The matrices of that name of the products of an mma.
std::vector<Matrix> gather(const MatrixForm &form, MatrixName name, const WarpRegisters &given) {
    const MatrixOperation &operation = form.operation;
    const auto [rows, columns] = shape_of(operation, name);
    const unsigned products = isa::matrix::products(operation);
    const unsigned width = isa::matrix::width(type_of(operation, name));
    const unsigned start = Starts(form).of(name);
    std::vector<Matrix> matrices(products, Matrix(rows, columns));
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        for (unsigned i = 0; i < products * rows * columns / kWarp; ++i) {
            const ElementPlace place = mma_place(operation, name, lane, i);
            matrices.at(place.product).at(place.row, place.column) =
                element_of(Registers(given.at(lane)).subspan(start), form.fragment(name).type.bits, width, i);
        }
    }
    return matrices;
}

/// The row of B that each stored element of a row of A meets.
std::vector<unsigned> rows_met(const MatrixForm &form, const WarpRegisters &given, unsigned row) {
    const MatrixOperation &operation = form.operation;
    std::vector<unsigned> met(isa::matrix::stored_k(operation));
    std::array<std::uint32_t, kWarp> metadata{};
    unsigned selector = 0;
    if (operation.sparse) {
        const unsigned at = Starts(form).end;
        selector = static_cast<unsigned>(given.at(0).at(at + 1));
        std::ranges::transform(given, metadata.begin(),
                               [&](const auto &lane) { return static_cast<std::uint32_t>(lane.at(at)); });
    }
    for (unsigned i = 0; i < met.size(); ++i) {
        met[i] = operation.sparse ? sparse_column(operation, selector, metadata, row, i) : i;
    }
    return met;
}

std::vector<std::uint64_t> row_of(const Matrix &matrix, unsigned row) {
    std::vector<std::uint64_t> elements;
    for (unsigned column = 0; column < matrix.columns; ++column) {
        elements.push_back(matrix.at(row, column));
    }
    return elements;
}

std::vector<std::uint64_t> column_of(const Matrix &matrix, unsigned column, std::span<const unsigned> rows) {
    std::vector<std::uint64_t> elements;
    for (const unsigned row : rows) {
        elements.push_back(matrix.at(row, column));
    }
    return elements;
}

void multiply(const MatrixForm &form, const WarpRegisters &given, const MatrixArithmetic &arithmetic,
              WarpRegisters &results) {
    const MatrixOperation &operation = form.operation;
    const std::vector<Matrix> a = gather(form, MatrixName::kA, given);
    const std::vector<Matrix> b = gather(form, MatrixName::kB, given);
    std::vector<Matrix> c = gather(form, MatrixName::kC, given);
    for (unsigned row = 0; row < operation.m; ++row) {
        const std::vector<unsigned> met = rows_met(form, given, row);
        for (unsigned product = 0; product < a.size(); ++product) {
            for (unsigned column = 0; column < operation.n; ++column) {
                std::uint64_t &element = c[product].at(row, column);
                element = matrix_element(operation, row_of(a[product], row), column_of(b[product], column, met),
                                         element, arithmetic);
            }
        }
    }
    const FragmentForm fragment = form.fragment(MatrixName::kD);
    const unsigned width = isa::matrix::width(operation.d);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        results.at(lane).assign(fragment.registers, 0);
        for (unsigned i = 0; i < fragment.registers * fragment.type.bits / width; ++i) {
            const ElementPlace place = mma_place(operation, MatrixName::kD, lane, i);
            put_element(results.at(lane), fragment.type.bits, width, i,
                        c.at(place.product).at(place.row, place.column));
        }
    }
}

// wmma.

WmmaMatrix wmma_matrix(const MatrixForm &form, MatrixName name, Element element) {
    return {name, form.m, form.n, form.k, isa::matrix::width(element)};
}

/// The type of a source of wmma; the products of m8n32 have B first.
Element wmma_type_of(const MatrixForm &form, MatrixName name) {
    if (form.transposed && name == MatrixName::kA) {
        return form.operation.b;
    }
    return type_of(form.operation, form.transposed && name == MatrixName::kB ? MatrixName::kA : name);
}

Matrix gather_wmma(const MatrixForm &form, MatrixName name, const WarpRegisters &given) {
    const WmmaMatrix matrix = wmma_matrix(form, name, wmma_type_of(form, name));
    const unsigned start = Starts(form).of(name);
    Matrix gathered(matrix.rows(), matrix.columns());
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        for (unsigned i = 0; i < matrix.elements(); ++i) {
            const ElementPlace place = matrix.place(lane, i);
            gathered.at(place.row, place.column) =
                element_of(Registers(given.at(lane)).subspan(start), form.fragment(name).type.bits, matrix.width, i);
        }
    }
    return gathered;
}

void multiply_wmma(const MatrixForm &form, const WarpRegisters &given, const MatrixArithmetic &arithmetic,
                   WarpRegisters &results) {
    const Matrix a = gather_wmma(form, MatrixName::kA, given);
    const Matrix b = gather_wmma(form, MatrixName::kB, given);
    Matrix c = gather_wmma(form, MatrixName::kC, given);
    std::vector<unsigned> rows(form.k);
    for (unsigned k = 0; k < form.k; ++k) {
        rows[k] = k;
    }
    for (unsigned row = 0; row < form.m; ++row) {
        for (unsigned column = 0; column < form.n; ++column) {
            const std::vector<std::uint64_t> of_a = row_of(a, row);
            const std::vector<std::uint64_t> of_b = column_of(b, column, rows);
            std::uint64_t &element = c.at(row, column);
            element = form.transposed ? matrix_element(form.operation, of_b, of_a, element, arithmetic)
                                      : matrix_element(form.operation, of_a, of_b, element, arithmetic);
        }
    }
    const WmmaMatrix d = wmma_matrix(form, MatrixName::kD, form.operation.d);
    const FragmentForm fragment = form.fragment(MatrixName::kD);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        results.at(lane).assign(fragment.registers, 0);
        for (unsigned i = 0; i < d.elements(); ++i) {
            const ElementPlace place = d.place(lane, i);
            put_element(results.at(lane), fragment.type.bits, d.width, i, c.at(place.row, place.column));
        }
    }
}

/// The matrix of a load or store of wmma in memory. A row of elements of fewer than 8 bits is packed.
struct Stored {
    WmmaMatrix matrix;
    bool by_columns = false;
    std::uint64_t stride = 0; ///< elements from one row (by columns: column) to the next

    Stored(const MatrixForm &form, std::span<const std::uint64_t> stride_operand)
        : matrix(wmma_matrix(form, form.matrix, form.element)), by_columns(form.by_columns),
          stride(!stride_operand.empty() ? stride_operand.front()
                 : form.by_columns       ? matrix.rows()
                                         : matrix.columns()) {}

    std::uint64_t first_bit(const ElementPlace &place) const {
        const std::uint64_t element =
            by_columns ? place.column * stride + place.row : place.row * stride + place.column;
        return element * matrix.width;
    }
    unsigned bytes() const { return std::max(matrix.width / 8, 1U); }
    /// What each row must be aligned to: the bytes of a fragment, at most 16.
    unsigned align(const FragmentForm &fragment) const {
        return std::min(fragment.registers * fragment.type.bits / 8, 16U);
    }
};

// Matrices of 8 rows of 8 elements of 16 bits.

/// The matrix whose rows of 16 bytes are these, in registers: one of each lane.
std::uint64_t exchanged(const Matrix &matrix, unsigned lane, bool trans) {
    const unsigned row = lane / 4;
    const unsigned column = lane % 4 * 2;
    return trans ? matrix.at(column, row) | matrix.at(column + 1, row) << 16
                 : matrix.at(row, column) | matrix.at(row, column + 1) << 16;
}

/// The inverse: register `number` of the lanes as a matrix.
Matrix collected(const WarpRegisters &given, unsigned number, bool trans) {
    Matrix matrix(kMatrixRows, kMatrixRows);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        for (unsigned i = 0; i < 2; ++i) {
            const std::uint64_t element = low_bits(given.at(lane).at(number) >> (16 * i), 16);
            const unsigned row = lane / 4;
            const unsigned column = lane % 4 * 2 + i;
            (trans ? matrix.at(column, row) : matrix.at(row, column)) = element;
        }
    }
    return matrix;
}

} // namespace

void multiply_matrices(const MatrixForm &form, const WarpRegisters &given, const MatrixArithmetic &arithmetic,
                       WarpRegisters &results) {
    if (form.verb == MatrixVerb::kMma) {
        multiply(form, given, arithmetic, results);
    } else {
        multiply_wmma(form, given, arithmetic, results);
    }
}

/// The address in a thread's first source, with the offset of the instruction.
std::uint64_t Cta::matrix_address(const Thread &thread, const Step &step, const WarpRegisters &given) const {
    const std::uint64_t base = given.at(thread.lane()).front();
    return low_bits(base + static_cast<std::uint64_t>(step.offset), step.address_bits);
}

/// Address and stride of wmma are those of the whole warp.
std::uint64_t Cta::common_address(const Members &members, const Step &step, const WarpRegisters &given) {
    const std::size_t fragment =
        step.matrix->verb == MatrixVerb::kWmmaStore ? step.matrix->fragment(step.matrix->matrix).registers : 0;
    const auto stride_of = [&](unsigned lane) {
        return given.at(lane).size() > 1 + fragment ? given.at(lane).back() : 0;
    };
    const std::uint64_t address = matrix_address(*members.front(), step, given);
    for (unsigned lane = 1; lane < kWarp; ++lane) {
        if (matrix_address(*members.at(lane), step, given) != address || stride_of(lane) != stride_of(0)) {
            fail(*members.at(lane), "the threads of the warp give different addresses or strides");
        }
    }
    return address;
}

void Cta::load_wmma(const Members &members, const Step &step, const WarpRegisters &given, WarpRegisters &results) {
    const MatrixForm &form = *step.matrix;
    const FragmentForm fragment = form.fragment(form.matrix);
    const Stored stored(form, std::span(given.front()).subspan(1));
    const std::uint64_t base = common_address(members, step, given);
    check_rows(*members.front(), base, stored.stride * stored.matrix.width, stored.align(fragment));
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        results.at(lane).assign(fragment.registers, 0);
        for (unsigned i = 0; i < fragment.registers * fragment.type.bits / stored.matrix.width; ++i) {
            const std::uint64_t bit = stored.first_bit(stored.matrix.place(lane, i));
            const std::uint8_t *bytes = memories_.at(step.memory, base + bit / 8, stored.bytes(), stored.bytes(),
                                                     members.at(lane)->local, false);
            put_element(results.at(lane), fragment.type.bits, stored.matrix.width, i,
                        load_bytes(bytes, stored.bytes()) >> bit % 8);
        }
    }
}

void Cta::store_wmma(const Members &members, const Step &step, const WarpRegisters &given) {
    const MatrixForm &form = *step.matrix;
    const FragmentForm fragment = form.fragment(form.matrix);
    const Stored stored(form, std::span(given.front()).subspan(1 + fragment.registers));
    const std::uint64_t base = common_address(members, step, given);
    check_rows(*members.front(), base, stored.stride * stored.matrix.width, stored.align(fragment));
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        for (unsigned i = 0; i < stored.matrix.elements(); ++i) {
            const std::uint64_t bit = stored.first_bit(stored.matrix.place(lane, i));
            std::uint8_t *bytes = memories_.at(step.memory, base + bit / 8, stored.bytes(), stored.bytes(),
                                               members.at(lane)->local, true);
            store_bytes(bytes,
                        element_of(Registers(given.at(lane)).subspan(1), fragment.type.bits, stored.matrix.width, i),
                        stored.bytes());
        }
    }
}

void Cta::check_rows(const Thread &thread, std::uint64_t base, std::uint64_t stride_bits, unsigned align) const {
    if (base % align != 0 || stride_bits % (8 * align) != 0) {
        fail(thread,
             fmt::format("address {:#x} or stride of {} bits is not a multiple of {} bytes", base, stride_bits, align));
    }
}

/// Row `row` of matrix `number`, whose address a lane of its own has.
std::uint8_t *Cta::matrix_row(const Members &members, const Step &step, const WarpRegisters &given, unsigned number,
                              unsigned row) {
    Thread &thread = *members.at(kMatrixRows * number + row);
    const std::uint64_t address = matrix_address(thread, step, given);
    if (step.memory != Memory::kShared && memory_of(address) != Memory::kShared) {
        fail(thread, fmt::format("address {:#x} is not in shared memory", address));
    }
    const bool written = step.matrix->verb == MatrixVerb::kStore;
    return memories_.at(step.memory, address, kMatrixRowBytes, kMatrixRowBytes, thread.local, written);
}

void Cta::load_matrices(const Members &members, const Step &step, const WarpRegisters &given, WarpRegisters &results) {
    for (unsigned number = 0; number < step.matrix->matrices; ++number) {
        Matrix matrix(kMatrixRows, kMatrixRows);
        for (unsigned row = 0; row < kMatrixRows; ++row) {
            const std::uint8_t *bytes = matrix_row(members, step, given, number, row);
            for (unsigned column = 0; column < kMatrixRows; ++column) {
                matrix.at(row, column) = load_bytes(bytes + std::size_t{2} * column, 2);
            }
        }
        for (unsigned lane = 0; lane < kWarp; ++lane) {
            results.at(lane).push_back(exchanged(matrix, lane, step.matrix->trans));
        }
    }
}

void Cta::store_matrices(const Members &members, const Step &step, const WarpRegisters &given) {
    for (unsigned number = 0; number < step.matrix->matrices; ++number) {
        const Matrix matrix = collected(given, 1 + number, step.matrix->trans);
        for (unsigned row = 0; row < kMatrixRows; ++row) {
            std::uint8_t *bytes = matrix_row(members, step, given, number, row);
            for (unsigned column = 0; column < kMatrixRows; ++column) {
                store_bytes(bytes + std::size_t{2} * column, matrix.at(row, column), 2);
            }
        }
    }
}

void Cta::resolve_matrix(const Members &members, const Step &step, const WarpRegisters &given, WarpRegisters &results) {
    switch (step.matrix->verb) {
    case MatrixVerb::kMma:
    case MatrixVerb::kWmmaMma:
        return multiply_matrices(*step.matrix, given, {launch_.tensor_arithmetic, launch_.tensor_zero_terms}, results);
    case MatrixVerb::kWmmaLoad:
        return load_wmma(members, step, given, results);
    case MatrixVerb::kWmmaStore:
        return store_wmma(members, step, given);
    case MatrixVerb::kLoad:
        return load_matrices(members, step, given, results);
    case MatrixVerb::kStore:
        return store_matrices(members, step, given);
    case MatrixVerb::kMove:
        for (unsigned lane = 0; lane < kWarp; ++lane) {
            results.at(lane).push_back(exchanged(collected(given, 0, false), lane, true));
        }
        return;
    }
}

void Cta::meet_matrix(Thread &thread, const Step &step) {
    thread.mask = kWholeWarp;
    thread.state = State::kMeeting;
    thread.waiting = &step;
    try_matrix(thread.warp(), thread);
}

void Cta::try_matrix(unsigned warp, const Thread &member) {
    const Step &step = *member.waiting;
    Members members{};
    bool complete = true;
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        const std::size_t index = warp * kWarp + lane;
        if (index >= threads_.size() || threads_[index].state == State::kDone) {
            fail(member, fmt::format("takes all 32 threads of the warp, but lane {} {}", lane,
                                     index >= threads_.size() ? "has none" : "has exited"));
        }
        members.at(lane) = &threads_[index];
        complete = complete && threads_[index].state == State::kMeeting && threads_[index].waiting == &step;
    }
    if (!complete) {
        return;
    }
    WarpRegisters given;
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        for (const Source &source : step.sources) {
            given.at(lane).push_back(read(*members.at(lane), source));
        }
    }
    WarpRegisters results;
    resolve_matrix(members, step, given, results);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        for (std::size_t i = 0; i < step.targets.size(); ++i) {
            write(*members.at(lane), step.targets[i], results.at(lane).at(i));
        }
        members.at(lane)->state = State::kReady;
        ++members.at(lane)->frames.back().next;
    }
}

} // namespace smsim::ptx::interpreter
