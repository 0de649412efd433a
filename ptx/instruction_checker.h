// Checks one instruction against the table of instructions and the names in scope.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ptx/ast.h"
#include "ptx/refusal.h"
#include "ptx/scope.h"

namespace smsim::ptx {

/// What an instruction is checked against.
struct CheckContext {
    const Scopes &scopes;
    assembler::Diagnostics &diagnostics;
    unsigned address_size = 64;               ///< bits
    unsigned target = 0;                      ///< NN of `.target sm_NN`; 0: of another name
    std::vector<Refusal> *refusals = nullptr; ///< receives what is not covered
    const std::string *function = nullptr;    ///< the function whose body it is

    /// Records a PTX construct that this compiler does not cover.
    void refuse(assembler::Place place, std::string message) const {
        refusals->push_back({*function, Position(place), std::move(message)});
    }
};

/// Reports to the diagnostics: unknown or uncovered instructions, incompatible modifiers, number, kind, type and state
/// space of operands, undeclared names, missing labels, calls that do not match their signature.
void check_instruction(const CheckContext &context, const Instruction &instruction);

/// Refuses an instruction that `target` (NN of sm_NN) and later ones have, if the module's is an earlier one; true when
/// it did.
bool refuse_for_target(const CheckContext &context, const Instruction &instruction, unsigned target);

/// Checks mma, wmma, ldmatrix, stmatrix and movmatrix; part of `check_instruction`.
void check_matrix(const CheckContext &context, const Instruction &instruction);

/// Checks a call's operands against the signature of what is called; part of `check_instruction`.
void check_call(const CheckContext &context, const Instruction &instruction);

} // namespace smsim::ptx
