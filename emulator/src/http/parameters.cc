#include "http/parameters.h"

#include <charconv>
#include <string>
#include <vector>

#include "base/letter_case.h"

namespace gcsflux::emulator {

ApiResult<std::optional<std::int64_t>> Int64Parameter(const QueryParameters& query, std::string_view name) {
  const std::vector<std::string> values = query.Values(name);
  if (values.empty()) return std::nullopt;
  if (values.size() != 1) return tl::unexpected(BadParameter(std::string(name) + " occurs twice."));
  const std::string& text = values[0];
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return tl::unexpected(BadParameter("Invalid value '" + text + "' for " + std::string(name) + "."));
  }
  return value;
}

ApiResult<bool> BoolParameter(const QueryParameters& query, std::string_view name) {
  const std::string text = LowerCase(query.Value(name));  // gcloud and gsutil write True
  if (text == "true") return true;
  if (text.empty() || text == "false") return false;
  return tl::unexpected(BadParameter("Invalid value '" + text + "' for " + std::string(name) + "."));
}

}  // namespace gcsflux::emulator
