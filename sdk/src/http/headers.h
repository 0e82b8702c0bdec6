#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gcsflux::internal {

/// Header names and values as a caller's option gives them.
using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// The headers of a message, in its order. Names are lower-case in answers. All texts lie in one chunk of memory: a
/// string for each name and value would take a fifth of the time that this library adds to a small read. Used like a
/// vector of pairs of std::string_view, which a change of the headers invalidates.
class Headers {
 public:
  using value_type = std::pair<std::string_view, std::string_view>;

  class const_iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Headers::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    const_iterator() = default;
    value_type operator*() const { return (*headers_)[index_]; }
    const_iterator& operator++() {
      ++index_;
      return *this;
    }
    const_iterator operator++(int) { return {*headers_, index_++}; }
    bool operator==(const const_iterator&) const = default;

   private:
    friend class Headers;
    const_iterator(const Headers& headers, std::size_t index) : headers_(&headers), index_(index) {}

    const Headers* headers_ = nullptr;
    std::size_t index_ = 0;
  };
  using iterator = const_iterator;
  using const_reference = value_type;
  using size_type = std::size_t;

  Headers() = default;
  Headers(std::initializer_list<value_type> headers);
  /// Takes as much memory as the other one has, since more headers follow in a copy.
  Headers(const Headers& other);
  Headers(Headers&&) = default;
  Headers& operator=(const Headers& other) { return *this = Headers(other); }
  Headers& operator=(Headers&&) = default;
  ~Headers() = default;
  explicit Headers(const HeaderList& headers) { Append(headers); }
  bool operator==(const Headers&) const = default;

  /// Adds one. The views may point into these headers.
  void emplace_back(std::string_view name, std::string_view value);
  void emplace_back(const value_type& header) { emplace_back(header.first, header.second); }
  /// The value is in chunks, which do not point into these headers, and is not empty.
  void AddJoined(std::string_view name, std::initializer_list<std::string_view> value);
  /// The same, with the name in lower case.
  void AddInLowerCase(std::string_view name, std::string_view value);
  template <class Range>
  void Append(const Range& headers) {
    for (const auto& [name, value] : headers) emplace_back(name, value);
  }
  void clear();
  /// Takes memory for so many headers, with so many bytes in all.
  void Reserve(std::size_t headers, std::size_t bytes);

  [[nodiscard]] bool empty() const { return fields_.empty(); }
  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  [[nodiscard]] value_type operator[](std::size_t index) const {
    const Field& field = fields_[index];
    const char* const name = lines_.data() + field.begin;
    return {{name, field.name_size}, {name + field.name_size + kBetween.size(), field.value_size}};
  }
  [[nodiscard]] value_type back() const { return (*this)[size() - 1]; }
  [[nodiscard]] const_iterator begin() const { return {*this, 0}; }
  [[nodiscard]] const_iterator end() const { return {*this, size()}; }

  /// "Name: value" or, without a value, "Name;" as libcurl takes it; ends with a NUL.
  [[nodiscard]] const char* Line(std::size_t index) const { return lines_.data() + fields_[index].begin; }

 private:
  static constexpr std::string_view kBetween = ": ";

  struct Field {
    std::uint32_t begin;
    std::uint32_t name_size;
    std::uint32_t value_size;
    bool operator==(const Field&) const = default;
  };

  std::string lines_;  // Each ends with a NUL.
  std::vector<Field> fields_;
};

/// The first value of a header by its lower-case name. Empty if there is none.
std::string_view FindHeader(const Headers& headers, std::string_view name);

}  // namespace gcsflux::internal
