// Operations by their mnemonics, as a configuration lists them (`bru.rtl_operations`): "all", or names with commas
// between.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smsim {

class OperationList {
  public:
    /// All operations.
    OperationList() = default;
    /// The operations that `text` lists; duplicates are removed. None when a name is empty or not a mnemonic of a
    /// control instruction.
    static std::optional<OperationList> parse(std::string_view text);

    /// Whether the operation with that mnemonic is in it.
    bool has(std::string_view mnemonic) const;
    bool all() const { return names_.empty(); }
    /// As it was read.
    std::string_view text() const { return text_; }

  private:
    std::string text_ = "all";
    std::vector<std::string> names_; ///< none: all
};

} // namespace smsim
