// Bank conflicts: a lazily filled table of words per bank.
#include "memory/bank_conflicts.h"

#include <algorithm>
#include <bit>

#include "model/error.h"

namespace smsim::memory {

BankConflicts::BankConflicts(std::uint32_t banks, std::uint32_t bank_bytes, bool never)
    : bank_bytes_(bank_bytes), never_(never) {
    if (banks == 0 || bank_bytes == 0) {
        throw InputError("shared.banks, shared.bank_bytes: 0 is not allowed; expected at least 1");
    }
    if (std::has_single_bit(bank_bytes)) {
        shift_ = std::countr_zero(bank_bytes);
    }
    if (std::has_single_bit(banks)) {
        mask_ = banks - 1;
    }
    banks_.resize(banks);
    begin();
}

std::uint32_t BankConflicts::add_words(std::uint64_t first, std::uint64_t count) {
    if (passes_ == 0) {
        push_range(first, count);
        taken_banks_ = ~std::uint64_t{0};
        passes_ = static_cast<std::uint32_t>((count + banks_.size() - 1) / banks_.size());
        return passes_;
    }
    place_ranges();
    std::uint32_t last = 0;
    for (std::uint64_t word = first; word < first + count; ++word) {
        last = std::max(last, place(word));
    }
    return taken(last);
}

std::uint32_t BankConflicts::add_exclusive(std::uint64_t address, std::uint64_t bytes) {
    place_ranges();
    const std::uint64_t first = word_of(address);
    const std::uint64_t last = word_of(address + bytes - 1);
    std::uint32_t pass = 0;
    for (std::uint64_t word = first; word <= last; ++word) {
        pass = std::max(pass, bank_of(word).used);
    }
    ++pass;
    for (std::uint64_t word = first; word <= last; ++word) {
        Bank &bank = bank_of(word);
        bank.used = pass;
        bank.words.push_back({word, pass});
        ++placed_;
    }
    return taken(pass);
}

BankConflicts::Bank &BankConflicts::bank_of(std::uint64_t word) {
    Bank &bank = banks_[index_of(word)];
    if (bank.access != access_) {
        bank.access = access_;
        bank.used = 0;
        bank.words.clear();
    }
    return bank;
}

std::uint32_t BankConflicts::place(std::uint64_t word) {
    Bank &bank = bank_of(word);
    for (const Word &known : bank.words) {
        if (known.word == word) {
            return known.pass;
        }
    }
    bank.words.push_back({word, ++bank.used});
    ++placed_;
    return bank.used;
}

void BankConflicts::place_ranges() {
    for (const Range &range : ranges_) {
        for (std::uint64_t word = range.first; word < range.first + range.count; ++word) {
            place(word);
        }
    }
    ranges_.clear();
    in_ranges_ = 0;
}

} // namespace smsim::memory
