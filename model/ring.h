// A queue that keeps its storage: once it has reached its maximum length, nothing is allocated. std::deque releases and
// reallocates memory as it is used.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace smsim {

/// First in, first out. `T` must be default-constructible and movable.
template <typename T> class Ring {
  public:
    Ring() = default;
    Ring(const Ring &) = default;
    Ring &operator=(const Ring &) = default;
    Ring(Ring &&other) noexcept { swap(other); }
    Ring &operator=(Ring &&other) noexcept {
        swap(other);
        return *this;
    }
    ~Ring() = default;

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }

    /// The oldest; there must be one.
    T &front() { return places_[first_]; }
    const T &front() const { return places_[first_]; }
    /// Element `index` (below `size`), the oldest being 0.
    T &operator[](std::size_t index) { return places_[place(index)]; }
    const T &operator[](std::size_t index) const { return places_[place(index)]; }

    void push_back(T value) {
        next() = std::move(value);
        push_next();
    }
    /// Where the next element will be, to be built in place; it holds whatever was there last. Valid until the next
    /// call of another function.
    T &next() {
        if (count_ == capacity_) {
            grow();
        }
        return places_[place(count_)];
    }
    /// Adds the element built in `next()`.
    void push_next() { ++count_; }
    void clear() { count_ = 0; }
    /// Removes the oldest; there must be one.
    void pop_front() {
        first_ = place(1);
        --count_;
    }

  private:
    std::size_t place(std::size_t index) const { return (first_ + index) & (capacity_ - 1); }
    void swap(Ring &other) noexcept {
        places_.swap(other.places_);
        std::swap(capacity_, other.capacity_);
        std::swap(first_, other.first_);
        std::swap(count_, other.count_);
    }
    void grow() {
        std::vector<T> more(places_.empty() ? 4 : 2 * places_.size());
        for (std::size_t i = 0; i < count_; ++i) {
            more[i] = std::move(places_[place(i)]);
        }
        places_ = std::move(more);
        capacity_ = places_.size();
        first_ = 0;
    }

    std::vector<T> places_;
    std::size_t capacity_ = 0; ///< number of places: a power of two, or none
    std::size_t first_ = 0;
    std::size_t count_ = 0;
};

} // namespace smsim
