#include "ptx/declaration_checker.h"

#include <algorithm>

namespace smsim::ptx {

namespace {

using assembler::Diagnostics;

/// Far above what compilers write; with it, the places of variables stay small numbers.
constexpr std::uint64_t kMostAlignment = 4096;

class DeclarationChecker {
  public:
    DeclarationChecker(const Variable &variable, DeclaredIn where, const Scopes &scopes, Diagnostics &diagnostics)
        : variable_(variable), where_(where), scopes_(scopes), diagnostics_(diagnostics) {}

    void run() {
        space();
        attributes();
        type();
        array();
        if (variable_.initialiser) {
            initialiser();
        }
    }

  private:
    void error(const std::string &message) { error(variable_.place, message); }
    void error(assembler::Place place, const std::string &message) {
        diagnostics_.add(place, "'" + variable_.name + "': " + message);
    }

    void space() {
        const bool module = where_ == DeclaredIn::kModule;
        const Space space = variable_.space;
        if (module && (space == Space::kReg || space == Space::kParam || space == Space::kLocal)) {
            error("." + std::string(space_name(space)) + " outside of functions; expected .global, .const or .shared");
        }
        if (where_ == DeclaredIn::kBody && space == Space::kConst) {
            error(".const within a function; expected it in the module");
        }
        if (variable_.linkage == Linkage::kCommon && space != Space::kGlobal) {
            error(".common in ." + std::string(space_name(space)) + "; expected .global");
        }
    }

    void attributes() {
        if (!variable_.attributes.empty() && variable_.space != Space::kGlobal) {
            error(".attribute in ." + std::string(space_name(variable_.space)) + "; expected it in .global");
        }
    }

    void type() {
        const bool predicate = variable_.type.kind == TypeClass::kPredicate;
        if (predicate && (variable_.space != Space::kReg || variable_.vector != 1)) {
            error(".pred is for single registers; expected another type");
        }
        if (variable_.align > kMostAlignment) {
            error("alignment of " + std::to_string(variable_.align) + " bytes; expected at most " +
                  std::to_string(kMostAlignment));
        }
        if (variable_.vector * variable_.type.bits > 128) {
            error("vector of " + std::to_string(variable_.vector * variable_.type.bits) +
                  " bits; expected at most 128");
        }
    }

    void array() {
        const auto &dimensions = variable_.dimensions;
        const auto open = std::ranges::count(dimensions, std::uint64_t{0});
        if (variable_.space == Space::kReg && !dimensions.empty()) {
            error("array of registers; expected single registers");
        }
        if (variable_.range && (!dimensions.empty() || variable_.initialiser)) {
            error("range of names with array or value; expected names alone");
        }
        const bool sized_elsewhere =
            variable_.linkage == Linkage::kExtern || variable_.initialiser || where_ == DeclaredIn::kSignature;
        if (open > 1 || (open == 1 && (dimensions.front() != 0 || !sized_elsewhere))) {
            error("array without size; expected [n]");
        }
        if (size_in_bytes(variable_) > std::uint64_t{1} << 40) {
            error("array of 2^40 bytes or more; expected a smaller one");
        }
    }

    void initialiser() {
        if (variable_.linkage == Linkage::kExtern) {
            error("value of an .extern variable; expected none");
        }
        if (variable_.space != Space::kGlobal && variable_.space != Space::kConst) {
            error("value of a variable in ." + std::string(space_name(variable_.space)) +
                  "; expected it in .global or .const");
        }
        std::vector<std::uint64_t> shape = variable_.dimensions;
        if (variable_.vector > 1) {
            shape.push_back(variable_.vector);
        }
        level(*variable_.initialiser, shape, 0);
    }

    /// Checks one level of braces against its dimension.
    void level(const Initialiser &value, const std::vector<std::uint64_t> &shape, std::size_t dimension) {
        if (value.kind != Initialiser::Kind::kList) {
            if (dimension < shape.size()) {
                error(value.place, "single value for an array; expected {...}");
            }
            return element(value);
        }
        if (dimension >= shape.size()) {
            return error(value.place, "too many braces; expected a single value");
        }
        if (shape[dimension] != 0 && value.elements.size() > shape[dimension]) {
            error(value.place, std::to_string(value.elements.size()) + " values; expected at most " +
                                   std::to_string(shape[dimension]));
        }
        // Inner braces may be omitted: the values then fill the array in order.
        const bool nested = std::ranges::any_of(
            value.elements, [](const Initialiser &one) { return one.kind == Initialiser::Kind::kList; });
        for (const Initialiser &one : value.elements) {
            level(one, shape, nested ? dimension + 1 : shape.size());
        }
    }

    void element(const Initialiser &value) {
        using enum Initialiser::Kind;
        const TypeClass kind = variable_.type.kind;
        const bool integer = kind == TypeClass::kUnsigned || kind == TypeClass::kSigned;
        if ((value.kind == kSingle || value.kind == kDouble) && integer) {
            error(value.place, "float for ." + std::string(variable_.type.name) + "; expected an integer");
        } else if (value.kind == kInteger && kind == TypeClass::kFloat) {
            error(value.place, "integer for ." + std::string(variable_.type.name) + "; expected a float");
        } else if (value.kind == kAddress) {
            address(value);
        }
    }

    void address(const Initialiser &value) {
        if (!scopes_.find(value.name).known()) {
            error(value.place, "'" + value.name + "' is not declared; expected a variable or function");
        }
        const bool fits = value.mask != 0 ? variable_.type.bits == 8
                                          : variable_.type.bits >= 32 && variable_.type.kind != TypeClass::kFloat;
        if (!fits) {
            error(value.place,
                  "address in ." + std::string(variable_.type.name) + "; expected .u32, .u64, or .u8 with a mask");
        }
    }

    const Variable &variable_;
    DeclaredIn where_;
    const Scopes &scopes_;
    Diagnostics &diagnostics_;
};

} // namespace

void check_declaration(const Variable &variable, DeclaredIn where, const Scopes &scopes, Diagnostics &diagnostics) {
    DeclarationChecker(variable, where, scopes, diagnostics).run();
}

} // namespace smsim::ptx
