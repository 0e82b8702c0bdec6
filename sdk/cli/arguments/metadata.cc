#include "cli/arguments/metadata.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <string_view>
#include <utility>

DEFINE_string(metadata, "", "Custom metadata: key=value,key=value. A key without a value is removed.");

namespace gcsflux::cli {

Result<std::map<std::string, std::optional<std::string>>> MetadataFromFlag() {
  std::map<std::string, std::optional<std::string>> metadata;
  for (std::string_view rest = FLAGS_metadata; !rest.empty();) {
    const std::string_view entry = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    const auto equals = entry.find('=');
    if (equals == 0 || entry.empty()) {
      return Error{ErrorCode::kInvalidArgument, "flag --metadata: '" + std::string(entry) + "' is not key=value"};
    }
    std::optional<std::string> value;
    if (equals != entry.npos && equals + 1 < entry.size()) value = std::string(entry.substr(equals + 1));
    metadata[std::string(entry.substr(0, equals))] = std::move(value);
  }
  return metadata;
}

}  // namespace gcsflux::cli
