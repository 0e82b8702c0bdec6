#include "wire/upload_state.h"

#include <nlohmann/json.hpp>
#include <span>

#include "base/composite_prefix.h"
#include "base/crc32c.h"
#include "base/text/base64.h"
#include "base/text/zero_byte.h"

namespace gcsflux::internal {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;
constexpr int kPartsVersion = 2;

// Detects a file that was cut or edited. Otherwise a wrong CRC32C would be found only after all bytes were sent again.
std::string Seal(const Json& fields) {
  const std::string text = fields.dump();
  return Crc32cToBase64(ExtendCrc32c(0, std::as_bytes(std::span(text))));
}

Error Wrong(const std::string& why) {
  return Error{ErrorCode::kInvalidArgument, "the state of the suspended upload cannot be used: " + why};
}

// The fields of a state that is as it was written.
Result<Json> ParseSealed(std::string_view text, int version) {
  Json fields = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!fields.is_object() || HasZeroByte(text)) return Wrong("it is no JSON object; was it written whole?");
  const auto found = fields.find("version");
  if (found == fields.end() || *found != version) {
    return Wrong("it is of another version than " + std::to_string(version));
  }
  const auto seal = fields.find("seal");
  if (seal == fields.end() || !seal->is_string()) return Wrong("it has no seal");
  const std::string said = seal->get<std::string>();
  fields.erase(seal);
  if (said != Seal(fields)) return Wrong("it was changed since it was written");
  return fields;
}

}  // namespace

std::string FormatUploadState(const UploadState& state) {
  Json fields = {{"version", kVersion},
                 {"endpoint", state.endpoint},
                 {"bucket", state.object.bucket},
                 {"name", state.object.name},
                 {"sessionUri", state.session_uri},
                 {"persisted", state.persisted},
                 {"crc32c", Crc32cToBase64(state.crc32c)},
                 {"chunkBytes", state.chunk_bytes}};
  if (state.may_be_committed) fields["mayBeCommitted"] = true;
  fields["seal"] = Seal(fields);
  return fields.dump();
}

Result<UploadState> ParseUploadState(std::string_view text) {
  const auto sealed = ParseSealed(text, kVersion);
  if (!sealed) return sealed.error();
  const Json& fields = *sealed;
  try {
    UploadState state{.endpoint = fields.at("endpoint").get<std::string>(),
                      .object = {fields.at("bucket").get<std::string>(), fields.at("name").get<std::string>()},
                      .session_uri = fields.at("sessionUri").get<std::string>(),
                      .persisted = fields.at("persisted").get<std::uint64_t>(),
                      .crc32c = Crc32cFromBase64(fields.at("crc32c").get<std::string>()).value(),
                      .chunk_bytes = fields.at("chunkBytes").get<std::uint64_t>(),
                      .may_be_committed = fields.value("mayBeCommitted", false)};
    constexpr std::uint64_t kMostChunk = std::uint64_t{1} << 40;
    return state.chunk_bytes <= kMostChunk ? Result<UploadState>(std::move(state)) : Wrong("its chunks are too large");
  } catch (const std::exception&) {  // A field is missing or has another type, although the seal is right.
    return Wrong("a field is missing or of the wrong type");
  }
}

std::string FormatPartsState(const PartsState& state) {
  Json fields = {{"version", kPartsVersion},          {"endpoint", state.endpoint},  {"bucket", state.temporary.bucket},
                 {"temporary", state.temporary.name}, {"uploadId", state.upload_id}, {"partBytes", state.part_bytes}};
  fields["seal"] = Seal(fields);
  return fields.dump();
}

Result<PartsState> ParsePartsState(std::string_view text) {
  const auto fields = ParseSealed(text, kPartsVersion);
  if (!fields) return fields.error();
  try {
    PartsState state{.endpoint = fields->at("endpoint").get<std::string>(),
                     .temporary = {fields->at("bucket").get<std::string>(), fields->at("temporary").get<std::string>()},
                     .upload_id = fields->at("uploadId").get<std::string>(),
                     .part_bytes = fields->at("partBytes").get<std::uint64_t>()};
    if (state.part_bytes == 0) return Wrong("its parts are empty");
    if (!state.temporary.name.starts_with(kUploadPrefix)) return Wrong("it names no temporary object");
    return state;
  } catch (const std::exception&) {  // A field is missing or has another type, although the seal is right.
    return Wrong("a field is missing or of the wrong type");
  }
}

}  // namespace gcsflux::internal
