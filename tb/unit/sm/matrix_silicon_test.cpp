// Results of GPUs, bit for bit: the sums of tb/silicon/tensor_bits, and the tiles of an H100 in tb/silicon/tensor,
// whose operands its operands.py makes.
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "tb/unit/sm/matrix_oracle.h"
#include "tb/unit/sm/matrix_support.h"

namespace smsim::sm::compute::matrix::test {
namespace {

using E = Element;

/// Bits of a number in a format that has it, or for f16 the nearest one; from the bits of an f32.
std::uint32_t in_format(E type, std::uint32_t f32) {
    if (type == E::kF32) {
        return f32;
    }
    const OracleFormat format = oracle_format(type);
    const Number number = number_of(oracle_format(E::kF32), f32);
    return rounded(format, number.negative, number.significand, number.exponent - number.fraction, true) << format.low;
}

struct DotProduct {
    std::vector<std::uint32_t> a;
    std::vector<std::uint32_t> b;
    std::uint32_t c;
    std::uint32_t d;
};

std::vector<std::uint32_t> numbers(const std::string &text) {
    std::vector<std::uint32_t> all;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) {
        all.push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
    }
    return all;
}

std::vector<DotProduct> read_rows(const std::string &name) {
    std::ifstream file(SMSIM_SOURCE_DIR "/tb/silicon/tensor_bits/" + name + ".csv");
    EXPECT_TRUE(file) << name;
    std::vector<DotProduct> rows;
    std::string line;
    std::getline(file, line); // the names of the columns
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        std::string row;
        std::string field[4];
        std::getline(fields, row, ',');
        for (std::string &each : field) {
            std::getline(fields, each, ',');
        }
        rows.push_back({numbers(field[0]), numbers(field[1]), numbers(field[2]).at(0), numbers(field[3]).at(0)});
    }
    return rows;
}

/// D[0][0] of an operation whose other elements are zero.
std::uint32_t dot_product(const MatrixOperation &op, Arithmetic arithmetic, const DotProduct &row) {
    std::mt19937 random(0);
    const auto zero = [] { return std::uint64_t{0}; };
    Operands operands = random_operands(op, random, zero, zero, zero);
    for (unsigned i = 0; i < row.a.size(); ++i) {
        operands.a[0].at(0, i) = in_format(op.a, row.a[i]);
        operands.b[0].at(i, 0) = in_format(op.b, row.b[i]);
    }
    operands.c[0].at(0, 0) = in_format(op.c, row.c);
    return static_cast<std::uint32_t>(execute(op, arithmetic, true, operands)[0].at(0, 0));
}

struct File {
    const char *name;
    Arithmetic arithmetic;
    unsigned m;
    unsigned k;
    E type;
    E result;
};

class MatrixSilicon : public ::testing::TestWithParam<File> {};

TEST_P(MatrixSilicon, SumsOfProductsAreThoseOfTheGpu) {
    const File &file = GetParam();
    const MatrixOperation op = operation(file.m, file.k, file.type, file.type, file.result, file.result);
    const std::vector<DotProduct> rows = read_rows(file.name);
    EXPECT_EQ(rows.size(), 200U);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(dot_product(op, file.arithmetic, rows[i]), in_format(file.result, rows[i].d)) << "row " << i;
    }
}

// Not here are H100_E4M3_fp32 and H100_E5M2_fp32, results of wgmma, which sums otherwise.
INSTANTIATE_TEST_SUITE_P(Gpus, MatrixSilicon,
                         ::testing::Values(File{"V100_fp16_fp16", Arithmetic::k7_0, 8, 4, E::kF16, E::kF16},
                                           File{"V100_fp16_fp32", Arithmetic::k7_0, 8, 4, E::kF16, E::kF32},
                                           File{"A100_fp16_fp16", Arithmetic::k8_0, 16, 16, E::kF16, E::kF16},
                                           File{"A100_fp16_fp32", Arithmetic::k8_0, 16, 16, E::kF16, E::kF32},
                                           File{"A100_bf16_fp32", Arithmetic::k8_0, 16, 16, E::kBf16, E::kF32},
                                           File{"A100_tf32_fp32", Arithmetic::k8_0, 16, 8, E::kTf32, E::kF32},
                                           File{"Ada_fp16_fp16", Arithmetic::k8_9, 16, 16, E::kF16, E::kF16},
                                           File{"Ada_fp16_fp32", Arithmetic::k8_9, 16, 16, E::kF16, E::kF32},
                                           File{"Ada_bf16_fp32", Arithmetic::k8_9, 16, 16, E::kBf16, E::kF32},
                                           File{"Ada_tf32_fp32", Arithmetic::k8_9, 16, 8, E::kTf32, E::kF32},
                                           File{"Ada_E4M3_fp16", Arithmetic::k8_9, 16, 32, E::kE4m3, E::kF16},
                                           File{"Ada_E4M3_fp32", Arithmetic::k8_9, 16, 32, E::kE4m3, E::kF32},
                                           File{"Ada_E5M2_fp16", Arithmetic::k8_9, 16, 32, E::kE5m2, E::kF16},
                                           File{"Ada_E5M2_fp32", Arithmetic::k8_9, 16, 32, E::kE5m2, E::kF32},
                                           File{"H100_fp16_fp16", Arithmetic::k9_0, 16, 16, E::kF16, E::kF16},
                                           File{"H100_fp16_fp32", Arithmetic::k9_0, 16, 16, E::kF16, E::kF32},
                                           File{"H100_bf16_fp32", Arithmetic::k9_0, 16, 16, E::kBf16, E::kF32},
                                           File{"H100_tf32_fp32", Arithmetic::k9_0, 16, 8, E::kTf32, E::kF32},
                                           File{"H100_E4M3_fp16", Arithmetic::k9_0, 16, 32, E::kE4m3, E::kF16},
                                           File{"H100_E5M2_fp16", Arithmetic::k9_0, 16, 32, E::kE5m2, E::kF16}),
                         [](const auto &file) { return std::string(file.param.name); });

/// The operation of a kind of operands.py: types of A and B, k and type of C, as in e4m3_e5m2_k32_f32.
MatrixOperation operation_of(const std::string &kind) {
    static const std::map<std::string, E> kTypes{{"f16", E::kF16},   {"bf16", E::kBf16}, {"tf32", E::kTf32},
                                                 {"e4m3", E::kE4m3}, {"e5m2", E::kE5m2}, {"f32", E::kF32}};
    std::vector<std::string> words;
    std::istringstream stream(kind);
    for (std::string word; std::getline(stream, word, '_');) {
        words.push_back(word);
    }
    const E a = kTypes.at(words.front());
    const E b = words.size() == 4 ? kTypes.at(words[1]) : a;
    const E c = kTypes.at(words.back());
    return operation(16, static_cast<unsigned>(std::stoul(words[words.size() - 2].substr(1))), a, b, c, c);
}

/// Lines "KIND NUMBER elements of A, B, C" of all tiles, row by row, in hexadecimal.
std::string tiles_of_python() {
    const char *const command = "PYTHONPATH='" SMSIM_SOURCE_DIR "/tb' python3 -B -c '"
                                "from silicon.tensor import operands\n"
                                "for kind in operands.KINDS.values():\n"
                                "    for number in range(operands.TILES):\n"
                                "        of_all = operands.tile(kind, number)\n"
                                "        bits = [f\"{x:x}\" for matrix in of_all for row in matrix for x in row]\n"
                                "        print(kind.name, number, *bits)\n'";
    std::FILE *pipe = popen(command, "r");
    std::string text;
    char part[65536];
    while (pipe != nullptr) {
        const std::size_t got = std::fread(part, 1, sizeof part, pipe);
        if (got == 0) {
            break;
        }
        text.append(part, got);
    }
    return pipe != nullptr && pclose(pipe) == 0 ? text : std::string();
}

void read_matrix(std::istream &from, Matrix &to, unsigned rows, unsigned columns) {
    to = Matrix(rows, columns);
    for (unsigned row = 0; row < rows; ++row) {
        for (unsigned column = 0; column < columns; ++column) {
            from >> std::hex >> to.at(row, column);
        }
    }
}

TEST(MatrixTiles, AreThoseOfAnH100) {
    std::istringstream tiles(tiles_of_python());
    if (tiles.str().empty()) {
        GTEST_SKIP() << "python3 is not there";
    }
    std::ifstream measured(SMSIM_SOURCE_DIR "/tb/silicon/tensor/h100.txt");
    unsigned count = 0;
    for (std::string line; std::getline(measured, line);) {
        if (line.rfind('#', 0) == 0) {
            continue;
        }
        std::istringstream results(line);
        std::string kind;
        std::string number;
        results >> kind >> number;
        std::string kind_of_tile;
        std::string number_of_tile;
        tiles >> kind_of_tile >> number_of_tile;
        ASSERT_EQ(kind + " " + number, kind_of_tile + " " + number_of_tile);
        const MatrixOperation op = operation_of(kind);
        Operands operands;
        operands.a.fill(Matrix(op.m, op.k));
        operands.b.fill(Matrix(op.k, op.n));
        operands.c.fill(Matrix(op.m, op.n));
        read_matrix(tiles, operands.a[0], op.m, op.k);
        read_matrix(tiles, operands.b[0], op.k, op.n);
        read_matrix(tiles, operands.c[0], op.m, op.n);
        const auto d = execute(op, Arithmetic::k9_0, true, operands);
        Matrix expected;
        read_matrix(results, expected, op.m, op.n);
        for (unsigned i = 0; i < op.m * op.n; ++i) {
            ASSERT_EQ(d[0].at(i / op.n, i % op.n), expected.at(i / op.n, i % op.n)) << kind << " " << number;
        }
        ++count;
    }
    EXPECT_EQ(count, 240U);
}

} // namespace
} // namespace smsim::sm::compute::matrix::test
