#include "cli/arguments/generation.h"

#include <charconv>

#include "cli/terminal/output.h"

namespace gcsflux::cli {

std::string UriOf(const NamedObject& named) {
  return ToUri(named.object) + (named.generation ? "#" + std::to_string(*named.generation) : "");
}

std::optional<NamedObject> SplitGeneration(const ObjectName& name) {
  const std::string_view text = name.name;
  const auto mark = text.rfind('#');
  if (mark == text.npos || mark == 0 || mark + 1 == text.size()) return std::nullopt;
  const std::string_view digits = text.substr(mark + 1);
  if (digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
  std::int64_t generation = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), generation);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return NamedObject{{name.bucket, std::string(text.substr(0, mark))}, generation};
}

Result<NamedObject> ResolveGeneration(const Client& client, const ObjectName& name, const std::stop_token& stop) {
  auto split = SplitGeneration(name);
  if (!split) return NamedObject{name};
  const auto literal = client.GetObject(name, {.fields = "generation", .stop = stop});
  if (literal) {
    SayDone("'" + ToUri(name) + "' is the name of an object, and is taken as such, not as a generation of '" +
            ToUri(split->object) + "'");
    return NamedObject{name};
  }
  // Without the permission to list, what does not exist is forbidden.
  const ErrorCode code = literal.error().code;
  if (code != ErrorCode::kNotFound && code != ErrorCode::kPermissionDenied) return literal.error();
  const auto found =
      client.GetObject(split->object, {.generation = split->generation, .fields = "generation", .stop = stop});
  if (found) return *std::move(split);
  if (found.error().code != ErrorCode::kNotFound) return found.error();
  return Error{ErrorCode::kNotFound, "'" + ToUri(split->object) + "' has no generation " +
                                         std::to_string(*split->generation) + ", and there is no object '" +
                                         ToUri(name) + "' (404); gcsflux ls -a shows the generations"};
}

}  // namespace gcsflux::cli
