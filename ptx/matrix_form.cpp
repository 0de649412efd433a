#include "ptx/matrix_form.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <utility>

namespace smsim::ptx {

using isa::matrix::Element;
using isa::matrix::Layout;
using isa::matrix::MatrixOperation;

namespace {

constexpr std::array<std::pair<std::string_view, Element>, 13> kElements = {{{"f16", Element::kF16},
                                                                             {"bf16", Element::kBf16},
                                                                             {"tf32", Element::kTf32},
                                                                             {"e4m3", Element::kE4m3},
                                                                             {"e5m2", Element::kE5m2},
                                                                             {"s8", Element::kS8},
                                                                             {"u8", Element::kU8},
                                                                             {"s4", Element::kS4},
                                                                             {"u4", Element::kU4},
                                                                             {"b1", Element::kB1},
                                                                             {"f64", Element::kF64},
                                                                             {"f32", Element::kF32},
                                                                             {"s32", Element::kS32}}};

/// Shape of a whole product.
struct Extents {
    unsigned m = 0;
    unsigned n = 0;
    unsigned k = 0;
    friend bool operator==(const Extents &, const Extents &) = default;
};

/// "m16n8k16"; nothing for any other word.
std::optional<Extents> extents_of(std::string_view word) {
    Extents extents;
    for (const auto &[letter, value] :
         {std::pair{'m', &extents.m}, std::pair{'n', &extents.n}, std::pair{'k', &extents.k}}) {
        if (!word.starts_with(letter)) {
            return std::nullopt;
        }
        word.remove_prefix(1);
        std::size_t digits = 0;
        for (; digits < word.size() && digits < 3 && word[digits] >= '0' && word[digits] <= '9'; ++digits) {
            *value = *value * 10 + static_cast<unsigned>(word[digits] - '0');
        }
        if (digits == 0) {
            return std::nullopt;
        }
        word.remove_prefix(digits);
    }
    return word.empty() ? std::optional(extents) : std::nullopt;
}

/// The modifiers of an instruction, taken from the first to the last.
class Words {
  public:
    explicit Words(std::span<const std::string> words) : words_(words) {}

    bool empty() const { return words_.empty(); }
    /// Takes the next one if it is `word`.
    bool take(std::string_view word) {
        const bool is = !words_.empty() && words_.front() == word;
        words_ = words_.subspan(is ? 1 : 0);
        return is;
    }
    /// Takes the next one if it is among `choices`; empty if it is not.
    std::string_view take_of(std::initializer_list<std::string_view> choices) {
        for (const std::string_view choice : choices) {
            if (take(choice)) {
                return choice;
            }
        }
        return {};
    }
    std::optional<Extents> take_extents() {
        std::optional<Extents> extents;
        if (!words_.empty()) {
            extents = extents_of(words_.front());
        }
        words_ = words_.subspan(extents ? 1 : 0);
        return extents;
    }
    std::optional<Element> take_element() {
        for (const auto &[name, element] : kElements) {
            if (take(name)) {
                return element;
            }
        }
        return std::nullopt;
    }
    /// Takes `.sync`, or `.sync.aligned`.
    bool take_sync() {
        const bool sync = take("sync");
        take("aligned");
        return sync;
    }

  private:
    std::span<const std::string> words_;
};

std::optional<Layout> layout_of(std::string_view word) {
    if (word.empty()) {
        return std::nullopt;
    }
    return word == "row" ? Layout::kRow : Layout::kColumn;
}

/// The shape and `count` layouts, in either order.
bool take_shape_and_layouts(Words &words, Extents &shape, std::span<Layout> layouts) {
    std::optional<Extents> found = words.take_extents();
    for (Layout &layout : layouts) {
        const std::optional<Layout> word = layout_of(words.take_of({"row", "col"}));
        if (!word) {
            return false;
        }
        layout = *word;
    }
    if (!found) {
        found = words.take_extents();
    }
    shape = found.value_or(Extents{});
    return found.has_value();
}

void set_shape(MatrixForm &form, const Extents &shape) {
    form.m = shape.m;
    form.n = shape.n;
    form.k = shape.k;
}

bool take_results_and_sources(Words &words, MatrixOperation &op) {
    for (Element *element : {&op.d, &op.a, &op.b, &op.c}) {
        const std::optional<Element> taken = words.take_element();
        if (!taken) {
            return false;
        }
        *element = *taken;
    }
    return true;
}

bool is_wide_integer(const MatrixOperation &op) {
    return isa::matrix::is_int8(op.a) || isa::matrix::is_int4(op.a);
}

/// The first sm_NN with an operation of mma.
unsigned target_of(const MatrixOperation &op) {
    if (isa::matrix::is_fp8(op.a)) {
        return 89;
    }
    if (op.sparse) {
        return 80;
    }
    if (op.a == Element::kF64) {
        return op.m == 8 ? 80 : 90;
    }
    if (op.a == Element::kF16) {
        return op.m == 8 ? 70 : op.k == 8 ? 75 : 80;
    }
    const bool first_integers = op.m == 8 && !op.and_not_xor;
    return op.a == Element::kBf16 || op.a == Element::kTf32 || !first_integers ? 80 : 75;
}

/// What follows the types: of single bits `.xor.popc` or `.and.popc`.
bool take_bit_operation(Words &words, MatrixOperation &op) {
    if (op.a != Element::kB1) {
        return true;
    }
    const std::string_view word = words.take_of({"xor", "and"});
    op.and_not_xor = word == "and";
    return !word.empty() && words.take("popc");
}

std::optional<MatrixForm> mma_form(Words words) {
    MatrixForm form;
    MatrixOperation &op = form.operation;
    op.sparse = !words.take_of({"sp", "sp::ordered_metadata"}).empty();
    Extents shape;
    std::array<Layout, 2> layouts{};
    if (!words.take_sync() || !take_shape_and_layouts(words, shape, layouts)) {
        return std::nullopt;
    }
    op.saturate = words.take("satfinite");
    set_shape(form, shape);
    op.m = shape.m;
    op.n = shape.n;
    op.k = shape.k;
    op.layout_a = layouts[0];
    op.layout_b = layouts[1];
    if (!take_results_and_sources(words, op) || !take_bit_operation(words, op) || !words.empty()) {
        return std::nullopt;
    }
    const bool any_layout = isa::matrix::is_quad_pair(op);
    const bool layouts_exist = any_layout || (op.layout_a == Layout::kRow && op.layout_b == Layout::kColumn);
    const bool mixed = !any_layout && op.c != op.d;
    if (!isa::matrix::is_valid(op) || !layouts_exist || mixed || (op.saturate && !is_wide_integer(op))) {
        return std::nullopt;
    }
    form.target = target_of(op);
    return form;
}

constexpr std::array<Extents, 3> kThreeShapes = {{{16, 16, 16}, {32, 8, 16}, {8, 32, 16}}};

/// The first sm_NN with a shape of wmma for A and B of `type`; 0: none has it.
unsigned wmma_target(Element type, const Extents &shape) {
    switch (type) {
    case Element::kF16:
    case Element::kBf16:
    case Element::kS8:
    case Element::kU8:
        if (std::ranges::find(kThreeShapes, shape) == kThreeShapes.end()) {
            return 0;
        }
        return type == Element::kF16 ? 70 : type == Element::kBf16 ? 80 : 72;
    case Element::kTf32:
        return shape == Extents{16, 16, 8} ? 80 : 0;
    case Element::kS4:
    case Element::kU4:
        return shape == Extents{8, 8, 32} ? 75 : 0;
    case Element::kB1:
        return shape == Extents{8, 8, 128} ? 75 : 0;
    case Element::kF64:
        return shape == Extents{8, 8, 4} ? 80 : 0;
    default:
        return 0;
    }
}

/// The product of mma that wmma is made of.
void set_tile(MatrixForm &form) {
    MatrixOperation &op = form.operation;
    form.transposed = form.m == 8 && form.n == 32;
    op.m = form.m == 8 && form.n == 8 ? 8 : 16;
    op.n = 8;
    op.k = form.k;
    if (form.transposed) {
        std::swap(op.a, op.b);
    }
}

std::optional<MatrixForm> wmma_mma_form(Words words) {
    MatrixForm form;
    form.verb = MatrixVerb::kWmmaMma;
    MatrixOperation &op = form.operation;
    const std::string_view bits = words.take_of({"xor", "and"});
    Extents shape;
    std::array<Layout, 2> layouts{};
    if ((!bits.empty() && !words.take("popc")) || !words.take_sync() ||
        !take_shape_and_layouts(words, shape, layouts)) {
        return std::nullopt;
    }
    op.and_not_xor = bits == "and";
    const std::string_view rounding = words.take_of({"rn", "rz", "rm", "rp"});
    const std::optional<Element> first = words.take_element();
    const std::optional<Element> second = words.take_element();
    const std::optional<Element> third = words.take_element();
    const std::optional<Element> fourth = words.take_element();
    if (!first || !second || third.has_value() != fourth.has_value()) {
        return std::nullopt;
    }
    op.d = *first;
    op.a = third ? *second : Element::kF16;
    op.b = third.value_or(Element::kF16);
    op.c = fourth.value_or(*second);
    op.saturate = words.take("satfinite");
    set_shape(form, shape);
    form.target = wmma_target(op.a, shape);
    form.a_by_columns = layouts[0] == Layout::kColumn;
    form.b_by_columns = layouts[1] == Layout::kColumn;
    if (op.and_not_xor || op.a == Element::kBf16) {
        form.target = std::max(form.target, 80U);
    }
    if (!rounding.empty()) {
        constexpr std::array<std::string_view, 4> kNames = {"rn", "rm", "rp", "rz"};
        op.rounding = static_cast<isa::Rounding>(std::ranges::find(kNames, rounding) - kNames.begin());
    }
    const bool narrow = op.a == Element::kB1 || isa::matrix::is_int4(op.a);
    const bool narrow_layouts = !form.a_by_columns && form.b_by_columns;
    const bool words_fit = (op.a == Element::kB1) == !bits.empty() && (rounding.empty() || op.a == Element::kF64) &&
                           (!op.saturate || op.a == Element::kF16 || is_wide_integer(op)) &&
                           (!narrow || narrow_layouts);
    if (form.target == 0 || !words.empty() || !words_fit) {
        return std::nullopt;
    }
    set_tile(form);
    return isa::matrix::is_valid(op) ? std::optional(form) : std::nullopt;
}

/// The type of A and B of a shape of wmma that alone has it; of those that several have, f16, which has as many
/// results.
Element sources_of(const Extents &shape) {
    return shape == Extents{16, 16, 8}   ? Element::kTf32
           : shape == Extents{8, 8, 32}  ? Element::kS4
           : shape == Extents{8, 8, 128} ? Element::kB1
           : shape == Extents{8, 8, 4}   ? Element::kF64
                                         : Element::kF16;
}

/// Whether a shape with A and B of `sources` has C and D of `type`; of the three shapes s8 has s32.
bool has_results(Element sources, Element type) {
    switch (sources) {
    case Element::kF16:
        return type == Element::kF16 || type == Element::kF32 || type == Element::kS32;
    case Element::kTf32:
        return type == Element::kF32;
    case Element::kF64:
        return type == Element::kF64;
    default:
        return type == Element::kS32;
    }
}

std::optional<MatrixForm> wmma_access_form(Words words, MatrixVerb verb) {
    MatrixForm form;
    form.verb = verb;
    const std::string_view name = verb == MatrixVerb::kWmmaLoad ? words.take_of({"a", "b", "c"}) : words.take_of({"d"});
    Extents shape;
    std::array<Layout, 1> layout{};
    if (name.empty() || !words.take_sync() || !take_shape_and_layouts(words, shape, layout)) {
        return std::nullopt;
    }
    form.space = words.take_of({"global", "shared", "shared::cta"});
    form.space = form.space.substr(0, form.space.find(':'));
    const std::optional<Element> element = words.take_element();
    if (!element || !words.empty()) {
        return std::nullopt;
    }
    form.matrix = static_cast<MatrixName>(name.front() - 'a');
    form.element = *element;
    form.by_columns = layout[0] == Layout::kColumn;
    set_shape(form, shape);
    MatrixOperation &op = form.operation;
    const bool source = name == "a" || name == "b";
    op.a = op.b = source ? *element : sources_of(shape);
    if (!source) {
        op.c = op.d = *element;
    }
    form.target = wmma_target(op.a, shape);
    const bool narrow = op.a == Element::kB1 || isa::matrix::is_int4(op.a);
    const bool wrong_layout = source && narrow && form.by_columns != (name == "b");
    if (form.target == 0 || wrong_layout || (!source && !has_results(op.a, *element))) {
        return std::nullopt;
    }
    if (*element == Element::kS32 && op.a == Element::kF16) {
        form.target = 72;
    }
    set_tile(form);
    return form;
}

std::optional<MatrixForm> exchange_form(Words words, MatrixVerb verb) {
    MatrixForm form;
    form.verb = verb;
    form.target = verb == MatrixVerb::kStore ? 90 : 75;
    if (!words.take_sync()) {
        return std::nullopt;
    }
    if (verb == MatrixVerb::kMove) {
        form.trans = true;
        const bool exists = words.take("m8n8") && words.take("trans") && words.take("b16") && words.empty();
        return exists ? std::optional(form) : std::nullopt;
    }
    const bool shape_first = words.take("m8n8");
    const std::string_view count = words.take_of({"x1", "x2", "x4"});
    if (!shape_first && !words.take("m8n8")) {
        return std::nullopt;
    }
    form.trans = words.take("trans");
    form.space = words.take_of({"shared", "shared::cta"});
    form.space = form.space.substr(0, form.space.find(':'));
    if (count.empty() || !words.take("b16") || !words.empty()) {
        return std::nullopt;
    }
    form.matrices = static_cast<unsigned>(count[1] - '0');
    return form;
}

/// Words of instructions that exist, but not here: what they are.
struct Foreign {
    std::string_view word;
    std::string_view reason;
};
constexpr auto kForeign = std::to_array<Foreign>({
    {"kind::f8f6f4", "'.kind::f8f6f4' is of sm_120a"},
    {"kind::mxf8f6f4", "'.kind::mxf8f6f4' is of sm_120a"},
    {"kind::mxf4", "'.kind::mxf4' is of sm_120a"},
    {"kind::mxf4nvf4", "'.kind::mxf4nvf4' is of sm_120a"},
    {"block_scale", "'.block_scale' is of sm_120a"},
    {"m16n16", "'.m16n16' is of sm_100a"},
    {"m8n16", "'.m8n16' is of sm_100a"},
    {"m16n8", "'.m16n8' is of sm_100a"},
    {"shared::cluster", "'.shared::cluster' is memory of another CTA"},
});

std::optional<MatrixForm> form_of(std::string_view opcode, std::span<const std::string> modifiers) {
    Words words(modifiers);
    if (opcode == "mma") {
        return mma_form(words);
    }
    if (opcode != "wmma") {
        return exchange_form(words, opcode == "ldmatrix"   ? MatrixVerb::kLoad
                                    : opcode == "stmatrix" ? MatrixVerb::kStore
                                                           : MatrixVerb::kMove);
    }
    if (words.take("mma")) {
        return wmma_mma_form(words);
    }
    if (words.take("load")) {
        return wmma_access_form(words, MatrixVerb::kWmmaLoad);
    }
    return words.take("store") ? wmma_access_form(words, MatrixVerb::kWmmaStore) : std::nullopt;
}

/// Whether a fragment is the first source of the products that wmma is made of.
bool is_first_source(const MatrixForm &form, MatrixName name) {
    return (name == MatrixName::kA) != form.transposed;
}

/// Registers of A or B of wmma: those of its tiles, but of f16 always eight.
unsigned wmma_source_registers(const MatrixForm &form, MatrixName name) {
    const MatrixOperation &op = form.operation;
    const bool first = is_first_source(form, name);
    const unsigned words = first ? registers_of_a(op) : registers_of_b(op);
    return op.a == Element::kF16 ? 8 : words * wmma_tiles(form, name);
}

Type register_type(Element element) {
    return *find_type(element == Element::kF64 ? "f64" : element == Element::kF32 ? "f32" : "b32");
}

} // namespace

unsigned wmma_tiles(const MatrixForm &form, MatrixName name) {
    const unsigned tiles = form.m * form.n == 64 ? 1 : 2;
    const bool result = name == MatrixName::kC || name == MatrixName::kD;
    const bool in_first = form.m != 16; // the tiles follow one another in the rows of the first source
    return result || is_first_source(form, name) == in_first ? tiles : 1;
}

FragmentForm MatrixForm::fragment(MatrixName name) const {
    if (verb == MatrixVerb::kLoad || verb == MatrixVerb::kStore || verb == MatrixVerb::kMove) {
        return {*find_type("b32"), matrices};
    }
    const bool wmma = verb != MatrixVerb::kMma;
    unsigned words = 0;
    Element type = operation.a;
    switch (name) {
    case MatrixName::kA:
        words = wmma ? wmma_source_registers(*this, name) : registers_of_a(operation);
        break;
    case MatrixName::kB:
        type = operation.b;
        words = wmma ? wmma_source_registers(*this, name) : registers_of_b(operation);
        break;
    case MatrixName::kC:
        type = operation.c;
        words = registers_of_c(operation) * (wmma ? wmma_tiles(*this, name) : 1);
        break;
    case MatrixName::kD:
        type = operation.d;
        words = registers_of_d(operation) * (wmma ? wmma_tiles(*this, name) : 1);
        break;
    }
    return {register_type(type), type == Element::kF64 ? words / 2 : words};
}

bool is_matrix_opcode(std::string_view opcode) {
    return opcode == "mma" || opcode == "wmma" || opcode == "ldmatrix" || opcode == "stmatrix" || opcode == "movmatrix";
}

std::optional<MatrixForm> matrix_form(std::string_view opcode, const std::vector<std::string> &modifiers,
                                      std::string &reason) {
    reason.clear();
    if (std::optional<MatrixForm> form = form_of(opcode, modifiers)) {
        return form;
    }
    for (const Foreign &foreign : kForeign) {
        if (std::ranges::find(modifiers, foreign.word) != modifiers.end()) {
            reason = foreign.reason;
        }
    }
    return std::nullopt;
}

} // namespace smsim::ptx
