// Takes any bytes as a file of transactions, and as the unpacked records of each part, to reach code that checksums
// protect.
#include <string>
#include <vector>

#include "cosim/transactions/listing.h"
#include "model/config/config.h"
#include "model/error.h"
#include "model/transactions/file.h"
#include "model/transactions/sequence_check.h"
#include "tb/fuzz/hostile/target.h"

using namespace smsim;
using namespace smsim::transactions;

namespace {

constexpr Part kAll[] = {Part::kBru, Part::kBcu, Part::kTimer, Part::kShared};

/// The properties of a record: it is a line of text, and its bytes encode the same record.
void hold_record(Part part, const Record &record) {
    const std::string text = text_of(record);
    hostile::hold(text.find('\n') == std::string::npos, "a record is one line");
    ByteWriter writer;
    encode(record, 0, writer);
    ByteReader reader(writer.bytes(), [](std::size_t, const std::string &reason) { throw std::logic_error(reason); });
    hostile::hold(decode(part, 0, reader) == record && reader.at_end(), "a record is written as it was read");
}

void load_file(std::vector<std::uint8_t> bytes) {
    try {
        const File file(std::move(bytes), "input.smtx");
        for (const Part part : kAll) {
            RecordStream stream = file.stream(part);
            while (const auto record = stream.next()) {
                hold_record(part, *record);
            }
        }
    } catch (const InputError &) {
    }
}

void load_records(Part part, std::span<const std::uint8_t> bytes) {
    const Config config;
    SequenceCheck check(config, part);
    ByteReader reader(bytes, [](std::size_t, const std::string &reason) { throw InputError(reason); });
    Cycle previous = 0;
    try {
        while (!reader.at_end()) {
            const Record record = decode(part, previous, reader);
            hostile::hold(cycle_of(record) >= previous, "time goes on");
            previous = cycle_of(record);
            hold_record(part, record);
            check.error(record);
        }
    } catch (const InputError &) {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    load_file({data, data + size});
    for (const Part part : kAll) {
        load_records(part, {data, size});
    }
    return 0;
}
