#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/api_error.h"

namespace gcsflux::emulator {

/// The parameters of a query, decoded.
class QueryParameters {
 public:
  void Add(std::string name, std::string value) { parameters_.emplace_back(std::move(name), std::move(value)); }
  /// The first one of that name, or null.
  [[nodiscard]] const std::string* Find(std::string_view name) const;
  /// The value, or "".
  [[nodiscard]] std::string Value(std::string_view name) const;
  [[nodiscard]] std::optional<std::string> Optional(std::string_view name) const;
  /// All values of that name, in their order.
  [[nodiscard]] std::vector<std::string> Values(std::string_view name) const;
  /// All of them, in their order.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const { return parameters_; }

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

/// A request's target, first split and then decoded: "/b/a%2Fb" has the segments "b" and "a/b".
struct Target {
  std::vector<std::string> segments = {};
  QueryParameters query = {};
};

/// 400 if a percent-encoding is malformed or does not decode to UTF-8.
ApiResult<Target> ParseTarget(std::string_view raw);

/// Percent-encodes all but RFC 3986's unreserved characters; '/' too.
std::string EncodeSegment(std::string_view text);
/// The same, but leaves '/' as it is.
std::string EncodePath(std::string_view text);

}  // namespace gcsflux::emulator
