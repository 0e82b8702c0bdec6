#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// Encodes everything but RFC 3986's unreserved characters, '/' included: fit for one path segment or a query value.
std::string PercentEncode(std::string_view text);
/// The same, added to `out`.
void AppendPercentEncoded(std::string& out, std::string_view text);

/// What is no escape stays as it is.
std::string PercentDecode(std::string_view text);

}  // namespace gcsflux::internal
