// The instruction word: accepted words round-trip unchanged, all others are rejected with a reason.
#include <set>

#include <gmock/gmock.h>

#include "tb/unit/model/instruction_generator.h"

namespace smsim::isa {
namespace {

using ::testing::HasSubstr;

Word plain_word(Op op, Form form) {
    Word word;
    word.set(0, 8, static_cast<std::uint64_t>(op));
    word.set(8, 4, static_cast<std::uint64_t>(form));
    word.set(12, 3, kPt);
    word.set(114, 3, kNoScoreboard);
    word.set(117, 3, kNoScoreboard);
    return word;
}

std::string refusal(const Word &word) {
    const auto decoded = decode(word, 0x40);
    const auto *error = std::get_if<DecodeError>(&decoded);
    return error == nullptr ? "accepted" : error->message();
}

TEST(InstructionWord, EveryFormComesBackFromItsWord) {
    std::size_t count = 0;
    std::set<std::pair<Op, const FormSpec *>> forms;
    test::for_each_instruction([&](const Instruction &insn) {
        const Word word = std::get<Word>(encode(insn));
        const auto decoded = decode(word, 0);
        ASSERT_TRUE(std::holds_alternative<Instruction>(decoded)) << std::get<DecodeError>(decoded).message();
        ASSERT_EQ(std::get<Instruction>(decoded), insn) << insn.spec().name;
        forms.insert({insn.op, find_form(insn.spec(), insn.form)});
        ++count;
    });
    std::size_t expected = 0;
    for (const OpSpec &spec : all_operations()) {
        std::set<Form> distinct;
        for (const FormSpec &form : spec.forms) {
            distinct.insert(form.form);
        }
        expected += distinct.size();
    }
    EXPECT_EQ(forms.size(), expected) << "a form exists of which no instruction is valid";
    EXPECT_GT(count, 5000U);
}

TEST(InstructionWord, FlippedBitsAreFieldsOrRefused) {
    // an accepted word has no bit without meaning: it encodes to itself
    test::Random random(7);
    unsigned accepted = 0;
    test::for_each_instruction([&](const Instruction &insn) {
        Word word = std::get<Word>(encode(insn));
        const auto bit = static_cast<unsigned>(random(128));
        word.set(bit, 1, ~word.get(bit, 1));
        const auto decoded = decode(word, 0);
        if (const auto *other = std::get_if<Instruction>(&decoded)) {
            ++accepted;
            ASSERT_NE(*other, insn) << "bit " << bit << " of " << insn.spec().name << " has no meaning";
            ASSERT_EQ(std::get<Word>(encode(*other)), word);
        }
    });
    EXPECT_GT(accepted, 1000U);
}

TEST(InstructionWord, RandomWordsNeverDecodeToSomethingElse) {
    test::Random random(11);
    for (unsigned i = 0; i < 200000; ++i) {
        Word word{random(~std::uint64_t{0}), random(~std::uint64_t{0})};
        const auto ops = all_operations();
        word.set(0, 8, static_cast<std::uint64_t>(ops[random(ops.size())].op));
        const auto decoded = decode(word, 0);
        if (const auto *insn = std::get_if<Instruction>(&decoded)) {
            ASSERT_EQ(std::get<Word>(encode(*insn)), word);
        }
    }
}

TEST(InstructionWord, UnknownOperationIsRefused) {
    for (unsigned op = 0; op < 256; ++op) {
        if (find_op(static_cast<std::uint8_t>(op)) == nullptr) {
            Word word;
            word.set(0, 8, op);
            EXPECT_THAT(refusal(word), HasSubstr("is not defined"));
        }
    }
    EXPECT_THAT(refusal(Word{}), HasSubstr("0x0040: word 0x00000000000000000000000000000000: operation number 0x00"));
}

TEST(InstructionWord, MissingFormIsRefused) {
    for (const OpSpec &spec : all_operations()) {
        for (unsigned form = 0; form < 16; ++form) {
            if (find_form(spec, static_cast<Form>(form)) == nullptr) {
                EXPECT_THAT(refusal(plain_word(spec.op, static_cast<Form>(form))), HasSubstr("has no form"));
            }
        }
    }
}

TEST(InstructionWord, ReservedBitIsRefused) {
    EXPECT_EQ(refusal(plain_word(Op::kNop, Form::kX)), "accepted");
    for (unsigned bit = 16; bit < 109; ++bit) {
        Word word = plain_word(Op::kNop, Form::kX);
        word.set(bit, 1, 1);
        EXPECT_THAT(refusal(word), HasSubstr("reserved bit " + std::to_string(bit) + " is set"));
    }
    for (const unsigned bit : {126U, 127U}) {
        Word word = plain_word(Op::kNop, Form::kX);
        word.set(bit, 1, 1);
        EXPECT_THAT(refusal(word), HasSubstr("reserved bit"));
    }
}

TEST(InstructionWord, SecondPredicateExistsOnlyWhereListed) {
    const std::set<Op> with = {Op::kBra,   Op::kBrx,   Op::kCall,     Op::kRet,      Op::kExit,
                               Op::kYield, Op::kBreak, Op::kWarpsync, Op::kNanosleep};
    for (const OpSpec &spec : all_operations()) {
        if (spec.unit == Unit::kBranch) {
            EXPECT_EQ(spec.has(kGuardPp), with.contains(spec.op)) << spec.name;
        }
    }
    Word word = plain_word(Op::kBssy, Form::kI);
    word.set(98, 3, 1);
    EXPECT_THAT(refusal(word), HasSubstr("reserved bit 98"));
}

TEST(InstructionWord, AGuardIsRefusedWhereTheOperationTakesNone) {
    for (const OpSpec &spec : all_operations()) {
        Word word = plain_word(spec.op, spec.forms[0].form);
        word.set(12, 3, 1);
        if (spec.has(kNoGuard)) {
            EXPECT_THAT(refusal(word), HasSubstr(std::string(spec.name) + " takes no guard"));
            word.set(12, 3, kPt);
            word.set(15, 1, 1);
            EXPECT_THAT(refusal(word), HasSubstr(std::string(spec.name) + " takes no guard"));
        } else {
            EXPECT_THAT(refusal(word), ::testing::Not(HasSubstr("guard"))) << spec.name;
        }
    }
}

TEST(InstructionWord, AVectorBranchHasTwoRegistersAndATargetInTheUpperHalf) {
    Instruction branch;
    branch.op = Op::kVbltu;
    branch.form = Form::kR;
    branch.unit = Unit::kBranch;
    branch.ra = 4;
    branch.rb = 9;
    branch.imm = -2;
    Word expected = plain_word(Op::kVbltu, Form::kR);
    expected.set(24, 8, 4);
    expected.set(32, 8, 9);
    expected.set(64, 32, 0xfffffffe);
    EXPECT_EQ(std::get<Word>(encode(branch)), expected);
    const Dependences deps = dependences_of(branch);
    ASSERT_EQ(deps.read_count, 2U);
    EXPECT_EQ(deps.reads[0].first, 4U);
    EXPECT_EQ(deps.reads[1].first, 9U);
}

TEST(InstructionWord, AUniformAddressIsInTheBitsOfAWithTheOffsetOfFormR) {
    Instruction store;
    store.op = Op::kStg;
    store.form = Form::kU;
    store.unit = Unit::kLoadStore;
    store.ur = 4;
    store.rb = 8;
    store.imm = -2;
    store.mod[0] = static_cast<std::uint8_t>(Access::k64);
    Word expected = plain_word(Op::kStg, Form::kU);
    expected.set(24, 6, 4);
    expected.set(32, 8, 8);
    expected.set(40, 24, 0xfffffe);
    expected.set(72, 3, static_cast<unsigned>(Access::k64));
    EXPECT_EQ(std::get<Word>(encode(store)), expected);
    const Dependences deps = dependences_of(store);
    ASSERT_EQ(deps.uniform_read_count, 1U);
    EXPECT_EQ(deps.uniform_reads[0].first, 4U);
    EXPECT_EQ(deps.uniform_reads[0].count, 2U) << "addresses of global memory have 64 bits";
    ASSERT_EQ(deps.read_count, 1U) << "the data";
    EXPECT_EQ(deps.reads[0].first, 8U);
    expected.set(30, 1, 1);
    EXPECT_THAT(refusal(expected), HasSubstr("reserved bit 30 is set"));
    store.ur = 5;
    EXPECT_THAT(std::get<std::string>(encode(store)), HasSubstr("register UR5 of a group of 2 is not aligned"));
}

TEST(InstructionWord, EveryAccessToMemoryHasAFormWithAUniformAddress) {
    for (const OpSpec &spec : all_operations()) {
        if (spec.unit == Unit::kLoadStore) {
            EXPECT_EQ(find_form(spec, Form::kU) != nullptr, spec.accesses_memory()) << spec.name;
        }
    }
}

Instruction of_token_stack(Op op, Form form, std::int64_t imm) {
    Instruction insn;
    insn.op = op;
    insn.form = form;
    insn.unit = Unit::kBranch;
    insn.imm = imm;
    return insn;
}

TEST(InstructionWord, ABranchOfTokenStackHasAConditionTestAndADistanceInBytes) {
    Instruction branch = of_token_stack(Op::kTokenBra, Form::kI, -0x20);
    branch.test = ConditionTest::kGeu;
    branch.mod = {1, 1};
    Word expected = plain_word(Op::kTokenBra, Form::kI);
    expected.set(32, 24, 0xffffe0);
    expected.set(72, 5, 14);
    expected.set(80, 2, 3);
    EXPECT_EQ(std::get<Word>(encode(branch)), expected);
    EXPECT_TRUE(is_unanimous(branch));
    EXPECT_TRUE(obeys_call_limit(branch));
    Instruction jump = of_token_stack(Op::kJmx, Form::kR, -0x20);
    jump.ra = 5;
    expected = plain_word(Op::kJmx, Form::kR);
    expected.set(24, 8, 5);
    expected.set(32, 32, 0xffffffe0);
    expected.set(72, 5, 15);
    EXPECT_EQ(std::get<Word>(encode(jump)), expected);
    EXPECT_FALSE(is_unanimous(jump));
    EXPECT_FALSE(obeys_call_limit(jump));
    EXPECT_EQ(dependences_of(jump).reads[0].first, 5U);
}

TEST(InstructionWord, ConditionTestsOfAClipUnitAndUndefinedOnesAreRefused) {
    constexpr const char *kReasons[] = {"CSM_TA",  "CSM_TR",  "CSM_MX",          "FCSM_TA",
                                        "FCSM_TR", "FCSM_MX", "RLE is not poss", "RGT is not poss"};
    for (unsigned test = 0; test < 32; ++test) {
        Word word = plain_word(Op::kTokenBra, Form::kI);
        word.set(72, 5, test);
        if (test < kConditionTests) {
            EXPECT_EQ(refusal(word), "accepted");
        } else {
            EXPECT_THAT(refusal(word), HasSubstr(kReasons[test - kConditionTests]));
            EXPECT_THAT(refusal(word), HasSubstr(test < 30 ? "clip unit" : "no description says when it holds"));
        }
    }
}

TEST(InstructionWord, AddressesOfTokenStackHaveTwoLowBitsThatAre0) {
    for (const Op op : {Op::kTokenBra, Op::kJmp, Op::kSsy, Op::kPbk, Op::kPcnt, Op::kPret, Op::kCal}) {
        for (unsigned low = 0; low < 4; ++low) {
            const auto word = encode(of_token_stack(op, Form::kI, 0x40 + low));
            EXPECT_EQ(std::holds_alternative<Word>(word), low == 0) << spec_of(op).name << " " << low;
        }
    }
    for (const Op op : {Op::kTokenBrx, Op::kJmx}) { // only the sum with the register counts
        EXPECT_TRUE(std::holds_alternative<Word>(encode(of_token_stack(op, Form::kR, 0x41))));
    }
}

TEST(InstructionWord, NamesAnAddressInTokenStackWhereItHasAnImmediate) {
    for (const Op op : {Op::kTokenBra, Op::kSsy, Op::kPbk, Op::kPcnt, Op::kPret, Op::kCal, Op::kJmp}) {
        Instruction insn = of_token_stack(op, Form::kI, 0x40);
        insn.pc = 0x100;
        EXPECT_EQ(named_address(insn), op == Op::kJmp ? 0x40 : 0x150) << spec_of(op).name;
    }
    EXPECT_FALSE(named_address(of_token_stack(Op::kTokenBra, Form::kC, 0)));
    EXPECT_FALSE(named_address(of_token_stack(Op::kCal, Form::kR, 0)));
    EXPECT_FALSE(named_address(of_token_stack(Op::kBssy, Form::kI, 1)));
}

TEST(InstructionWord, ConditionFlagsAreADependenceBesideThePredicates) {
    for (const OpSpec &spec : all_operations()) {
        Instruction insn = of_token_stack(spec.op, spec.forms[0].form, 0);
        EXPECT_FALSE(sets_condition_flags(insn)) << spec.name;
        if (spec.has(kConditionCodes)) {
            ASSERT_EQ(spec.modifiers.back().names[1], "CC");
            insn.mod[spec.modifiers.size() - 1] = 1;
            EXPECT_TRUE(sets_condition_flags(insn));
            EXPECT_EQ(dependences_of(insn).predicate_writes, kFlagsBit);
        }
    }
    Instruction branch = of_token_stack(Op::kTokenBra, Form::kI, 0);
    EXPECT_EQ(dependences_of(branch).guard_reads, 0U);
    branch.test = ConditionTest::kF;
    EXPECT_EQ(dependences_of(branch).guard_reads, 0U);
    branch.test = ConditionTest::kLt;
    branch.pg = 3;
    EXPECT_EQ(dependences_of(branch).guard_reads, kFlagsBit | 1U << 3U);
}

TEST(InstructionWord, MembersThatDoNotFitTheirFieldsAreNotEncoded) {
    const auto reason = [](const Instruction &insn) {
        const auto word = encode(insn);
        const auto *error = std::get_if<std::string>(&word);
        return error != nullptr ? *error : "encoded";
    };
    Instruction insn;
    insn.op = static_cast<Op>(0xff);
    EXPECT_EQ(reason(insn), "operation number is not defined");
    insn.op = Op::kBra;
    insn.form = Form::kRri;
    EXPECT_EQ(reason(insn), "BRA has no form RRI");
    insn.form = Form::kX;
    insn.imm = std::int64_t{1} << 49;
    EXPECT_EQ(reason(insn), "BRA: value 562949953421312 does not fit the 50-bit field at bit 32");
    insn.imm = 0;
    insn.pg = 8;
    EXPECT_EQ(reason(insn), "BRA: value 8 does not fit the 3-bit field at bit 12");
}

TEST(InstructionWord, UndefinedFieldValuesAreRefused) {
    Word redop = plain_word(Op::kBarRed, Form::kI);
    redop.set(80, 2, 3);
    EXPECT_THAT(refusal(redop), HasSubstr("value 3 of the modifier at bit 80"));
    for (const unsigned lsb : {114U, 117U}) {
        Word scoreboard = plain_word(Op::kNop, Form::kX);
        scoreboard.set(lsb, 3, 6);
        EXPECT_THAT(refusal(scoreboard), HasSubstr("scoreboard 6 does not exist"));
    }
    Word special = plain_word(Op::kS2r, Form::kX);
    special.set(72, 8, 200);
    EXPECT_THAT(refusal(special), HasSubstr("special register 200 is not defined"));
    Word pair = plain_word(Op::kLepc, Form::kI);
    pair.set(16, 8, 5);
    EXPECT_THAT(refusal(pair), HasSubstr("R5 of a group of 2 is not aligned"));
    pair.set(16, 8, 254);
    EXPECT_THAT(refusal(pair), HasSubstr("runs past the register file"));
    Word constant = plain_word(Op::kCall, Form::kC);
    constant.set(32, 16, 4);
    EXPECT_THAT(refusal(constant), HasSubstr("not aligned to 8 bytes"));
    Word rounding = plain_word(Op::kF2i, Form::kR);
    EXPECT_THAT(refusal(rounding), HasSubstr("value 0 of the modifier at bit 77 has no meaning"));
}

TEST(InstructionWord, BraWithUniformRegisterNeedsDivOrConv) {
    for (unsigned condition = 0; condition < 4; ++condition) {
        Word word = plain_word(Op::kBra, Form::kU);
        word.set(82, 2, condition);
        if (condition < 2) {
            EXPECT_THAT(refusal(word), HasSubstr("needs .DIV or .CONV"));
        } else {
            EXPECT_EQ(refusal(word), "accepted");
        }
    }
}

// Positions of encoding.md Fields, compared with literal words.
TEST(InstructionWord, FieldsAreWhereTheSpecificationPutsThem) {
    Instruction bra;
    bra.op = Op::kBra;
    bra.form = Form::kX;
    bra.unit = Unit::kBranch;
    bra.pg = 1;
    bra.pg_not = true;
    bra.pp = 2;
    bra.pp_not = true;
    bra.imm = -1;
    bra.stall = 5;
    bra.req = 9;
    bra.wsb = 1;
    bra.rsb = 2;
    bra.yield = true;
    Word expected;
    expected.set(0, 8, 1);
    expected.set(12, 3, 1);
    expected.set(15, 1, 1);
    expected.set(32, 50, ~std::uint64_t{0});
    expected.set(98, 3, 2);
    expected.set(101, 1, 1);
    expected.set(109, 4, 5);
    expected.set(113, 1, 1);
    expected.set(114, 3, 1);
    expected.set(117, 3, 2);
    expected.set(120, 6, 9);
    EXPECT_EQ(std::get<Word>(encode(bra)), expected);
}

} // namespace
} // namespace smsim::isa
