// Programs as binary files (.smbin). The layout is described in docs/instruction-set.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/program/program.h"

namespace smsim {

/// Version of the file format that is written for programs of the default engine, so that their files do not change.
inline constexpr std::uint32_t kContainerVersion = 2;
/// Version of a file that names its engine; readers that know only version 2 reject it instead of running it.
inline constexpr std::uint32_t kEngineVersion = 3;
/// Version of a file in which a kernel declares the CTAs it is for; it names its engine, too.
inline constexpr std::uint32_t kBoundsVersion = 4;

/// The bytes of a program's file. Throws InputError when an instruction has no encoding.
std::vector<std::uint8_t> serialize_program(const Program &program);

/// The program in `bytes`; the inverse of `serialize_program`. Files of version 1, without global data and sizes of
/// arguments, are read too. `file` appears in messages. Throws InputError, with file, byte offset or instruction
/// address and reason, when the bytes are no such file: wrong magic or version, cut short, altered (CRC-32), an engine
/// that does not exist, a word that is no instruction, a BRA that leaves the program, or a table that points outside
/// the code.
Program deserialize_program(std::span<const std::uint8_t> bytes, const std::string &file);

/// True when `bytes`, the content of `file`, are meant to be a binary program: by the name (.smbin) or by the content,
/// even if damaged. Otherwise they are assembly text.
bool is_program_file(std::span<const std::uint8_t> bytes, const std::string &file);

} // namespace smsim
