# The seeded bugs of matrix instructions: their arithmetic, where their elements are, and what PTX makes of them.

# --- rules of the generations ----------------------------------------------------------------------------------------

smsim_mutant(matrix_volta_keeps_24_bits BY_MATRICES FILE sm/datapath/compute/matrix/arithmetic.cpp
  WRONG "7.0 keeps 24 bits below the largest exponent instead of 23"
  REPLACE [=[unit = 23;]=]
  BY [=[unit = 24;]=])

smsim_mutant(matrix_tf32_in_blocks_of_f16 BY_MATRICES FILE sm/datapath/compute/matrix/arithmetic.cpp
  WRONG "a block of tf32 has as many products as one of f16"
  REPLACE [=[return op.a == Element::kTf32 ? of_f16 / 2 : of_f16;]=]
  BY [=[return of_f16;]=])

smsim_mutant(matrix_hopper_in_blocks_of_ampere BY_MATRICES FILE sm/datapath/compute/matrix/arithmetic.cpp
  WRONG "9.0 sums blocks of eight products, as 8.0 does"
  REPLACE [=[rule.block = block_of(op, 16);]=]
  BY [=[rule.block = block_of(op, 8);]=])

smsim_mutant(matrix_fp8_keeps_14_bits BY_MATRICES FILE sm/datapath/compute/matrix/arithmetic.cpp
  WRONG "8.9 keeps 14 bits of fp8 products instead of 13"
  REPLACE [=[rule.kept = 13;]=]
  BY [=[rule.kept = 14;]=])

smsim_mutant(matrix_fp8_sum_as_f32 BY_MATRICES FILE sm/datapath/compute/matrix/arithmetic.cpp
  WRONG "8.9 gives fp8 sums all bits of f32 instead of 13 after the point"
  REPLACE [=[rule.out = to_f16 ? Out::kF16 : Out::kE8m13;]=]
  BY [=[rule.out = to_f16 ? Out::kF16 : Out::kF32;]=])

# --- sums ------------------------------------------------------------------------------------------------------------

smsim_mutant(matrix_accumulator_rounded BY_MATRICES FILE sm/datapath/compute/matrix/block.h
  INCLUDED_BY sm/datapath/compute/matrix/sums.cpp
  WRONG "the accumulator is cut to the unit of its block by rounding instead of truncation"
  REPLACE [=[cut = __builtin_convertvector(addend * scale, typename V::Int);]=]
  BY [=[cut = __builtin_convertvector(addend * scale + 0.5F, typename V::Int);]=])

smsim_mutant(matrix_sum_to_odd BY_MATRICES FILE sm/datapath/compute/matrix/block.h
  INCLUDED_BY sm/datapath/compute/matrix/sums.cpp
  WRONG "an f32 sum is rounded to odd instead of truncated"
  REPLACE [=[to_24_bits<V>(value, magnitude, top, rule.kept, to_f16);]=]
  BY [=[to_24_bits<V>(value, magnitude, top, rule.kept, true);]=])

smsim_mutant(matrix_fp8_pairs_swapped BY_MATRICES FILE sm/datapath/compute/matrix/sums.cpp
  WRONG "9.0 sums products of fp8 with k mod 4 of 2 and 3 first"
  REPLACE [=[return {2 * block, 2 * block + 2, 0, words};]=]
  BY [=[return {2 - 2 * block, 4 - 2 * block, 0, words};]=])

smsim_mutant(matrix_c_added_unrounded BY_MATRICES CASES wmma FILE sm/datapath/compute/matrix/floats.cpp
  WRONG "C of f32 is not rounded to the type of D, f16, before products are added"
  REPLACE [=[if (op.d == Element::kF16 && !exact) {]=]
  BY [=[if (false) {]=])

smsim_mutant(matrix_infinity_without_sign BY_MATRICES FILE sm/datapath/compute/matrix/floats.cpp
  WRONG "a negative infinity of f16 becomes a positive one"
  REPLACE [=[kInfinity16 | (bits >> 16 & 0x8000U);]=]
  BY [=[kInfinity16;]=])

smsim_mutant(matrix_nan_saturates BY_MATRICES CASES satfinite FILE sm/datapath/compute/matrix/floats.cpp
  WRONG ".satfinite makes a NaN the largest number instead of 0"
  REPLACE [=[d[i] = 0;]=]
  BY [=[d[i] = largest;]=])

smsim_mutant(matrix_integers_clamped_late BY_MATRICES CASES satfinite FILE sm/datapath/compute/matrix/integers.cpp
  WRONG ".satfinite clamps to the negative of the largest number"
  REPLACE [=[std::clamp(sum, kLeast, kMost)]=]
  BY [=[std::clamp(sum, -kMost, kMost)]=])

smsim_mutant(matrix_bits_always_xor BY_MATRICES CASES b1 FILE sm/datapath/compute/matrix/integers.cpp
  WRONG "BMMA.AND counts the bits of XOR"
  REPLACE [=[and_not_xor ? a & b[j] : a ^ b[j]]=]
  BY [=[a ^ b[j]]=])

smsim_mutant(matrix_doubles_from_the_end BY_MATRICES CASES f64 FILE sm/datapath/compute/matrix/doubles.cpp
  WRONG "the chain of products of doubles begins with the greatest k"
  REPLACE [=[std::fma(tile.a[row][i], tile.b[i][j], sums[j]);]=]
  BY [=[std::fma(tile.a[row][k - 1 - i], tile.b[k - 1 - i][j], sums[j]);]=])

smsim_mutant(matrix_doubles_to_nearest BY_MATRICES CASES f64 FILE sm/datapath/compute/matrix/doubles.cpp
  WRONG "DMMA ignores its rounding"
  REPLACE [=[const HostRounding mode(op.rounding);]=]
  BY [=[]=])

# --- maps ------------------------------------------------------------------------------------------------------------

smsim_mutant(matrix_registers_of_a_swapped BY_MATRICES FILE sm/datapath/compute/matrix/tiles.cpp
  WRONG "the second register of A has the second half of k instead of rows 8 to 15"
  REPLACE [=[i % halves * kColumns * tile.words_a + i / halves * kGroup;]=]
  BY [=[i / halves % halves * kColumns * tile.words_a + i % halves * kGroup;]=])

smsim_mutant(matrix_halves_of_d_swapped BY_MATRICES FILE sm/datapath/compute/matrix/tiles.cpp
  WRONG "the halves of a register of D of f16 are swapped"
  REPLACE [=[to[i] = from[2 * i] | from[2 * i + 1] << 16;]=]
  BY [=[to[i] = from[2 * i + 1] | from[2 * i] << 16;]=])

smsim_mutant(matrix_quad_result_by_rows BY_MATRICES FILE sm/datapath/compute/matrix/fragments.h
  INCLUDED_BY sm/datapath/compute/matrix/tiles.cpp
  WRONG "m8n8k4 has two rows of C in a thread where it has two columns"
  REPLACE [=[return {(lane & 1U) + (index & 2U) + upper_quad(lane), (index & 4U) + (lane & 2U) + (index & 1U), quad_pair(lane)};]=]
  BY [=[return {(lane & 1U) + (lane & 2U) + upper_quad(lane), (index & 4U) + (index & 2U) + (index & 1U), quad_pair(lane)};]=])

smsim_mutant(matrix_movm_does_not_transpose BY_MATRICES CASES ldmatrix FILE sm/datapath/compute/matrix/exchange.cpp
  WRONG "MOVM gives each thread its own elements"
  REPLACE [=[const RegisterHalf place = place_of_element(row, i, true);]=]
  BY [=[const RegisterHalf place = place_of_element(row, i, false);]=])

smsim_mutant(matrix_metadata_of_the_upper_rows BY_MATRICES CASES mma.sp FILE sm/datapath/compute/matrix/terms.cpp
  WRONG "rows 8 to 15 of a sparse A of bytes have the metadata of rows 0 to 7"
  REPLACE [=[const unsigned first = 2 * op.selector + half;]=]
  BY [=[const unsigned first = 2 * op.selector;]=])

smsim_mutant(matrix_metadata_of_tf32 BY_MATRICES CASES mma.sp FILE sm/datapath/compute/matrix/terms.cpp
  WRONG "the second bit of a nibble of tf32 is taken for the first"
  REPLACE [=[(metadata >> (4 * stored + 1) & 1U)]=]
  BY [=[(metadata >> (4 * stored + 2) & 1U)]=])

smsim_mutant(matrix_metadata_of_pairs BY_MATRICES CASES mma.sp FILE sm/datapath/compute/matrix/terms.cpp
  WRONG "the elements of a kept pair of 4-bit numbers are taken for elements two apart"
  REPLACE [=[k = 8 * (stored / 4) + 2 * index + stored % 2;]=]
  BY [=[k = 8 * (stored / 4) + index + 4 * (stored % 2);]=])

# --- from PTX --------------------------------------------------------------------------------------------------------

smsim_mutant(matrix_selector_ignored BY_MATRICES CASES mma.sp FILE ptx/select/matrix.cpp
  WRONG "the selector of mma.sp is always 0"
  REPLACE [=[op.selector = static_cast<unsigned>(selection.operand(5).value);]=]
  BY [=[op.selector = 0;]=])

smsim_mutant(matrix_wmma_never_transposed BY_MATRICES CASES wmma FILE ptx/select/matrix.cpp
  WRONG "the sources of wmma m8n32 are not exchanged"
  REPLACE [=[const unsigned first = form.transposed ? 2 : 1;]=]
  BY [=[const unsigned first = 1;]=])

smsim_mutant(matrix_ldmatrix_not_transposed BY_MATRICES CASES ldmatrix FILE ptx/select/matrix.cpp
  WRONG "ldmatrix and stmatrix ignore .trans"
  REPLACE [=[form.trans ? "MT88" : "M88"]=]
  BY [=["M88"]=])

smsim_mutant(matrix_result_in_memory_by_rows BY_MATRICES CASES wmma FILE ptx/select/fragment_access.cpp
  WRONG "wmma.load of C and wmma.store take rows for columns"
  REPLACE [=[form.by_columns == form.transposed;]=]
  BY [=[!form.by_columns;]=])

smsim_mutant(matrix_wmma_saturates_early BY_MATRICES CASES satfinite FILE ptx/select/matrix.cpp
  WRONG "of two instructions of a wmma product the first one saturates as well"
  REPLACE [=[part.saturate = op.saturate && i + 1 == parts;]=]
  BY [=[part.saturate = op.saturate;]=])

smsim_mutant(matrix_wmma_parts_swapped BY_MATRICES CASES wmma FILE ptx/select/matrix.cpp
  WRONG "the two instructions of a wmma product have each other's columns of A"
  REPLACE [=[product.a.subspan(i * size_a, size_a)]=]
  BY [=[product.a.subspan((parts - 1 - i) * size_a, size_a)]=])

smsim_mutant(matrix_host_rounds_to_nearest BY_MATRICES FILE sm/datapath/compute/matrix/sums.cpp
  WRONG "f32 sums of f16 are rounded to nearest"
  REPLACE [=[rule.by_host ? isa::Rounding::kRz : isa::Rounding::kRn]=]
  BY [=[isa::Rounding::kRn]=])
