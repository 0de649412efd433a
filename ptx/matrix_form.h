// mma, wmma, ldmatrix, stmatrix and movmatrix: what the modifiers of an instruction say, which of them exist, and what
// operands they have (tensor.md 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/isa/matrix/operation.h"
#include "ptx/type.h"

namespace smsim::ptx {

/// The matrix instructions of PTX.
enum class MatrixVerb : std::uint8_t {
    kMma,       ///< mma.sync: d, a, b, c; sparse also metadata, selector
    kWmmaMma,   ///< wmma.mma: d, a, b, c
    kWmmaLoad,  ///< wmma.load.a, .b, .c: fragment, address, stride?
    kWmmaStore, ///< wmma.store.d: address, fragment, stride?
    kLoad,      ///< ldmatrix: registers, address of a row
    kStore,     ///< stmatrix: address of a row, registers
    kMove,      ///< movmatrix: register, register
};

/// A matrix of a product.
enum class MatrixName : std::uint8_t { kA, kB, kC, kD };

/// An operand that consists of registers: how many, and of which type.
struct FragmentForm {
    Type type;
    unsigned registers = 0;
};

/// A matrix instruction.
///
/// wmma is made of products that mma has (tensor.md 1, wmma): `operation` is one of these. If `transposed`, they
/// compute the transpose of D from that of B and that of A, so the first source of `operation` is the transpose of B.
struct MatrixForm {
    MatrixVerb verb = MatrixVerb::kMma;
    isa::matrix::MatrixOperation operation; ///< mma, wmma.mma; its selector is an operand
    unsigned m = 0;                         ///< mma, wmma: shape of the whole product
    unsigned n = 0;
    unsigned k = 0;
    bool transposed = false;                                   ///< wmma m8n32
    MatrixName matrix = MatrixName::kA;                        ///< wmma.load, wmma.store
    isa::matrix::Element element = isa::matrix::Element::kF16; ///< of that matrix
    bool by_columns = false;   ///< wmma.load, wmma.store: neighbours in memory are of one column
    bool a_by_columns = false; ///< wmma.mma: how A and B were loaded
    bool b_by_columns = true;
    unsigned matrices = 1;  ///< ldmatrix, stmatrix: 1, 2 or 4
    bool trans = false;     ///< .trans
    std::string_view space; ///< of the address: "shared", "global"; empty: generic
    unsigned target = 0;    ///< the first sm_NN that has it

    /// Registers of A, B, C and D of mma and wmma, of the matrix of wmma.load and wmma.store (by its name), and of
    /// ldmatrix, stmatrix and movmatrix (kA).
    FragmentForm fragment(MatrixName name) const;
};

/// wmma: the products, each a tile of n = 8, that a matrix is part of: 1, or 2 one after the other. Their registers
/// follow one another in the fragment; where it has more, they are repeated.
unsigned wmma_tiles(const MatrixForm &form, MatrixName name);

/// True for mma, wmma, ldmatrix, stmatrix and movmatrix.
bool is_matrix_opcode(std::string_view opcode);

/// The instruction with these modifiers, in the order of PTX, except that layouts may precede or follow the shape and
/// that `.aligned` may be missing. Nothing if there is none; then `reason` says why, if it is more than
/// that: ".kind::f8f6f4 is of sm_120".
std::optional<MatrixForm> matrix_form(std::string_view opcode, const std::vector<std::string> &modifiers,
                                      std::string &reason);

} // namespace smsim::ptx
