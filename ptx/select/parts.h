// Values that consist of several elements: vectors in registers, words of parameters.
#pragma once

#include <span>

#include "ptx/select/selector.h"

namespace smsim::ptx::select {

/// Element `index` of `bits` bits of a value of words: in the low bits of its operand.
Operand part_of(Selector &selector, const Operand &value, unsigned index, unsigned bits);

/// 8- or 16-bit values packed into one word, the first lowest; 2 or 4 bytes in all.
Operand joined(Selector &selector, std::span<const ptx::Operand *const> parts, Type type);

/// Replaces `bytes` bytes of `word`, from byte `at` on, with the low ones of `value`, a register. PRMT takes these as
/// its bytes 4 and on.
void insert(Selector &selector, const Operand &word, unsigned at, unsigned bytes, const Operand &value);

/// ld.param and st.param of the words of a call's or function's parameter, `offset` bytes from its beginning.
void access_words(Selector &selector, const Selection &selection, const Words &words, std::int64_t offset);

/// The elements of a vector operand; any other operand is its only element.
std::vector<const ptx::Operand *> elements_of(const ptx::Operand &operand);

} // namespace smsim::ptx::select
