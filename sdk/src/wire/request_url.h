#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/operation_options.h"

namespace gcsflux::internal {

/// Builds a URL from segments and query parameters. A parameter that is absent or empty is left out.
class RequestUrl {
 public:
  RequestUrl(std::string_view endpoint, std::string_view path) {
    text_.reserve(kUsualBytes);
    text_.append(endpoint).append(path);
  }

  static RequestUrl OfBucket(std::string_view endpoint, std::string_view bucket);
  static RequestUrl OfObject(std::string_view endpoint, const ObjectName& object);

  /// One path segment with any content: "/" becomes "%2F".
  RequestUrl&& Segment(std::string_view raw) &&;
  RequestUrl&& Literal(std::string_view path) &&;
  RequestUrl&& Query(std::string_view name, std::string_view value) &&;
  RequestUrl&& Query(std::string_view name, std::optional<std::int64_t> value) &&;
  /// Adds the parameter once for each value.
  RequestUrl&& Query(std::string_view name, const std::vector<std::string>& values) &&;
  RequestUrl&& Query(const Preconditions& preconditions) &&;
  RequestUrl&& Query(const CallOptions& call) &&;

  std::string operator*() && { return std::move(text_); }

 private:
  static constexpr std::size_t kUsualBytes = 240;  // of an object's URL

  std::string text_;
  bool has_query_ = false;
};

}  // namespace gcsflux::internal
