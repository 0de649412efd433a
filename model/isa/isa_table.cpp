// The table of the instruction set: one row per operation, with its forms, operands and modifiers.
#include <algorithm>
#include <array>

#include "model/isa/isa.h"

namespace smsim::isa {
namespace {

using Names = std::string_view;

// --- modifier names --------------------------------------------------------------------------------------------
constexpr Names kBraConds[] = {"", "U", "DIV", "CONV"};
constexpr Names kBaseModes[] = {"REL", "ABS"};
constexpr Names kClears[] = {"", "CLEAR"};
constexpr Names kBarModes[] = {"SYNC", "ARV"};
constexpr Names kRedOps[] = {"AND", "OR", "POPC"};
constexpr Names kB2rModes[] = {"WARP", "BAR"};
constexpr Names kScopes[] = {"CTA", "GPU", "SYS"};
constexpr Names kCs2rWidths[] = {"64", "32"};
constexpr Names kCarry[] = {"", "X"};
constexpr Names kImadModes[] = {"", "HI", "WIDE"};
constexpr Names kSignS32[] = {"", "U32"}; // default signed
constexpr Names kSignU32[] = {"", "S32"}; // default unsigned
constexpr Names kDirections[] = {"L", "R"};
constexpr Names kClampWrap[] = {"", "W"};
constexpr Names kShift[] = {"", "SH"};
constexpr Names kIntCompares[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
constexpr Names kFloatCompares[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "T",
                                    "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU"};
constexpr Names kCombines[] = {"AND", "OR", "XOR"};
constexpr Names kRoundings[] = {"", "RM", "RP", "RZ"};
constexpr Names kSaturate[] = {"", "SAT"};
constexpr Names kFlush[] = {"", "FTZ"};
constexpr Names kHalfFormats[] = {"F16", "BF16_V2"};
constexpr Names kHalfLimits[] = {"", "SAT", "RELU"};
constexpr Names kHalvesOfA[] = {"", "A_H0_H0", "A_H1_H1"};
constexpr Names kHalvesOfB[] = {"", "B_H0_H0", "B_H1_H1"};
constexpr Names kHalvesOfC[] = {"", "C_H0_H0", "C_H1_H1"};
constexpr Names kMufu[] = {"RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "COS"};
constexpr Names kIntTypes[] = {"S32", "U32", "S64", "U64", "S16", "U16", "S8", "U8"};
constexpr Names kFloatTypes[] = {"F32", "F64", "F16"};
constexpr Names kFloatFormats[] = {"F32", "F64", "F16", "BF16"};
constexpr Names kIntRoundings[] = {"", "RNI", "FLOOR", "CEIL", "TRUNC"};
constexpr Names kVotes[] = {"ALL", "ANY", "EQ"};
constexpr Names kMatches[] = {"ANY", "ALL"};
constexpr Names kMatchTypes[] = {"", "U64"};
constexpr Names kReduxOps[] = {"ADD", "MIN", "MAX", "AND", "OR", "XOR"};
constexpr Names kShuffles[] = {"IDX", "UP", "DOWN", "BFLY"};
constexpr Names kAccesses[] = {"U8", "S8", "U16", "S16", "", "64", "128"};
constexpr Names kCache[] = {"", "CG"};
constexpr Names kAtomicOps[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH"};
// Of products of matrices: m, n, k
constexpr Names kHmmaShapes[] = {"884", "1684", "1688", "16816", "16832", "16864"};
constexpr Names kImmaShapes[] = {"8816", "8832", "16816", "16832", "16864", "168128"};
constexpr Names kBmmaShapes[] = {"88128", "168128", "168256"};
constexpr Names kDmmaShapes[] = {"884", "1684", "1688", "16816"};
constexpr Names kHmmaResults[] = {"F32", "F16"};
constexpr Names kHmmaSources[] = {"", "BF16", "TF32", "E4M3", "E5M2", "E4M3_E5M2", "E5M2_E4M3", "SAT"};
constexpr Names kHmmaLayouts[] = {"", "ROW_ROW", "COL_COL", "COL_ROW"};
constexpr Names kImmaSources[] = {"S8", "U8", "S4", "U4"};
constexpr Names kBmmaOps[] = {"XOR", "AND"};
constexpr Names kSparse[] = {"", "SP0", "SP1", "SP2", "SP3"};
// Of conversions to and from the formats of such products
constexpr Names kTensorConversions[] = {"E4M3_F32", "E5M2_F32", "E4M3_F16", "E5M2_F16",
                                        "F16_E4M3", "F16_E5M2", "TF32_F32"};
constexpr Names kTowardZero[] = {"", "RZ"};
constexpr Names kRectify[] = {"", "RELU"};
constexpr Names kFinite[] = {"", "SATFINITE"};
// Of moves of matrices: bits of an element, rows or columns, number. A row is 16 bytes: the number of `16` is that of
// Access::k128, so that LDSM and STSM are accesses of 128 bits by the threads that have the addresses of rows.
constexpr Names kRowElements[] = {"", "", "", "", "", "", "16"};
constexpr Names kElementBits[] = {"16"};
constexpr Names kMatrices[] = {"M88", "MT88"};
constexpr Names kTransposed[] = {"MT88"};
constexpr Names kMatrixCounts[] = {"", "2", "4"};
// For token_stack
constexpr Names kUnanimous[] = {"", "U"};
constexpr Names kLimited[] = {"", "LMT"};
constexpr Names kFlags[] = {"", "CC"};
constexpr Names kAtomicTypes[] = {"", "S32", "U64", "S64", "F32", "F64"};

// --- modifiers -------------------------------------------------------------------------------------------------
constexpr ModifierSpec choice(std::uint8_t lsb, std::uint8_t width, std::span<const Names> names,
                              std::uint8_t default_value = 0) {
    return {lsb, width, names, default_value, false, false};
}
constexpr ModifierSpec printed(std::uint8_t lsb, std::uint8_t width, std::span<const Names> names,
                               std::uint8_t default_value = 0) {
    return {lsb, width, names, default_value, false, true};
}
constexpr ModifierSpec required(std::uint8_t lsb, std::uint8_t width, std::span<const Names> names) {
    return {lsb, width, names, 0, true, true};
}

constexpr ModifierSpec kSetFlags = choice(94, 1, kFlags); // always the last one of its operation
constexpr ModifierSpec kModsBra[] = {choice(82, 2, kBraConds)};
constexpr ModifierSpec kModsCall[] = {required(82, 1, kBaseModes)};
constexpr ModifierSpec kModsBmov[] = {choice(82, 1, kClears)};
constexpr ModifierSpec kModsBar[] = {required(80, 1, kBarModes)};
constexpr ModifierSpec kModsBarRed[] = {required(80, 2, kRedOps)};
constexpr ModifierSpec kModsB2r[] = {printed(80, 1, kB2rModes, 1)};
constexpr ModifierSpec kModsMembar[] = {required(72, 2, kScopes)};
constexpr ModifierSpec kModsCs2r[] = {choice(80, 1, kCs2rWidths)};
constexpr ModifierSpec kModsIadd3[] = {choice(72, 1, kCarry), kSetFlags};
constexpr ModifierSpec kModsImad[] = {choice(72, 2, kImadModes), choice(74, 1, kSignS32)};
constexpr ModifierSpec kModsSignS32[] = {choice(72, 1, kSignS32)};
constexpr ModifierSpec kModsSignU32[] = {choice(72, 1, kSignU32)};
constexpr ModifierSpec kModsShf[] = {required(72, 1, kDirections), choice(73, 1, kClampWrap)};
constexpr ModifierSpec kModsFlo[] = {choice(72, 1, kSignU32), choice(73, 1, kShift)};
constexpr ModifierSpec kModsIsetp[] = {required(72, 3, kIntCompares), choice(75, 1, kSignS32),
                                       printed(76, 2, kCombines), kSetFlags};
constexpr ModifierSpec kModsLop3[] = {kSetFlags};
constexpr ModifierSpec kModsPsetp[] = {printed(72, 2, kCombines), printed(74, 2, kCombines)};
constexpr ModifierSpec kModsFloat[] = {choice(72, 2, kRoundings), choice(74, 1, kFlush), choice(75, 1, kSaturate),
                                       kSetFlags};
constexpr ModifierSpec kModsFlush[] = {choice(74, 1, kFlush)};
constexpr ModifierSpec kModsFsetp[] = {required(76, 4, kFloatCompares), choice(74, 1, kFlush),
                                       printed(80, 2, kCombines), kSetFlags};
constexpr ModifierSpec kModsDsetp[] = {required(76, 4, kFloatCompares), printed(80, 2, kCombines)};
constexpr ModifierSpec kModsMufu[] = {required(72, 4, kMufu), choice(76, 1, kFlush)};
constexpr ModifierSpec kModsF2i[] = {printed(72, 3, kIntTypes), printed(75, 2, kFloatTypes),
                                     printed(77, 3, kIntRoundings, 4), choice(80, 1, kFlush)};
constexpr ModifierSpec kModsI2f[] = {printed(72, 2, kFloatTypes), printed(74, 3, kIntTypes), choice(77, 2, kRoundings)};
constexpr ModifierSpec kModsF2f[] = {printed(72, 2, kFloatFormats), printed(74, 2, kFloatFormats),
                                     choice(77, 2, kRoundings),     choice(79, 3, kIntRoundings),
                                     choice(82, 1, kFlush),         choice(83, 1, kSaturate)};
constexpr ModifierSpec kModsDouble[] = {choice(72, 2, kRoundings)};
constexpr ModifierSpec kModsHalf2[] = {choice(72, 1, kHalfFormats), choice(74, 1, kFlush), choice(76, 2, kHalfLimits),
                                       choice(78, 2, kHalvesOfA), choice(80, 2, kHalvesOfB)};
constexpr ModifierSpec kModsHalf3[] = {choice(72, 1, kHalfFormats), choice(74, 1, kFlush),
                                       choice(76, 2, kHalfLimits),  choice(78, 2, kHalvesOfA),
                                       choice(80, 2, kHalvesOfB),   choice(82, 2, kHalvesOfC)};
constexpr ModifierSpec kModsHmma[] = {required(72, 3, kHmmaShapes),  required(75, 1, kHmmaResults),
                                      required(76, 1, kHmmaResults), choice(77, 3, kHmmaSources),
                                      choice(80, 2, kHmmaLayouts),   choice(82, 3, kSparse)};
constexpr ModifierSpec kModsImma[] = {required(72, 3, kImmaShapes), required(75, 2, kImmaSources),
                                      required(77, 2, kImmaSources), choice(79, 1, kSaturate), choice(82, 3, kSparse)};
constexpr ModifierSpec kModsBmma[] = {required(72, 2, kBmmaShapes), required(74, 1, kBmmaOps)};
constexpr ModifierSpec kModsDmma[] = {required(72, 2, kDmmaShapes), choice(75, 2, kRoundings)};
constexpr ModifierSpec kModsF2fp[] = {required(72, 3, kTensorConversions), choice(75, 1, kTowardZero),
                                      choice(76, 1, kFinite), choice(77, 1, kRectify)};
constexpr ModifierSpec kModsVote[] = {required(72, 2, kVotes)};
constexpr ModifierSpec kModsMatch[] = {choice(73, 1, kMatchTypes), required(72, 1, kMatches)};
constexpr ModifierSpec kModsRedux[] = {required(72, 3, kReduxOps), choice(75, 1, kSignU32)};
constexpr ModifierSpec kModsShfl[] = {required(72, 2, kShuffles)};
constexpr ModifierSpec kModsMovm[] = {required(72, 1, kElementBits), required(73, 1, kTransposed)};
constexpr ModifierSpec kModsMoved[] = {{72, 3, kRowElements, static_cast<std::uint8_t>(Access::k128), true, true},
                                       required(75, 1, kMatrices),
                                       choice(76, 2, kMatrixCounts)};
constexpr ModifierSpec kModsAccess[] = {choice(72, 3, kAccesses, 4)};
constexpr ModifierSpec kModsGlobal[] = {choice(72, 3, kAccesses, 4), choice(75, 1, kCache)};
constexpr ModifierSpec kModsAtomic[] = {required(72, 4, kAtomicOps), choice(76, 3, kAtomicTypes)};
constexpr ModifierSpec kModsCas[] = {choice(76, 3, kAtomicTypes)};
constexpr ModifierSpec kModsTokenJump[] = {choice(80, 1, kUnanimous), choice(81, 1, kLimited)};
constexpr ModifierSpec kModsTokenIndirect[] = {choice(81, 1, kLimited)};

// --- operands --------------------------------------------------------------------------------------------------
constexpr OperandSpec kRd{Place::kRd, Kind::kReg, Width::k1, kWritten};
constexpr OperandSpec kRd64{Place::kRd, Kind::kReg, Width::k2, kWritten};
constexpr OperandSpec kRdMod0{Place::kRd, Kind::kReg, Width::kMod0, kWritten};
constexpr OperandSpec kRdAccess{Place::kRd, Kind::kReg, Width::kAccess, kWritten};
constexpr OperandSpec kRdMoved{Place::kRd, Kind::kReg, Width::kMoved, kWritten};
constexpr OperandSpec kRdAtomic{Place::kRd, Kind::kReg, Width::kAtomic, kWritten};
constexpr OperandSpec kUrd{Place::kUrd, Kind::kUreg, Width::k1, kWritten};
constexpr OperandSpec kRa{Place::kRa, Kind::kReg};
constexpr OperandSpec kRaMod0{Place::kRa, Kind::kReg, Width::kMod0};
constexpr OperandSpec kRb{Place::kRb, Kind::kReg};
constexpr OperandSpec kRbMod1{Place::kRb, Kind::kReg, Width::kMod1};
constexpr OperandSpec kRbHigh{Place::kRbHigh, Kind::kReg};
constexpr OperandSpec kRc{Place::kRc, Kind::kReg};
constexpr OperandSpec kUrb{Place::kUrb, Kind::kUreg};
constexpr OperandSpec kUrbMod1{Place::kUrb, Kind::kUreg, Width::kMod1};
constexpr OperandSpec kConst{Place::kConst, Kind::kConst};
constexpr OperandSpec kImm{Place::kImm32, Kind::kInt};
constexpr OperandSpec kUimm{Place::kImm32, Kind::kUint};
constexpr OperandSpec kFimm{Place::kImm32, Kind::kFloat};
constexpr OperandSpec kPu{Place::kPu, Kind::kPredDst, Width::k1, kWritten};
constexpr OperandSpec kPuOpt{Place::kPu, Kind::kPredDst, Width::k1, kWritten | kOptional};
constexpr OperandSpec kPv{Place::kPv, Kind::kPredDst, Width::k1, kWritten};
constexpr OperandSpec kPp{Place::kPp, Kind::kPredSrc};
constexpr OperandSpec kPpOpt{Place::kPp, Kind::kPredSrc, Width::k1, kOptional};
constexpr OperandSpec kPa{Place::kPa, Kind::kPredSrc};
constexpr OperandSpec kPb{Place::kPb, Kind::kPredSrc};
constexpr OperandSpec kBreg{Place::kBreg, Kind::kBreg, Width::k1, kWritten | kReadToo};
constexpr OperandSpec kBarId{Place::kBarId, Kind::kUint};
constexpr OperandSpec kBarIdOpt{Place::kBarId, Kind::kUint, Width::k1, kOptional};
constexpr OperandSpec kCountOpt{Place::kCount, Kind::kUint, Width::k1, kOptional};
constexpr OperandSpec kTarget{Place::kOffset, Kind::kTarget};
constexpr OperandSpec kOffset{Place::kOffset, Kind::kByteOff};
constexpr OperandSpec kOffsetOpt{Place::kOffset, Kind::kByteOff, Width::k1, kOptional};
constexpr OperandSpec kAddress{Place::kAddress, Kind::kAddress};
constexpr OperandSpec kAddress64{Place::kAddress, Kind::kAddress, Width::k2};
constexpr OperandSpec kUaddress{Place::kUaddress, Kind::kUaddress};
constexpr OperandSpec kUaddress64{Place::kUaddress, Kind::kUaddress, Width::k2};

constexpr OperandSpec neg(OperandSpec o) {
    o.flags |= kNegate;
    return o;
}
constexpr OperandSpec negabs(OperandSpec o) {
    o.flags |= kNegate | kAbsolute;
    return o;
}
constexpr OperandSpec inv(OperandSpec o) {
    o.flags |= kInvert;
    return o;
}
constexpr OperandSpec wide(OperandSpec o, Width w = Width::k2) {
    o.width = w;
    return o;
}
constexpr OperandSpec optional(OperandSpec o) {
    o.flags |= kOptional;
    return o;
}

// Branch unit
constexpr OperandSpec kOpsBraX[] = {kPpOpt, kTarget};
constexpr OperandSpec kOpsBraU[] = {kPpOpt, inv({Place::kUra, Kind::kUreg}), kTarget};
constexpr OperandSpec kOpsBrxR[] = {kPpOpt, kRa, kOffsetOpt};
constexpr OperandSpec kOpsBrxU[] = {kPpOpt, {Place::kUra, Kind::kUreg}, kOffsetOpt};
constexpr OperandSpec kOpsBrxC[] = {kPpOpt, kConst};
constexpr OperandSpec kOpsCallR[] = {kPpOpt, optional(wide(kRa)), kOffset};
constexpr OperandSpec kOpsCallR0[] = {kPpOpt, wide(kRa), kOffsetOpt};
constexpr OperandSpec kOpsCallU[] = {kPpOpt, {Place::kUra, Kind::kUreg, Width::k2}, kOffsetOpt};
constexpr OperandSpec kOpsCallC[] = {kPpOpt, wide(kConst)};
constexpr OperandSpec kOpsLepc[] = {kRd64, kOffsetOpt};
constexpr OperandSpec kOpsGuardOnly[] = {kPpOpt};
constexpr OperandSpec kOpsBmovX[] = {kRd, kBreg};
constexpr OperandSpec kOpsBmovR[] = {kBreg, kRa};
constexpr OperandSpec kOpsBssy[] = {kBreg, {Place::kSync, Kind::kTarget, Width::k1, kOptional}};
constexpr OperandSpec kOpsBsync[] = {kBreg};
constexpr OperandSpec kOpsBreak[] = {kPpOpt, kBreg};
constexpr OperandSpec kOpsWarpsyncR[] = {kPpOpt, inv(kRb)};
constexpr OperandSpec kOpsWarpsyncU[] = {kPpOpt, inv(kUrb)};
constexpr OperandSpec kOpsWarpsyncI[] = {kPpOpt, kUimm};
constexpr OperandSpec kOpsWarpsyncC[] = {kPpOpt, inv(kConst)};
constexpr OperandSpec kOpsSleepR[] = {kPpOpt, kRb};
constexpr OperandSpec kOpsSleepU[] = {kPpOpt, kUrb};
constexpr OperandSpec kOpsSleepC[] = {kPpOpt, kConst};
constexpr OperandSpec kOpsB[] = {kRb};
constexpr OperandSpec kOpsConst[] = {kConst};
constexpr OperandSpec kOpsUimm[] = {kUimm};

constexpr FormSpec kFormsBra[] = {{Form::kX, kOpsBraX}, {Form::kU, kOpsBraU}};
constexpr FormSpec kFormsBrx[] = {{Form::kR, kOpsBrxR}, {Form::kU, kOpsBrxU}, {Form::kC, kOpsBrxC}};
constexpr FormSpec kFormsCall[] = {
    {Form::kR, kOpsCallR}, {Form::kR, kOpsCallR0}, {Form::kU, kOpsCallU}, {Form::kC, kOpsCallC}};
constexpr FormSpec kFormsLepc[] = {{Form::kI, kOpsLepc}};
constexpr FormSpec kFormsGuardOnly[] = {{Form::kX, kOpsGuardOnly}};
constexpr FormSpec kFormsBmov[] = {{Form::kX, kOpsBmovX}, {Form::kR, kOpsBmovR}};
constexpr FormSpec kFormsBssy[] = {{Form::kI, kOpsBssy}};
constexpr FormSpec kFormsBsync[] = {{Form::kX, kOpsBsync}};
constexpr FormSpec kFormsBreak[] = {{Form::kX, kOpsBreak}};
constexpr FormSpec kFormsWarpsync[] = {
    {Form::kR, kOpsWarpsyncR}, {Form::kU, kOpsWarpsyncU}, {Form::kI, kOpsWarpsyncI}, {Form::kC, kOpsWarpsyncC}};
constexpr FormSpec kFormsSleep[] = {
    {Form::kR, kOpsSleepR}, {Form::kU, kOpsSleepU}, {Form::kI, kOpsWarpsyncI}, {Form::kC, kOpsSleepC}};
constexpr FormSpec kFormsNone[] = {{Form::kX, {}}};
constexpr FormSpec kFormsTrap[] = {{Form::kR, kOpsB}, {Form::kC, kOpsConst}, {Form::kI, kOpsUimm}};

// Barrier unit
constexpr OperandSpec kOpsBarI[] = {kBarId, kCountOpt};
constexpr OperandSpec kOpsBarR[] = {kRa, kRb};
constexpr OperandSpec kOpsBarRri[] = {kRb, kCountOpt};
constexpr OperandSpec kOpsBarRir[] = {kBarId, {Place::kRcLow, Kind::kReg}};
constexpr OperandSpec kOpsRedI[] = {kBarId, kCountOpt, kPp};
constexpr OperandSpec kOpsRedR[] = {kRb, kPp};
constexpr OperandSpec kOpsRedRri[] = {kRb, {Place::kCount, Kind::kUint}, kPp};
constexpr OperandSpec kOpsRedRir[] = {kBarId, {Place::kRcLow, Kind::kReg}, kPp};
constexpr OperandSpec kOpsB2r[] = {kRd, kBarIdOpt};
constexpr OperandSpec kOpsB2rResult[] = {kRd, kPuOpt};
constexpr OperandSpec kOpsR2b[] = {kBarIdOpt, kRa};

constexpr FormSpec kFormsBar[] = {
    {Form::kI, kOpsBarI}, {Form::kR, kOpsBarR}, {Form::kRri, kOpsBarRri}, {Form::kRir, kOpsBarRir}};
constexpr FormSpec kFormsBarRed[] = {
    {Form::kI, kOpsRedI}, {Form::kR, kOpsRedR}, {Form::kRri, kOpsRedRri}, {Form::kRir, kOpsRedRir}};
constexpr FormSpec kFormsB2r[] = {{Form::kI, kOpsB2r}};
constexpr FormSpec kFormsB2rResult[] = {{Form::kX, kOpsB2rResult}};
constexpr FormSpec kFormsR2b[] = {{Form::kRi, kOpsR2b}};

// Moves and special registers
constexpr OperandSpec kSreg{Place::kSreg, Kind::kSreg};
constexpr OperandSpec kPr{Place::kPr, Kind::kPredFile};
constexpr OperandSpec kPrWritten{Place::kPr, Kind::kPredFile, Width::k1, kWritten};
constexpr OperandSpec kPredMask{Place::kImm32, Kind::kUint, Width::k1, kOptional, 0x7f};
constexpr OperandSpec kOpsMovR[] = {kRd, kRb};
constexpr OperandSpec kOpsMovI[] = {kRd, kImm};
constexpr OperandSpec kOpsMovU[] = {kRd, kUrb};
constexpr OperandSpec kOpsMovC[] = {kRd, kConst};
constexpr OperandSpec kOpsS2r[] = {kRd, kSreg};
constexpr OperandSpec kOpsCs2r[] = {kRdMod0, kSreg};
constexpr OperandSpec kOpsUmovU[] = {kUrd, kUrb};
constexpr OperandSpec kOpsUmovI[] = {kUrd, kImm};
constexpr OperandSpec kOpsUmovC[] = {kUrd, kConst};
constexpr OperandSpec kOpsR2ur[] = {kUrd, kRa};
constexpr OperandSpec kOpsS2ur[] = {kUrd, kSreg};
constexpr OperandSpec kOpsP2r[] = {kRd, kPr, kRa, kPredMask};
constexpr OperandSpec kOpsR2p[] = {kPrWritten, kRa, kPredMask};

constexpr FormSpec kFormsMov[] = {
    {Form::kR, kOpsMovR}, {Form::kI, kOpsMovI}, {Form::kU, kOpsMovU}, {Form::kC, kOpsMovC}};
constexpr FormSpec kFormsS2r[] = {{Form::kX, kOpsS2r}};
constexpr FormSpec kFormsCs2r[] = {{Form::kX, kOpsCs2r}};
constexpr FormSpec kFormsUmov[] = {{Form::kU, kOpsUmovU}, {Form::kI, kOpsUmovI}, {Form::kC, kOpsUmovC}};
constexpr FormSpec kFormsR2ur[] = {{Form::kR, kOpsR2ur}};
constexpr FormSpec kFormsS2ur[] = {{Form::kX, kOpsS2ur}};
constexpr FormSpec kFormsP2r[] = {{Form::kI, kOpsP2r}};
constexpr FormSpec kFormsR2p[] = {{Form::kI, kOpsR2p}};

// Integer and logic: two-source operations have b as R, I, U or C
#define SMSIM_TWO_SOURCE(NAME, RD, A, BR, BI, BU, BC, ...)                                                             \
    constexpr OperandSpec NAME##R[] = {RD, A, BR __VA_OPT__(, ) __VA_ARGS__};                                          \
    constexpr OperandSpec NAME##I[] = {RD, A, BI __VA_OPT__(, ) __VA_ARGS__};                                          \
    constexpr OperandSpec NAME##U[] = {RD, A, BU __VA_OPT__(, ) __VA_ARGS__};                                          \
    constexpr OperandSpec NAME##C[] = {RD, A, BC __VA_OPT__(, ) __VA_ARGS__};                                          \
    constexpr FormSpec NAME[] = {{Form::kR, NAME##R}, {Form::kI, NAME##I}, {Form::kU, NAME##U}, {Form::kC, NAME##C}};

// Three-source operations: b or c may be something other than a register, but not both
#define SMSIM_THREE_SOURCE(NAME, PRE, A, BR, BI, BU, BC, BH, CR, CI, CU, CC, ...)                                      \
    constexpr OperandSpec NAME##R[] = {PRE, A, BR, CR __VA_OPT__(, ) __VA_ARGS__};                                     \
    constexpr OperandSpec NAME##I[] = {PRE, A, BI, CR __VA_OPT__(, ) __VA_ARGS__};                                     \
    constexpr OperandSpec NAME##U[] = {PRE, A, BU, CR __VA_OPT__(, ) __VA_ARGS__};                                     \
    constexpr OperandSpec NAME##C[] = {PRE, A, BC, CR __VA_OPT__(, ) __VA_ARGS__};                                     \
    constexpr OperandSpec NAME##Rri[] = {PRE, A, BH, CI __VA_OPT__(, ) __VA_ARGS__};                                   \
    constexpr OperandSpec NAME##Rrc[] = {PRE, A, BH, CC __VA_OPT__(, ) __VA_ARGS__};                                   \
    constexpr OperandSpec NAME##Rru[] = {PRE, A, BH, CU __VA_OPT__(, ) __VA_ARGS__};                                   \
    constexpr FormSpec NAME[] = {{Form::kR, NAME##R},    {Form::kI, NAME##I},     {Form::kU, NAME##U},                 \
                                 {Form::kC, NAME##C},    {Form::kRri, NAME##Rri}, {Form::kRrc, NAME##Rrc},             \
                                 {Form::kRru, NAME##Rru}};
#define SMSIM_COMMA ,

SMSIM_THREE_SOURCE(kFormsIadd3, kRd SMSIM_COMMA kPuOpt, neg(kRa), neg(kRb), kImm, neg(kUrb), neg(kConst), neg(kRbHigh),
                   neg(kRc), kImm, neg(kUrb), neg(kConst), kPpOpt)
SMSIM_THREE_SOURCE(kFormsImad, wide(kRd, Width::kMod0), kRa, kRb, kImm, kUrb, kConst, kRbHigh, wide(kRc, Width::kMod0),
                   kImm, wide(kUrb, Width::kMod0), wide(kConst, Width::kMod0))
constexpr OperandSpec kShiftOperand{Place::kShift, Kind::kUint};
SMSIM_TWO_SOURCE(kFormsLea, kRd, kRa, kRb, kImm, kUrb, kConst, kShiftOperand)
constexpr OperandSpec kMinMaxSelect = kPp;
SMSIM_TWO_SOURCE(kFormsImnmx, kRd, kRa, kRb, kImm, kUrb, kConst, kMinMaxSelect)
constexpr OperandSpec kLut{Place::kLut, Kind::kUint};
SMSIM_THREE_SOURCE(kFormsLop3, kRd, kRa, kRb, kImm, kUrb, kConst, kRbHigh, kRc, kImm, kUrb, kConst, kLut)
SMSIM_THREE_SOURCE(kFormsThree, kRd, kRa, kRb, kImm, kUrb, kConst, kRbHigh, kRc, kImm, kUrb, kConst)
SMSIM_TWO_SOURCE(kFormsTwo, kRd, kRa, kRb, kImm, kUrb, kConst)
SMSIM_TWO_SOURCE(kFormsSel, kRd, kRa, kRb, kImm, kUrb, kConst, kPp)
SMSIM_TWO_SOURCE(kFormsIsetp, kPu SMSIM_COMMA kPv, kRa, kRb, kImm, kUrb, kConst, kPp)
constexpr FormSpec kFormsOne[] = {
    {Form::kR, kOpsMovR}, {Form::kI, kOpsMovI}, {Form::kU, kOpsMovU}, {Form::kC, kOpsMovC}};
constexpr OperandSpec kOpsPsetp[] = {kPu, kPv, kPa, kPb, kPp};
constexpr FormSpec kFormsPsetp[] = {{Form::kX, kOpsPsetp}};
constexpr OperandSpec kOpsPlop3[] = {kPu, kPv, kPa, kPb, kPp, kLut, {Place::kLut2, Kind::kUint}};
constexpr FormSpec kFormsPlop3[] = {{Form::kX, kOpsPlop3}};

// Float
SMSIM_TWO_SOURCE(kFormsFloat2, kRd, negabs(kRa), negabs(kRb), kFimm, negabs(kUrb), negabs(kConst))
SMSIM_THREE_SOURCE(kFormsFfma, kRd, neg(kRa), neg(kRb), kFimm, neg(kUrb), neg(kConst), neg(kRbHigh), neg(kRc), kFimm,
                   neg(kUrb), neg(kConst))
SMSIM_TWO_SOURCE(kFormsFmnmx, kRd, negabs(kRa), negabs(kRb), kFimm, negabs(kUrb), negabs(kConst), kPp)
SMSIM_TWO_SOURCE(kFormsFsetp, kPu SMSIM_COMMA kPv, negabs(kRa), negabs(kRb), kFimm, negabs(kUrb), negabs(kConst), kPp)
constexpr OperandSpec kOpsMufuR[] = {kRd, negabs(kRb)};
constexpr OperandSpec kOpsMufuI[] = {kRd, kFimm};
constexpr OperandSpec kOpsMufuU[] = {kRd, negabs(kUrb)};
constexpr OperandSpec kOpsMufuC[] = {kRd, negabs(kConst)};
constexpr FormSpec kFormsMufu[] = {
    {Form::kR, kOpsMufuR}, {Form::kI, kOpsMufuI}, {Form::kU, kOpsMufuU}, {Form::kC, kOpsMufuC}};
constexpr OperandSpec kOpsMatrix[] = {wide(kRd, Width::kMatrix), wide(kRa, Width::kMatrix), wide(kRb, Width::kMatrix),
                                      wide(kRc, Width::kMatrix)};
constexpr OperandSpec kOpsSparse[] = {wide(kRd, Width::kMatrix),
                                      wide(kRa, Width::kMatrix),
                                      wide(kRb, Width::kMatrix),
                                      wide(kRc, Width::kMatrix),
                                      {Place::kRe, Kind::kReg, Width::k1, kOptional}};
constexpr FormSpec kFormsMatrix[] = {{Form::kR, kOpsMatrix}};
constexpr FormSpec kFormsSparse[] = {{Form::kR, kOpsSparse}};
constexpr OperandSpec kOpsConvertR[] = {kRdMod0, negabs(kRbMod1)};
constexpr OperandSpec kOpsConvertU[] = {kRdMod0, negabs(kUrbMod1)};
constexpr OperandSpec kOpsConvertC[] = {kRdMod0, negabs(wide(kConst, Width::kMod1))};
constexpr FormSpec kFormsConvert[] = {{Form::kR, kOpsConvertR}, {Form::kU, kOpsConvertU}, {Form::kC, kOpsConvertC}};
constexpr OperandSpec kDimm{Place::kImm32, Kind::kFloat64, Width::k2};
SMSIM_TWO_SOURCE(kFormsDouble2, kRd64, negabs(wide(kRa)), negabs(wide(kRb)), kDimm, negabs(wide(kUrb)),
                 negabs(wide(kConst)))
SMSIM_THREE_SOURCE(kFormsDfma, kRd64, neg(wide(kRa)), neg(wide(kRb)), kDimm, neg(wide(kUrb)), neg(wide(kConst)),
                   neg(wide(kRbHigh)), neg(wide(kRc)), kDimm, neg(wide(kUrb)), neg(wide(kConst)))
SMSIM_TWO_SOURCE(kFormsDsetp, kPu SMSIM_COMMA kPv, negabs(wide(kRa)), negabs(wide(kRb)), kDimm, negabs(wide(kUrb)),
                 negabs(wide(kConst)), kPp)

// Pairs of 16-bit floats; an immediate is both halves in one word
SMSIM_TWO_SOURCE(kFormsHalf2, kRd, negabs(kRa), negabs(kRb), kImm, negabs(kUrb), negabs(kConst))
SMSIM_THREE_SOURCE(kFormsHfma2, kRd, neg(kRa), neg(kRb), kImm, neg(kUrb), neg(kConst), neg(kRbHigh), neg(kRc), kImm,
                   neg(kUrb), neg(kConst))

// Lanes
constexpr OperandSpec kOpsVote[] = {kRd, kPu, kPp};
constexpr FormSpec kFormsVote[] = {{Form::kX, kOpsVote}};
constexpr OperandSpec kOpsMatch[] = {kRd, kPuOpt, kRaMod0};
constexpr FormSpec kFormsMatch[] = {{Form::kR, kOpsMatch}};
constexpr OperandSpec kOpsRedux[] = {kRd, kRa};
constexpr FormSpec kFormsRedux[] = {{Form::kR, kOpsRedux}};
constexpr OperandSpec kShflLane{Place::kImm5, Kind::kUint};
constexpr OperandSpec kShflClamp{Place::kImm13, Kind::kUint};
constexpr OperandSpec kOpsShflR[] = {kPuOpt, kRd, kRa, kRb, kRc};
constexpr OperandSpec kOpsShflI[] = {kPuOpt, kRd, kRa, kShflLane, kShflClamp};
constexpr OperandSpec kOpsShflRri[] = {kPuOpt, kRd, kRa, kRb, kShflClamp};
constexpr OperandSpec kOpsShflRir[] = {kPuOpt, kRd, kRa, kShflLane, kRc};
constexpr FormSpec kFormsShfl[] = {
    {Form::kR, kOpsShflR}, {Form::kI, kOpsShflI}, {Form::kRri, kOpsShflRri}, {Form::kRir, kOpsShflRir}};

// Memory
constexpr OperandSpec kOpsLdc[] = {kRdAccess, {Place::kIndexed, Kind::kIndexed}};
constexpr FormSpec kFormsLdc[] = {{Form::kC, kOpsLdc}};
// Accesses: each thread has its address in a register, or all have one in a uniform register.
constexpr OperandSpec kDataAccess = wide(kRb, Width::kAccess);
constexpr OperandSpec kDataMoved = wide(kRb, Width::kMoved);
constexpr OperandSpec kDataAtomic = wide(kRb, Width::kAtomic);
constexpr OperandSpec kSwapAtomic = wide(kRc, Width::kAtomic);
#define SMSIM_ACCESS(NAME, ADDRESS, UADDRESS, LIST)                                                                    \
    constexpr OperandSpec NAME##R[] = {LIST(ADDRESS)};                                                                 \
    constexpr OperandSpec NAME##U[] = {LIST(UADDRESS)};                                                                \
    constexpr FormSpec NAME[] = {{Form::kR, NAME##R}, {Form::kU, NAME##U}};
#define SMSIM_LOAD(ADDRESS) kRdAccess, ADDRESS
#define SMSIM_STORE(ADDRESS) ADDRESS, kDataAccess
#define SMSIM_LOAD_MATRICES(ADDRESS) kRdMoved, ADDRESS
#define SMSIM_STORE_MATRICES(ADDRESS) ADDRESS, kDataMoved
#define SMSIM_ATOMIC(ADDRESS) kRdAtomic, ADDRESS, kDataAtomic
#define SMSIM_CAS(ADDRESS) kRdAtomic, ADDRESS, kDataAtomic, kSwapAtomic
#define SMSIM_REDUCTION(ADDRESS) ADDRESS, kDataAtomic
SMSIM_ACCESS(kFormsLoad, kAddress, kUaddress, SMSIM_LOAD)
SMSIM_ACCESS(kFormsStore, kAddress, kUaddress, SMSIM_STORE)
SMSIM_ACCESS(kFormsLoad64, kAddress64, kUaddress64, SMSIM_LOAD)
SMSIM_ACCESS(kFormsStore64, kAddress64, kUaddress64, SMSIM_STORE)
SMSIM_ACCESS(kFormsAtoms, kAddress, kUaddress, SMSIM_ATOMIC)
SMSIM_ACCESS(kFormsAtomsCas, kAddress, kUaddress, SMSIM_CAS)
SMSIM_ACCESS(kFormsAtomg, kAddress64, kUaddress64, SMSIM_ATOMIC)
SMSIM_ACCESS(kFormsAtomgCas, kAddress64, kUaddress64, SMSIM_CAS)
SMSIM_ACCESS(kFormsRed, kAddress64, kUaddress64, SMSIM_REDUCTION)
SMSIM_ACCESS(kFormsLdsm, kAddress, kUaddress, SMSIM_LOAD_MATRICES)
SMSIM_ACCESS(kFormsStsm, kAddress, kUaddress, SMSIM_STORE_MATRICES)

// The engine simt_stack
constexpr OperandSpec kOpsVectorBranch[] = {kRa, kRb, {Place::kHigh, Kind::kTarget}};
constexpr OperandSpec kOpsSetrpc[] = {{Place::kSync, Kind::kTarget}};
constexpr FormSpec kFormsVectorBranch[] = {{Form::kR, kOpsVectorBranch}};
constexpr FormSpec kFormsSetrpc[] = {{Form::kI, kOpsSetrpc}};

// token_stack
constexpr OperandSpec kTest{Place::kTest, Kind::kTest, Width::k1, kOptional};
constexpr OperandSpec kRelative{Place::kBytes24, Kind::kRelative};
constexpr OperandSpec kOpsTokenBraI[] = {kTest, kRelative};
constexpr OperandSpec kOpsTokenJumpC[] = {kTest, kConst};
constexpr OperandSpec kOpsTokenBrx[] = {kTest, {Place::kBase24, Kind::kBase}};
constexpr OperandSpec kOpsJmpI[] = {kTest, {Place::kImm32, Kind::kPlace}};
constexpr OperandSpec kOpsJmx[] = {kTest, {Place::kBase32, Kind::kBase}};
constexpr OperandSpec kOpsRelative[] = {kRelative};
constexpr OperandSpec kOpsCalR[] = {kRa};
constexpr FormSpec kFormsTokenBra[] = {{Form::kI, kOpsTokenBraI}, {Form::kC, kOpsTokenJumpC}};
constexpr FormSpec kFormsTokenBrx[] = {{Form::kR, kOpsTokenBrx}};
constexpr FormSpec kFormsJmp[] = {{Form::kI, kOpsJmpI}, {Form::kC, kOpsTokenJumpC}};
constexpr FormSpec kFormsJmx[] = {{Form::kR, kOpsJmx}};
constexpr FormSpec kFormsRegion[] = {{Form::kI, kOpsRelative}};
constexpr FormSpec kFormsCal[] = {{Form::kI, kOpsRelative}, {Form::kR, kOpsCalR}};

constexpr OpSpec kOperations[] = {
    {Op::kBra, "BRA", Unit::kBranch, kGuardPp | kMayJump, kModsBra, kFormsBra, "branch to a fixed target"},
    {Op::kBrx, "BRX", Unit::kBranch, kGuardPp | kMayJump, {}, kFormsBrx, "indirect branch, relative"},
    {Op::kCall, "CALL", Unit::kBranch, kGuardPp | kMayJump, kModsCall, kFormsCall, "indirect jump to a function"},
    {Op::kRet, "RET", Unit::kBranch, kGuardPp | kMayJump, kModsCall, kFormsCall, "indirect jump back"},
    {Op::kLepc, "LEPC", Unit::kBranch, kVariable, {}, kFormsLepc, "load the effective PC"},
    {Op::kExit, "EXIT", Unit::kBranch, kGuardPp | kMayJump, {}, kFormsGuardOnly, "end the threads"},
    {Op::kBmov, "BMOV", Unit::kBranch, kVariable, kModsBmov, kFormsBmov, "save or restore a convergence barrier"},
    {Op::kBssy, "BSSY", Unit::kBranch, 0, {}, kFormsBssy, "join a convergence barrier"},
    {Op::kBsync, "BSYNC", Unit::kBranch, kMayJump, {}, kFormsBsync, "reconverge"},
    {Op::kYield, "YIELD", Unit::kBranch, kGuardPp | kMayJump, {}, kFormsGuardOnly, "give another path the turn"},
    {Op::kBreak, "BREAK", Unit::kBranch, kGuardPp, {}, kFormsBreak, "leave a convergence barrier"},
    {Op::kWarpsync,
     "WARPSYNC",
     Unit::kBranch,
     kGuardPp | kMayJump,
     {},
     kFormsWarpsync,
     "synchronise the lanes of a mask"},
    {Op::kNanosleep, "NANOSLEEP", Unit::kBranch, kGuardPp | kMayJump, {}, kFormsSleep, "put threads to sleep"},
    {Op::kRtt, "RTT", Unit::kBranch, kMayJump, {}, kFormsNone, "return from a trap handler"},
    {Op::kTrap, "TRAP", Unit::kBranch, kMayJump, {}, kFormsTrap, "trap"},
    {Op::kSyscall, "SYSCALL", Unit::kBranch, 0, {}, kFormsNone, "call the host"},
    {Op::kBar, "BAR", Unit::kBarrier, kArrives | kMayRunOn, kModsBar, kFormsBar, "arrive at a CTA barrier"},
    {Op::kBarRed, "BAR.RED", Unit::kBarrier, kArrives, kModsBarRed, kFormsBarRed, "CTA barrier with reduction"},
    {Op::kB2r, "B2R", Unit::kBarrier, kVariable, kModsB2r, kFormsB2r, "read barrier state"},
    {Op::kB2rResult, "B2R.RESULT", Unit::kBarrier, kVariable, {}, kFormsB2rResult, "read the result of BAR.RED"},
    {Op::kR2b, "R2B", Unit::kBarrier, 0, kModsB2r, kFormsR2b, "write barrier state"},
    {Op::kNop, "NOP", Unit::kNone, 0, {}, kFormsNone, "nothing"},
    {Op::kMembar, "MEMBAR", Unit::kNone, kFence, kModsMembar, kFormsNone, "memory barrier"},
    {Op::kMov, "MOV", Unit::kAlu, 0, {}, kFormsMov, "move"},
    {Op::kS2r,
     "S2R",
     Unit::kXu,
     kVariable | kSpecialRegister,
     {},
     kFormsS2r,
     "read a special register",
     LatencyClass::kSpecialRegister},
    {Op::kCs2r, "CS2R", Unit::kAlu, kSpecialRegister, kModsCs2r, kFormsCs2r,
     "read a special register with fixed latency"},
    {Op::kUmov, "UMOV", Unit::kUniform, 0, {}, kFormsUmov, "uniform move"},
    {Op::kR2ur, "R2UR", Unit::kUniform, 0, {}, kFormsR2ur, "lowest active thread's register to a uniform register"},
    {Op::kS2ur,
     "S2UR",
     Unit::kXu,
     kVariable | kSpecialRegister,
     {},
     kFormsS2ur,
     "special register to a uniform register",
     LatencyClass::kSpecialRegister},
    {Op::kSel, "SEL", Unit::kAlu, 0, {}, kFormsSel, "select by predicate"},
    {Op::kP2r, "P2R", Unit::kAlu, 0, {}, kFormsP2r, "predicates to register"},
    {Op::kR2p, "R2P", Unit::kAlu, 0, {}, kFormsR2p, "register to predicates"},
    {Op::kIadd3, "IADD3", Unit::kAlu, kConditionCodes, kModsIadd3, kFormsIadd3, "add three integers"},
    {Op::kImad, "IMAD", Unit::kFma, 0, kModsImad, kFormsImad, "integer multiply-add", LatencyClass::kProduct},
    {Op::kLea, "LEA", Unit::kAlu, 0, {}, kFormsLea, "(a << shift) + b"},
    {Op::kIabs, "IABS", Unit::kAlu, 0, {}, kFormsOne, "absolute value"},
    {Op::kImnmx, "IMNMX", Unit::kAlu, 0, kModsSignS32, kFormsImnmx, "integer minimum (pp true) or maximum"},
    {Op::kLop3, "LOP3", Unit::kAlu, kConditionCodes, kModsLop3, kFormsLop3, "any logic function of three inputs"},
    {Op::kShf, "SHF", Unit::kAlu, 0, kModsShf, kFormsThree, "funnel shift of c:a by b"},
    {Op::kShl, "SHL", Unit::kAlu, 0, {}, kFormsTwo, "shift left"},
    {Op::kShr, "SHR", Unit::kAlu, 0, kModsSignU32, kFormsTwo, "shift right"},
    {Op::kPrmt, "PRMT", Unit::kAlu, 0, {}, kFormsThree, "permute the bytes of c:a by selector b"},
    {Op::kPopc, "POPC", Unit::kXu, kVariable, {}, kFormsOne, "population count"},
    {Op::kFlo, "FLO", Unit::kXu, kVariable, kModsFlo, kFormsOne, "find leading one"},
    {Op::kBrev, "BREV", Unit::kXu, kVariable, {}, kFormsOne, "bit reverse"},
    {Op::kIsetp, "ISETP", Unit::kAlu, kConditionCodes, kModsIsetp, kFormsIsetp, "integer compare to predicates"},
    {Op::kPsetp, "PSETP", Unit::kAlu, 0, kModsPsetp, kFormsPsetp, "combine predicates"},
    {Op::kPlop3, "PLOP3", Unit::kAlu, 0, {}, kFormsPlop3, "any logic function of three predicates"},
    {Op::kFadd, "FADD", Unit::kFma, kFp32 | kConditionCodes, kModsFloat, kFormsFloat2, "float add"},
    {Op::kFmul, "FMUL", Unit::kFma, kFp32 | kConditionCodes, kModsFloat, kFormsFloat2, "float multiply"},
    {Op::kFfma, "FFMA", Unit::kFma, kFp32 | kConditionCodes, kModsFloat, kFormsFfma, "float fused multiply-add"},
    {Op::kFmnmx, "FMNMX", Unit::kAlu, 0, kModsFlush, kFormsFmnmx, "float minimum (pp true) or maximum"},
    {Op::kFsetp, "FSETP", Unit::kAlu, kConditionCodes, kModsFsetp, kFormsFsetp, "float compare to predicates"},
    {Op::kMufu, "MUFU", Unit::kXu, kVariable, kModsMufu, kFormsMufu, "special function"},
    {Op::kF2i, "F2I", Unit::kXu, kVariable, kModsF2i, kFormsConvert, "float to integer"},
    {Op::kI2f, "I2F", Unit::kXu, kVariable, kModsI2f, kFormsConvert, "integer to float"},
    {Op::kF2f, "F2F", Unit::kXu, kVariable, kModsF2f, kFormsConvert, "float to float, or to an integral value"},
    {Op::kDadd, "DADD", Unit::kFp64, kVariable, kModsDouble, kFormsDouble2, "double add"},
    {Op::kDmul, "DMUL", Unit::kFp64, kVariable, kModsDouble, kFormsDouble2, "double multiply"},
    {Op::kDfma, "DFMA", Unit::kFp64, kVariable, kModsDouble, kFormsDfma, "double fused multiply-add",
     LatencyClass::kDoubleFma},
    {Op::kDsetp, "DSETP", Unit::kFp64, kVariable, kModsDsetp, kFormsDsetp, "double compare to predicates"},
    {Op::kHadd2, "HADD2", Unit::kHalf, 0, kModsHalf2, kFormsHalf2, "add of two pairs of 16-bit floats"},
    {Op::kHmul2, "HMUL2", Unit::kHalf, 0, kModsHalf2, kFormsHalf2, "multiply of two pairs of 16-bit floats"},
    {Op::kHfma2, "HFMA2", Unit::kHalf, 0, kModsHalf3, kFormsHfma2, "fused multiply-add of pairs of 16-bit floats"},
    {Op::kHmma, "HMMA", Unit::kTensor, 0, kModsHmma, kFormsSparse,
     "product of matrices of 16-bit or 8-bit floats, or TF32", LatencyClass::kMatrix},
    {Op::kImma, "IMMA", Unit::kTensor, 0, kModsImma, kFormsSparse, "product of matrices of 8-bit or 4-bit integers",
     LatencyClass::kMatrix},
    {Op::kBmma, "BMMA", Unit::kTensor, 0, kModsBmma, kFormsMatrix, "product of matrices of bits",
     LatencyClass::kMatrix},
    {Op::kDmma, "DMMA", Unit::kTensor, 0, kModsDmma, kFormsMatrix, "product of matrices of doubles",
     LatencyClass::kMatrix},
    // Unlike F2F on a pipe of fixed latency (F-84).
    {Op::kF2fp, "F2FP", Unit::kAlu, 0, kModsF2fp, kFormsTwo, "floats to or from 8-bit floats, or to TF32"},
    {Op::kVote, "VOTE", Unit::kAlu, 0, kModsVote, kFormsVote, "ballot and vote over the active lanes",
     LatencyClass::kVote},
    {Op::kMatch, "MATCH", Unit::kXu, kVariable, kModsMatch, kFormsMatch, "lanes that hold the same value",
     LatencyClass::kMatch},
    {Op::kRedux, "REDUX", Unit::kXu, kVariable, kModsRedux, kFormsRedux, "reduction over the active lanes",
     LatencyClass::kRedux},
    {Op::kShfl, "SHFL", Unit::kLoadStore, kVariable, kModsShfl, kFormsShfl, "exchange between lanes",
     LatencyClass::kShuffle},
    {Op::kMovm, "MOVM", Unit::kLoadStore, kVariable, kModsMovm, kFormsRedux, "transpose a matrix in a register",
     LatencyClass::kShuffle},
    {Op::kLdc, "LDC", Unit::kLoadStore, kVariable | kConstant, kModsAccess, kFormsLdc,
     "load from constant memory, indexed"},
    {Op::kLds, "LDS", Unit::kLoadStore, kVariable | kReadsMemory | kShared, kModsAccess, kFormsLoad,
     "load from shared memory"},
    {Op::kSts, "STS", Unit::kLoadStore, kWritesMemory | kShared, kModsAccess, kFormsStore, "store to shared memory"},
    {Op::kLdg, "LDG", Unit::kLoadStore, kVariable | kReadsMemory | kGlobal, kModsGlobal, kFormsLoad64,
     "load from global memory"},
    {Op::kStg, "STG", Unit::kLoadStore, kWritesMemory | kGlobal, kModsGlobal, kFormsStore64, "store to global memory"},
    {Op::kLdl, "LDL", Unit::kLoadStore, kVariable | kReadsMemory | kLocal, kModsAccess, kFormsLoad,
     "load from local memory"},
    {Op::kStl, "STL", Unit::kLoadStore, kWritesMemory | kLocal, kModsAccess, kFormsStore, "store to local memory"},
    {Op::kAtoms, "ATOMS", Unit::kLoadStore, kVariable | kReadsMemory | kWritesMemory | kShared | kAtomic, kModsAtomic,
     kFormsAtoms, "atomic on shared memory"},
    {Op::kAtomsCas, "ATOMS.CAS", Unit::kLoadStore,
     kVariable | kReadsMemory | kWritesMemory | kShared | kAtomic | kCompareSwap, kModsCas, kFormsAtomsCas,
     "compare and swap on shared memory"},
    {Op::kAtomg, "ATOMG", Unit::kLoadStore, kVariable | kReadsMemory | kWritesMemory | kGlobal | kAtomic, kModsAtomic,
     kFormsAtomg, "atomic on global memory"},
    {Op::kAtomgCas, "ATOMG.CAS", Unit::kLoadStore,
     kVariable | kReadsMemory | kWritesMemory | kGlobal | kAtomic | kCompareSwap, kModsCas, kFormsAtomgCas,
     "compare and swap on global memory"},
    {Op::kRed, "RED", Unit::kLoadStore, kWritesMemory | kGlobal | kAtomic, kModsAtomic, kFormsRed,
     "atomic on global memory without result"},
    {Op::kLdsm, "LDSM", Unit::kLoadStore, kVariable | kReadsMemory | kShared | kMatrixRows, kModsMoved, kFormsLdsm,
     "load matrices from shared memory"},
    {Op::kStsm, "STSM", Unit::kLoadStore, kWritesMemory | kShared | kMatrixRows, kModsMoved, kFormsStsm,
     "store matrices to shared memory"},
    // The engine simt_stack
    {Op::kVbeq, "VBEQ", Unit::kBranch, kMayJump | kNoGuard, {}, kFormsVectorBranch, "branch where registers are equal"},
    {Op::kVbne, "VBNE", Unit::kBranch, kMayJump | kNoGuard, {}, kFormsVectorBranch, "branch where registers differ"},
    {Op::kVblt, "VBLT", Unit::kBranch, kMayJump | kNoGuard, {}, kFormsVectorBranch, "branch where a < b, signed"},
    {Op::kVbge, "VBGE", Unit::kBranch, kMayJump | kNoGuard, {}, kFormsVectorBranch, "branch where a >= b, signed"},
    {Op::kVbltu, "VBLTU", Unit::kBranch, kMayJump | kNoGuard, {}, kFormsVectorBranch, "branch where a < b, unsigned"},
    {Op::kVbgeu, "VBGEU", Unit::kBranch, kMayJump | kNoGuard, {}, kFormsVectorBranch, "branch where a >= b, unsigned"},
    {Op::kSetrpc, "SETRPC", Unit::kBranch, kNoGuard, {}, kFormsSetrpc, "set where branches reconverge"},
    {Op::kJoin, "JOIN", Unit::kBranch, kMayJump | kNoGuard, {}, kFormsNone, "reconverge what waits for this address"},
    {Op::kBarrier,
     "BARRIER",
     Unit::kBarrier,
     kArrives | kNoGuard,
     {},
     kFormsNone,
     "arrive at CTA barrier 0 with all living warps"},
    {Op::kEndprg, "ENDPRG", Unit::kBranch, kMayJump | kNoGuard, {}, kFormsNone, "end the warp"},
    // The engine token_stack
    {Op::kTokenBra, "BRA", Unit::kBranch, kMayJump | kConditionTest, kModsTokenJump, kFormsTokenBra,
     "branch to a fixed or constant distance"},
    {Op::kTokenBrx, "BRX", Unit::kBranch, kMayJump | kConditionTest, kModsTokenIndirect, kFormsTokenBrx,
     "branch to a distance in a register"},
    {Op::kJmp, "JMP", Unit::kBranch, kMayJump | kConditionTest, kModsTokenJump, kFormsJmp,
     "jump to a fixed or constant address"},
    {Op::kJmx, "JMX", Unit::kBranch, kMayJump | kConditionTest, kModsTokenIndirect, kFormsJmx,
     "jump to an address in a register"},
    {Op::kSsy, "SSY", Unit::kBranch, kNoGuard, {}, kFormsRegion, "open a region that ends at an address"},
    {Op::kPbk, "PBK", Unit::kBranch, kNoGuard, {}, kFormsRegion, "open a loop that BRK leaves for an address"},
    {Op::kPcnt, "PCNT", Unit::kBranch, kNoGuard, {}, kFormsRegion, "open a round that CONT leaves for an address"},
    {Op::kPret, "PRET", Unit::kBranch, kNoGuard, {}, kFormsRegion, "set the return address of a call to come"},
    {Op::kSync, "SYNC", Unit::kBranch, kMayJump, {}, kFormsNone, "go to the end of the region"},
    {Op::kBrk, "BRK", Unit::kBranch, kMayJump, {}, kFormsNone, "leave the loop"},
    {Op::kCont, "CONT", Unit::kBranch, kMayJump, {}, kFormsNone, "leave the round of the loop"},
    {Op::kTokenRet, "RET", Unit::kBranch, kMayJump, {}, kFormsNone, "return from the function"},
    {Op::kCal, "CAL", Unit::kBranch, kMayJump, {}, kFormsCal, "call a function"},
};

constexpr Names kSpecialRegisters[] = {"SR_LANEID",  "SR_WARPID",   "SR_TID.X",         "SR_TID.Y",        "SR_TID.Z",
                                       "SR_CTAID.X", "SR_CTAID.Y",  "SR_CTAID.Z",       "SR_NTID.X",       "SR_NTID.Y",
                                       "SR_NTID.Z",  "SR_NCTAID.X", "SR_NCTAID.Y",      "SR_NCTAID.Z",     "SR_SMID",
                                       "SR_EQMASK",  "SR_LTMASK",   "SR_LEMASK",        "SR_GTMASK",       "SR_GEMASK",
                                       "SR_CLOCKLO", "SR_CLOCKHI",  "SR_GLOBALTIMERLO", "SR_GLOBALTIMERHI"};

} // namespace

constinit const std::array<const OpSpec *, 256> kSpecsByNumber = [] {
    std::array<const OpSpec *, 256> table{};
    for (const OpSpec &spec : kOperations) {
        table[static_cast<std::uint8_t>(spec.op)] = &spec;
    }
    return table;
}();

std::span<const OpSpec> all_operations() {
    return kOperations;
}

const OpSpec *find_op(std::uint8_t optype) {
    return kSpecsByNumber[optype];
}

const FormSpec *find_form(const OpSpec &spec, Form form) {
    const auto found = std::ranges::find(spec.forms, form, &FormSpec::form);
    return found == spec.forms.end() ? nullptr : &*found;
}

std::string_view form_name(Form form) {
    constexpr Names kNames[] = {"X", "R", "I", "U", "C", "RI", "RRI", "RIR", "RRC", "RRU"};
    const auto index = static_cast<std::size_t>(form);
    return index < std::size(kNames) ? kNames[index] : "?";
}

std::span<const std::string_view> special_register_names() {
    return kSpecialRegisters;
}

} // namespace smsim::isa
