#include "base/object_name.h"

#include <algorithm>
#include <string>

#include "base/text/utf8.h"
#include "gcsflux/object.h"

namespace gcsflux {
namespace {

// https://cloud.google.com/storage/docs/buckets#naming and https://cloud.google.com/storage/docs/objects#naming
constexpr std::size_t kMinBucketBytes = 3;
constexpr std::size_t kMaxBucketBytes = 222;
constexpr std::size_t kMaxBucketLabelBytes = 63;
constexpr std::size_t kMaxObjectBytes = 1024;

Error Invalid(std::string message) { return Error{ErrorCode::kInvalidArgument, std::move(message)}; }

// At most 64 bytes of a user's input, for a message.
std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 64;
  return "'" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...'" : "'");
}

bool IsBucketCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool HasLongLabel(std::string_view bucket) {
  while (true) {
    const auto dot = bucket.find('.');
    if (std::min(dot, bucket.size()) > kMaxBucketLabelBytes) return true;
    if (dot == std::string_view::npos) return false;
    bucket.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string ToUri(const ObjectName& object) {
  constexpr std::string_view kScheme = "gs://";
  std::string uri;
  uri.reserve(kScheme.size() + object.bucket.size() + 1 + object.name.size());
  uri.append(kScheme).append(object.bucket);
  if (!object.name.empty()) uri.append("/").append(object.name);
  return uri;
}

Result<ObjectName> ParseUri(std::string_view uri) {
  std::string_view rest = uri;
  for (const std::string_view scheme : {"gs://", "gcs://"}) {
    if (rest.starts_with(scheme)) {
      rest.remove_prefix(scheme.size());
      break;
    }
  }
  if (rest.size() == uri.size()) return Invalid(Quoted(uri) + " is not a gs:// URI; write gs://bucket/name");
  const auto slash = rest.find('/');
  ObjectName object{std::string(rest.substr(0, slash))};
  if (slash != std::string_view::npos) object.name = rest.substr(slash + 1);
  if (auto bucket = internal::CheckBucketName(object.bucket); !bucket) return bucket.error();
  if (object.name.empty()) return object;
  if (auto name = internal::CheckObjectName(object.name); !name) return name.error();
  return object;
}

namespace internal {

Result<void> CheckBucketName(std::string_view bucket) {
  const auto refuse = [&](const char* why) { return Invalid("bucket name " + Quoted(bucket) + " " + why); };
  if (bucket.size() < kMinBucketBytes) return refuse("is shorter than 3 characters");
  if (bucket.size() > kMaxBucketBytes || HasLongLabel(bucket))
    return refuse("is too long (63 characters, 222 with dots)");
  if (!std::all_of(bucket.begin(), bucket.end(), IsBucketCharacter)) {
    return refuse("may hold only lower-case letters, digits, '-', '_' and '.'");
  }
  if (!IsLetterOrDigit(bucket.front()) || !IsLetterOrDigit(bucket.back())) {
    return refuse("must begin and end with a letter or a digit");
  }
  return {};
}

Result<void> CheckObjectName(std::string_view name) {
  const auto refuse = [&](const char* why) { return Invalid("object name " + Quoted(name) + " " + why); };
  if (name.empty()) return Invalid("the object's name is missing; write gs://bucket/name");
  if (name.size() > kMaxObjectBytes) return refuse("is longer than 1024 bytes");
  if (name.find_first_of("\r\n") != std::string_view::npos) return refuse("holds a carriage return or a line feed");
  if (name == "." || name == "..") return refuse("is reserved");
  if (name.starts_with(".well-known/acme-challenge/")) return refuse("begins with a reserved prefix");
  if (!IsUtf8(name)) return Invalid("an object's name must be UTF-8");
  return {};
}

Result<void> CheckObject(const ObjectName& object) {
  if (auto bucket = CheckBucketName(object.bucket); !bucket) return bucket;
  return CheckObjectName(object.name);
}

Result<void> CheckBytes(const ObjectName& object, std::span<const std::byte> bytes) {
  if (bytes.data() != nullptr || bytes.empty()) return {};
  return Error{ErrorCode::kInvalidArgument,
               ToUri(object) + ": " + std::to_string(bytes.size()) + " bytes at a null address"};
}

}  // namespace internal
}  // namespace gcsflux

namespace gcsflux {

Result<void> CheckObjectName(std::string_view name) { return internal::CheckObjectName(name); }

}  // namespace gcsflux
