#include "ptx/interpreter/resolver.h"

#include "model/error.h"
#include "ptx/instruction_table.h"
#include "ptx/interpreter/layout.h"

namespace smsim::ptx::interpreter {

namespace {

using ptx::OperandKind;

/// The words of an operand pattern.
std::vector<std::string_view> words_of(std::string_view pattern) {
    std::vector<std::string_view> words;
    while (!pattern.empty()) {
        const std::size_t at = pattern.find(' ');
        words.push_back(pattern.substr(0, at));
        pattern = at == std::string_view::npos ? std::string_view() : pattern.substr(at + 1);
    }
    return words;
}

bool takes(std::string_view pattern, std::size_t count) {
    if (pattern == "*") {
        return true;
    }
    const auto words = words_of(pattern);
    std::size_t needed = words.size();
    while (needed > 0 && words[needed - 1].ends_with('?')) {
        --needed;
    }
    return count >= needed && count <= words.size();
}

ptx::Type doubled(ptx::Type type) {
    const std::string name(1, type.name.front());
    return ptx::find_type(name + std::to_string(2 * type.bits)).value_or(ptx::bits_type(64));
}

ptx::Type predicate() {
    return *ptx::find_type("pred");
}

/// The type that a letter of an operand pattern asks for.
ptx::Type type_of(char letter, const std::vector<ptx::Type> &types) {
    const ptx::Type first = types.empty() ? ptx::bits_type(32) : types.front();
    switch (letter) {
    case 'b':
    case 'B':
        return types.size() > 1 ? types[1] : first;
    case 'w':
    case 'c':
        return doubled(first);
    case 'u':
    case 'e':
    case 'q':
    case 'z':
    case 'Q':
    case 'Z':
        return ptx::bits_type(32);
    case 'k':
        return ptx::bits_type(64);
    case 'P':
    case 'p':
        return predicate();
    case 'i':
        return ptx::bits_type(64);
    default:
        return first;
    }
}

bool is_written(char letter) {
    return std::string_view("dDwePvxzZ").find(letter) != std::string_view::npos;
}

} // namespace

Parameter FunctionResolver::formal(const ptx::Variable &variable) {
    Parameter parameter;
    Entity entity;
    entity.type = variable.type;
    parameter.bytes = size_in_bytes(variable);
    if (variable.space == ptx::Space::kReg) {
        entity.kind = Entity::Kind::kRegister;
        entity.vector = variable.vector;
        entity.slot = out_.slots;
        out_.slots += variable.vector;
        parameter.in_register = true;
        parameter.target = {false, is_signed(variable.type), variable.type.bits, variable.type.bits, entity.slot};
    } else {
        entity.memory = function_.entry ? Memory::kParameter : Memory::kLocal;
        entity.in_frame = !function_.entry;
        entity.address = place(variable, function_.entry ? out_.parameter_bytes : out_.frame_bytes);
        entity.bytes = parameter.bytes;
        parameter.offset = entity.address;
    }
    names_.declare(variable.name, entity);
    return parameter;
}

void FunctionResolver::signature() {
    for (const ptx::Variable &variable : function_.signature.returns) {
        out_.returns.push_back(formal(variable));
    }
    for (const ptx::Variable &variable : function_.signature.parameters) {
        out_.parameters.push_back(formal(variable));
    }
}

void FunctionResolver::body() {
    names_.enter();
    signature();
    block(*function_.body);
    names_.leave();
    Step end;
    end.kind = Kind::kReturn;
    out_.steps.push_back(end);
    for (Step &step : out_.steps) {
        for (unsigned &position : step.positions) {
            position = label_positions_[position];
        }
    }
    out_.defined = true;
}

void FunctionResolver::block(const ptx::Block &block) {
    names_.enter();
    for (const ptx::Statement &statement : block.statements) {
        if (const auto *label = std::get_if<ptx::Label>(&statement.what)) {
            names_.declare_label(label->name, static_cast<unsigned>(label_positions_.size()));
            label_positions_.push_back(0);
        }
    }
    for (const ptx::Statement &one : block.statements) {
        statement(one);
    }
    names_.leave();
}

void FunctionResolver::statement(const ptx::Statement &statement) {
    if (const auto *one = std::get_if<ptx::Instruction>(&statement.what)) {
        instruction(*one);
    } else if (const auto *declared = std::get_if<ptx::Variable>(&statement.what)) {
        variable(*declared);
    } else if (const auto *inner = std::get_if<ptx::Block>(&statement.what)) {
        block(*inner);
    } else if (const auto *label = std::get_if<ptx::Label>(&statement.what)) {
        label_positions_[*names_.find_label(label->name)] = static_cast<unsigned>(out_.steps.size());
    } else if (const auto *list = std::get_if<ptx::TargetList>(&statement.what)) {
        names_.declare_list(list->name, list);
    }
}

void FunctionResolver::variable(const ptx::Variable &variable) {
    Entity entity;
    entity.type = variable.type;
    entity.vector = variable.vector;
    entity.bytes = size_in_bytes(variable);
    if (variable.space == ptx::Space::kReg) {
        entity.kind = Entity::Kind::kRegister;
        if (variable.range) {
            return names_.declare_range(variable.name, *variable.range, entity);
        }
        entity.slot = out_.slots;
        out_.slots += variable.vector;
    } else if (variable.space == ptx::Space::kShared) {
        entity.memory = Memory::kShared;
        entity.address = place(variable, memory_.shared);
    } else if (variable.space == ptx::Space::kGlobal) {
        entity.memory = Memory::kGlobal;
        entity.address = place(variable, memory_.global);
        memory_.initial_global.resize(memory_.global);
        initialise(variable, entity.address, memory_.initial_global, names_);
    } else { // .local, and .param of calls
        entity.in_frame = true;
        entity.address = place(variable, out_.frame_bytes);
    }
    names_.declare(variable.name, entity);
}

unsigned FunctionResolver::label(const std::string &name) {
    const unsigned *found = names_.find_label(name);
    if (found == nullptr) {
        throw InputError("no label '" + name + "'");
    }
    return *found;
}

void FunctionResolver::guard(const ptx::Instruction &instruction, Step &step) {
    if (instruction.guard) {
        const Entity *entity = operands_.find(instruction.guard->name);
        step.guarded = true;
        step.guard_negated = instruction.guard->negated;
        step.guard = entity != nullptr ? entity->slot : 0;
    }
}

/// The operands of a matrix instruction: D or what is loaded is written, everything else is read.
void FunctionResolver::matrix_operands(const ptx::Instruction &instruction, Step &step) {
    const ptx::MatrixForm &form = *step.matrix;
    const bool wmma = form.verb == ptx::MatrixVerb::kWmmaLoad || form.verb == ptx::MatrixVerb::kWmmaStore;
    const bool product = form.verb == ptx::MatrixVerb::kMma || form.verb == ptx::MatrixVerb::kWmmaMma;
    const bool stores = form.verb == ptx::MatrixVerb::kWmmaStore || form.verb == ptx::MatrixVerb::kStore;
    const auto type = [&](ptx::MatrixName name) { return form.fragment(name).type; };
    const auto read = [&](std::size_t i, ptx::Type as) {
        const auto sources = operands_.read_all(instruction.operands.at(i), as);
        step.sources.insert(step.sources.end(), sources.begin(), sources.end());
    };
    const ptx::MatrixName moved = wmma ? form.matrix : ptx::MatrixName::kA;
    if (!stores) {
        step.targets = operands_.write_all(instruction.operands.at(0), type(product ? ptx::MatrixName::kD : moved));
    }
    std::size_t next = stores ? 0 : 1;
    if (product) {
        read(next++, type(ptx::MatrixName::kA));
        read(next++, type(ptx::MatrixName::kB));
        read(next++, type(ptx::MatrixName::kC));
    } else if (form.verb == ptx::MatrixVerb::kMove) {
        read(next++, type(moved));
    } else {
        operands_.address(instruction.operands.at(next++), step);
    }
    if (stores) {
        read(next++, type(moved));
    }
    for (; next < instruction.operands.size(); ++next) { // metadata and selector, or stride
        read(next, ptx::bits_type(32));
    }
}

/// Steps of matrix instructions; `matrix_form` has their forms, not the table.
void FunctionResolver::matrix(const ptx::Instruction &instruction) {
    std::string reason;
    const auto form = ptx::matrix_form(instruction.opcode, instruction.modifiers, reason);
    if (!form) {
        throw InputError("no form for '" + full_name(instruction) + "'" + (reason.empty() ? "" : ": " + reason));
    }
    Step step;
    step.instruction = &instruction;
    step.operation = make_operation(instruction.opcode, instruction.modifiers, {});
    step.matrix = std::make_shared<const ptx::MatrixForm>(*form);
    classify(instruction, step);
    step.kind = Kind::kMatrix;
    guard(instruction, step);
    matrix_operands(instruction, step);
    out_.steps.push_back(std::move(step));
}

void FunctionResolver::instruction(const ptx::Instruction &instruction) {
    if (ptx::is_matrix_opcode(instruction.opcode)) {
        return matrix(instruction);
    }
    Step step;
    step.instruction = &instruction;
    std::vector<ptx::Type> types;
    const ptx::InstructionForm *found = nullptr;
    for (const ptx::InstructionForm &form : ptx::forms_of(instruction.opcode)) {
        if (found == nullptr && match_modifiers(form, instruction.modifiers, types) &&
            takes(form.operands, instruction.operands.size())) {
            found = &form;
            break;
        }
    }
    if (found == nullptr) {
        throw InputError("no form for '" + full_name(instruction) + "'");
    }
    step.operation = make_operation(instruction.opcode, instruction.modifiers, types);
    classify(instruction, step);
    if (step.memory == Memory::kParameter && !function_.entry &&
        std::ranges::find(instruction.modifiers, "param::entry") == instruction.modifiers.end()) {
        step.memory = Memory::kLocal; // parameters of functions are there
    }
    guard(instruction, step);
    step.bytes = types.empty() ? 0 : types.front().bits / 8;
    if (step.kind == Kind::kCall) {
        call(instruction, step);
    } else {
        operands(instruction, found->operands, types, step);
    }
    step.operation.inputs = static_cast<unsigned>(step.sources.size());
    if (step.kind == Kind::kCompute && step.operation.handler == nullptr) {
        throw InputError("the interpreter does not cover '" + full_name(instruction) + "'");
    }
    out_.steps.push_back(std::move(step));
}

void FunctionResolver::operands(const ptx::Instruction &instruction, std::string_view pattern,
                                const std::vector<ptx::Type> &types, Step &step) {
    const auto words = words_of(pattern);
    for (std::size_t i = 0; i < instruction.operands.size() && i < words.size(); ++i) {
        const ptx::Operand &one = instruction.operands[i];
        if (std::string_view("qzQZ").find(words[i][0]) != std::string_view::npos) {
            step.operation.selectors.at(i) = one.component;
            ptx::Operand whole = one;
            whole.component.clear();
            operand(whole, words[i], types, step);
            continue;
        }
        if (one.kind == OperandKind::kPair && words[i].size() >= 3) {
            operand(one.elements[0], words[i].substr(0, 1), types, step);
            step.second = operands_.write(one.elements[1], type_of(words[i][2], types));
        } else {
            operand(one, words[i], types, step);
        }
    }
}

void FunctionResolver::operand(const ptx::Operand &operand, std::string_view word, const std::vector<ptx::Type> &types,
                               Step &step) {
    const char letter = word.front();
    const ptx::Type type = type_of(letter, types);
    if (letter == 'm') {
        return operands_.address(operand, step);
    }
    if (letter == 'l') {
        return step.positions.push_back(label(operand.name));
    }
    if (letter == 't') {
        for (const ptx::Label &target : names_.find_list(operand.name)->targets) {
            step.positions.push_back(label(target.name));
        }
        return;
    }
    const bool packs = operand.kind == OperandKind::kVector && (letter == 'x' || letter == 'y');
    const ptx::Type element = packs ? ptx::bits_type(type.bits / static_cast<unsigned>(operand.elements.size())) : type;
    if (is_written(letter)) {
        step.targets = operands_.write_all(operand, element);
    } else if (letter == 'k') {
        const Entity *entity = operands_.find(operand.name);
        step.sources.push_back(operands_.read(operand, entity != nullptr ? entity->type : type));
    } else {
        const auto sources = operands_.read_all(operand, element);
        step.sources.insert(step.sources.end(), sources.begin(), sources.end());
    }
}

Parameter FunctionResolver::actual(const ptx::Operand &operand, bool result) {
    Parameter parameter;
    const Entity *entity = operand.kind == OperandKind::kName ? operands_.find(operand.name) : nullptr;
    if (entity != nullptr && entity->kind == Entity::Kind::kVariable) {
        parameter.offset = entity->address;
        parameter.bytes = entity->bytes;
        parameter.kernel = !entity->in_frame;
        return parameter;
    }
    parameter.in_register = true;
    const ptx::Type type = entity != nullptr ? entity->type : ptx::bits_type(64);
    if (result) {
        parameter.target = operands_.write(operand, type);
    } else {
        parameter.source = operands_.read(operand, type);
        // A float constant keeps its own size until the parameter's type is known.
        parameter.bytes = operand.kind == OperandKind::kDouble ? 8 : operand.kind == OperandKind::kSingle ? 4 : 0;
    }
    return parameter;
}

void FunctionResolver::call(const ptx::Instruction &instruction, Step &step) {
    bool callee_seen = false;
    for (const ptx::Operand &operand : instruction.operands) {
        if (operand.kind == OperandKind::kList) {
            for (const ptx::Operand &one : operand.elements) {
                (callee_seen ? step.arguments : step.results).push_back(actual(one, !callee_seen));
            }
        } else if (!callee_seen) {
            callee_seen = true;
            step.sources.push_back(operands_.read(operand, ptx::bits_type(64)));
        }
    }
}

} // namespace smsim::ptx::interpreter
