#pragma once

#include <string>
#include <string_view>

namespace gcsflux::internal {

/// Encodes everything except RFC 3986's unreserved characters; '/' is encoded too. For one path segment or a query
/// value.
std::string PercentEncode(std::string_view text);
/// The same, added to `out`.
void AppendPercentEncoded(std::string& out, std::string_view text);

/// Text that is not an escape stays unchanged.
std::string PercentDecode(std::string_view text);

}  // namespace gcsflux::internal
