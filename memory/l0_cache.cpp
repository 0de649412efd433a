// L0 instruction cache: misses, streams, requests and replacement.
#include "memory/l0_cache.h"

#include <algorithm>

namespace smsim::memory {

L0Cache::L0Cache(const Shape &shape) : shape_(shape) {
    if (shape_.capacity == 0) {
        shape_.prefetch = 0;
    } else if (shape_.stream == StreamPolicy::kNextUse) {
        // A stream longer than the cache would evict the line that it follows.
        shape_.prefetch = std::min(shape_.prefetch, shape_.capacity - 1);
    }
}

std::uint64_t L0Cache::add_program(std::uint64_t lines) {
    const std::uint64_t first = lines_.size();
    lines_.resize(first + lines, Line{kAbsent, 0, false, false, FetchCause::kL1, first + lines});
    return first;
}

void L0Cache::invalidate() {
    for (Line &line : lines_) {
        line = {kAbsent, 0, false, false, FetchCause::kL1, line.end};
    }
    resident_.clear();
    prefetches_.clear();
    stream_.clear();
    next_line_ = stream_end_ = 0;
    stopped_ = true;
}

// --- fetches -------------------------------------------------------------------------------------------------------

L0Cache::Answer L0Cache::fetch_slow(std::uint64_t line, Time at) {
    run_stream(at);
    Line &entry = lines_[line];
    if (entry.ready == kAbsent) {
        return shape_.stream == StreamPolicy::kHead ? miss_with_head(line, at) : miss_with_next_use(line, at);
    }
    entry.used = ++uses_;
    if (entry.ready == kUnknown) {
        ask_to_wait_for(line, at);
    }
    const Answer answer{entry.ready == kUnknown ? kUnknown : std::max(entry.ready, at + shape_.hit), entry.ready <= at,
                        entry.ready <= at ? FetchCause::kFetch : entry.cause};
    if (entry.ahead) {
        entry.ahead = false;
        ++counts_.prefetches_used;
        const std::uint64_t tail = line + shape_.prefetch;
        if (tail < entry.end && lines_[tail].ready == kAbsent) {
            bring(tail, ask(tail, at, true), true, FetchCause::kStream);
        }
    }
    return answer;
}

/// Requests the line and nothing else.
L0Cache::Answer L0Cache::demand(std::uint64_t line, Time at) {
    const Time ready = ask(line, at, false);
    bring(line, ready, false, FetchCause::kL1);
    return {ready, false, FetchCause::kL1};
}

L0Cache::Answer L0Cache::miss_with_next_use(std::uint64_t line, Time at) {
    const Answer answer = demand(line, at);
    for (std::uint64_t k = 1; k <= shape_.prefetch && line + k < lines_[line].end; ++k) {
        if (lines_[line + k].ready == kAbsent) {
            bring(line + k, ask(line + k, at + k * shape_.period, true), true, FetchCause::kStream);
        }
    }
    return answer;
}

L0Cache::Answer L0Cache::miss_with_head(std::uint64_t line, Time at) {
    if (!stream_.empty() && stream_.front().line == line) {
        const Time ready = stream_.front().ready;
        stream_.pop_front();
        ++counts_.prefetches_used;
        stopped_ = false;
        next_ask_ = std::max(next_ask_, at);
        bring(line, ready, false, FetchCause::kStream);
        return {std::max(ready, at + shape_.hit), ready <= at, ready <= at ? FetchCause::kFetch : FetchCause::kStream};
    }
    const std::uint64_t head = stream_.empty() ? next_line_ : stream_.front().line;
    if (line == head && stream_goes_on()) { // not requested yet
        ++next_line_;
        next_ask_ = std::max(next_ask_, at + shape_.period);
    } else if (line + 1 != head) {
        counts_.prefetches_unused += stream_.size();
        stream_.clear();
        next_line_ = line + 1;
        stream_end_ = lines_[line].end;
        next_ask_ = at + shape_.period;
        stopped_ = false;
    }
    return demand(line, at);
}

void L0Cache::bring(std::uint64_t line, Time ready, bool ahead, FetchCause cause) {
    if (shape_.capacity == 0) {
        return;
    }
    if (resident_.size() >= shape_.capacity) {
        const auto oldest = std::ranges::min_element(
            resident_, [this](std::uint64_t a, std::uint64_t b) { return lines_[a].used < lines_[b].used; });
        counts_.prefetches_unused += lines_[*oldest].ahead ? 1 : 0;
        if (lines_[*oldest].granted) {
            revoked_.push_back(*oldest);
        }
        lines_[*oldest].ready = kAbsent;
        lines_[*oldest].ahead = false;
        *oldest = line;
    } else {
        resident_.push_back(line);
    }
    lines_[line] = {ready, ++uses_, ahead, false, cause, lines_[line].end};
}

// --- requests ------------------------------------------------------------------------------------------------------

/// Requests the line at `from`; returns when it arrives.
L0Cache::Time L0Cache::ask(std::uint64_t line, Time from, bool ahead) {
    if (!shape_.asks) {
        ++counts_.requests;
        counts_.prefetches += ahead ? 1 : 0;
        return from + shape_.miss;
    }
    if (ahead) {
        prefetches_.push_back({line, from, true});
    } else {
        ask_to_wait_for(line, from);
    }
    return kUnknown;
}

/// Ensures a request for the line, which a fetch waits for: a request of the stream for it becomes that one.
void L0Cache::ask_to_wait_for(std::uint64_t line, Time from) {
    if (std::ranges::find(demands_, line, &Request::line) == demands_.end()) {
        std::erase_if(prefetches_, [line](const Request &one) { return one.line == line; });
        demands_.insert(std::ranges::upper_bound(demands_, from, {}, &Request::from), {line, from, false});
    }
}

/// Without a level below: what the stream has requested before `at`.
void L0Cache::run_stream(Time at) {
    while (!shape_.asks && next_ask_ < at && stream_goes_on()) {
        if (lines_[next_line_].ready != kAbsent) {
            stopped_ = true;
            return;
        }
        stream_.push_back({next_line_, ask(next_line_, next_ask_, true)});
        ++next_line_;
        next_ask_ += shape_.period;
    }
}

L0Cache::Time L0Cache::ahead_from() const {
    if (shape_.stream == StreamPolicy::kNextUse) {
        return prefetches_.empty() ? kNone : prefetches_.front().from;
    }
    return stream_goes_on() ? next_ask_ : kNone;
}

bool L0Cache::asks_ahead(Time now) {
    if (ahead_from() > now) {
        return false;
    }
    stopped_ = shape_.stream == StreamPolicy::kHead && lines_[next_line_].ready != kAbsent;
    return !stopped_;
}

L0Cache::Request L0Cache::take(bool ahead, Time now) {
    ++counts_.requests;
    if (!ahead) {
        const Request request = demands_.front();
        demands_.erase(demands_.begin());
        return request;
    }
    ++counts_.prefetches;
    if (shape_.stream == StreamPolicy::kNextUse) {
        const Request request = prefetches_.front();
        prefetches_.erase(prefetches_.begin());
        return request;
    }
    next_ask_ = now + shape_.period;
    return {next_line_++, now, true};
}

void L0Cache::arrives(const Request &request, Time when, FetchCause from) {
    if (request.ahead && shape_.stream == StreamPolicy::kHead) {
        stream_.push_back({request.line, when});
        return;
    }
    Line &entry = lines_[request.line];
    if (entry.ready == kUnknown) { // otherwise it has been evicted meanwhile
        entry.ready = when;
        entry.cause = request.ahead ? FetchCause::kStream : from;
    }
}

} // namespace smsim::memory
