#include "ptx/interpreter/layout.h"

#include <algorithm>
#include <bit>

#include "model/error.h"

namespace smsim::ptx::interpreter {

namespace {

constexpr std::uint64_t kLargest = std::uint64_t{1} << 30;

class Initialisation {
  public:
    Initialisation(const ptx::Variable &variable, std::vector<std::uint8_t> &bytes, Names &names)
        : variable_(variable), bytes_(bytes), names_(names), size_(variable.type.bits / 8),
          shape_(variable.dimensions) {
        if (variable.vector > 1) {
            shape_.push_back(variable.vector);
        }
    }

    void level(const ptx::Initialiser &value, std::size_t dimension, std::uint64_t at) {
        using Kind = ptx::Initialiser::Kind;
        if (value.kind != Kind::kList) {
            return store(at, element(value));
        }
        const bool nested =
            std::ranges::any_of(value.elements, [](const auto &one) { return one.kind == Kind::kList; });
        std::uint64_t stride = size_;
        for (std::size_t inner = dimension + 1; nested && inner < shape_.size(); ++inner) {
            stride *= shape_[inner];
        }
        for (const ptx::Initialiser &one : value.elements) {
            level(one, nested ? dimension + 1 : shape_.size(), at);
            at += stride;
        }
    }

  private:
    std::uint64_t element(const ptx::Initialiser &value) {
        using Kind = ptx::Initialiser::Kind;
        const auto bits = static_cast<std::uint64_t>(value.value);
        const auto format = format_of(variable_.type);
        const bool converts = format && value.kind != Kind::kInteger;
        if (value.kind == Kind::kAddress) {
            return address(value);
        }
        if (!converts) {
            return bits;
        }
        const Format from = value.kind == Kind::kSingle ? kSingle : kDouble;
        return *format == from ? bits : encode(*format, decode(from, bits), Rounding::kNearest);
    }

    std::uint64_t address(const ptx::Initialiser &value) {
        unsigned unused = 0;
        const Entity *entity = names_.find(value.name, unused);
        if (entity == nullptr) {
            throw InputError("'" + value.name + "' is not declared");
        }
        const std::uint64_t plain = address_of(*entity);
        std::uint64_t address = value.generic ? generic_address(entity->memory, plain) : plain;
        address += static_cast<std::uint64_t>(value.value);
        return value.mask == 0 ? address : (address & value.mask) >> std::countr_zero(value.mask);
    }

    void store(std::uint64_t at, std::uint64_t value) {
        for (unsigned i = 0; i < size_ && at + i < bytes_.size(); ++i) {
            bytes_[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
        }
    }

    const ptx::Variable &variable_;
    std::vector<std::uint8_t> &bytes_;
    Names &names_;
    unsigned size_;
    std::vector<std::uint64_t> shape_;
};

} // namespace

std::uint64_t bytes_of(const ptx::Variable &variable) {
    const bool open = !variable.dimensions.empty() && variable.dimensions.front() == 0;
    if (!open || !variable.initialiser) {
        return size_in_bytes(variable);
    }
    ptx::Variable counted = variable;
    counted.dimensions.front() = variable.initialiser->elements.size();
    return size_in_bytes(counted);
}

std::uint64_t place(const ptx::Variable &variable, std::uint64_t &size) {
    const std::uint64_t natural = std::max<std::uint64_t>(std::uint64_t{variable.type.bits} / 8 * variable.vector, 1);
    const std::uint64_t align = std::max(variable.align, std::bit_ceil(natural));
    const std::uint64_t bytes = bytes_of(variable);
    if (align > kLargest || bytes > kLargest || size > kLargest) {
        throw InputError("'" + variable.name + "' is larger than the interpreter covers (2^30 bytes)");
    }
    const std::uint64_t offset = (size + align - 1) / align * align;
    size = offset + bytes;
    return offset;
}

void initialise(const ptx::Variable &variable, std::uint64_t offset, std::vector<std::uint8_t> &bytes, Names &names) {
    if (variable.initialiser) {
        Initialisation(variable, bytes, names).level(*variable.initialiser, 0, offset);
    }
}

std::uint64_t address_of(const Entity &entity) {
    if (entity.kind == Entity::Kind::kFunction) {
        return kFunctionAddresses + kFunctionStep * (entity.address + 1);
    }
    return entity.memory == Memory::kGlobal ? kModuleGlobals + entity.address : entity.address;
}

std::uint64_t generic_address(Memory memory, std::uint64_t address) {
    const std::uint64_t window = memory == Memory::kShared      ? kSharedWindow
                                 : memory == Memory::kLocal     ? kLocalWindow
                                 : memory == Memory::kParameter ? kParameterWindow
                                 : memory == Memory::kConst     ? kConstWindow
                                                                : 0;
    return window == 0 ? address : window << 32 | low_bits(address, 32);
}

} // namespace smsim::ptx::interpreter
