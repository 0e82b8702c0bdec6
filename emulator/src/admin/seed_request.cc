#include "admin/seed_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "json/bounded_json.h"
#include "json/json_writer.h"

namespace gcsflux::emulator {
namespace {

namespace fs = std::filesystem;

bool IsWithin(const fs::path& directory, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), directory.begin(), directory.end()).first == root.end();
}

ApiResult<fs::path> Resolve(const std::string& directory, const fs::path& root) {
  std::error_code error;
  const fs::path real_root = fs::canonical(root, error);
  if (error) return tl::unexpected(ApiError{500, "internalError", "The directory to seed from has gone."});
  const fs::path resolved = fs::canonical(real_root / directory, error);
  // The answer does not tell whether anything exists outside.
  if (error || !IsWithin(resolved, real_root)) {
    return tl::unexpected(
        ApiError{403, "forbidden", "'" + directory + "' is not a directory below the one that --allow_seed names."});
  }
  return resolved;
}

}  // namespace

ApiResult<SeedRequest> ParseSeedRequest(std::string_view text, const fs::path& root) {
  const nlohmann::json parsed = ParseBoundedJson(text);
  if (!parsed.is_object()) return tl::unexpected(BadRequest("The request's body is not a JSON object."));
  for (const auto& [name, value] : parsed.items()) {
    if (name != "bucket" && name != "directory" && name != "prefix") {
      return tl::unexpected(BadRequest("Unknown field '" + name + "'."));
    }
    if (!value.is_string()) return tl::unexpected(BadRequest("Field '" + name + "' is not a string."));
  }
  for (const char* required : {"bucket", "directory"}) {
    if (!parsed.contains(required)) return tl::unexpected(MissingParameter(required));
  }
  ApiResult<fs::path> directory = Resolve(parsed.at("directory"), root);
  if (!directory) return tl::unexpected(directory.error());
  return SeedRequest{parsed.at("bucket"), *std::move(directory), parsed.value("prefix", "")};
}

std::string RenderSeedResult(const SeedResult& result) {
  JsonWriter json;
  json.BeginObject();
  json.Key("objects");
  json.Number(static_cast<std::int64_t>(result.objects));
  json.Key("bytes");
  json.Number(static_cast<std::int64_t>(result.bytes));
  json.EndObject();
  return json.Take();
}

}  // namespace gcsflux::emulator
