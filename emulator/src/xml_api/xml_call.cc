#include "xml_api/xml_call.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "api/custom_time.h"
#include "api/encryption_headers.h"
#include "api/object_access.h"
#include "api/upload_hashes.h"
#include "base/letter_case.h"
#include "http/entity_tags.h"
#include "http/hash_text.h"
#include "store/objects/names.h"
#include "store/objects/storage_class.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kGenerationMatch = "x-goog-if-generation-match";
constexpr std::string_view kMetagenerationMatch = "x-goog-if-metageneration-match";
constexpr std::string_view kMetadataPrefix = "x-goog-meta-";
constexpr std::size_t kMaxObjectName = 1024;

struct AttributeHeader {
  std::string_view name;
  std::string ObjectAttributes::*member;
};

constexpr std::array kAttributeHeaders = {
    AttributeHeader{"content-type", &ObjectAttributes::content_type},
    AttributeHeader{"content-encoding", &ObjectAttributes::content_encoding},
    AttributeHeader{"content-disposition", &ObjectAttributes::content_disposition},
    AttributeHeader{"content-language", &ObjectAttributes::content_language},
    AttributeHeader{"cache-control", &ObjectAttributes::cache_control},
    AttributeHeader{"x-goog-custom-time", &ObjectAttributes::custom_time},
    AttributeHeader{"x-goog-storage-class", &ObjectAttributes::storage_class},
};

XmlResult<std::optional<std::int64_t>> ParseInt64(const std::string* text, std::string_view name) {
  if (text == nullptr) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc() && end == text->data() + text->size()) return value;
  return XmlFail(XmlErrorCode::kInvalidArgument, "Invalid value '" + *text + "' for " + std::string(name) + ".");
}

}  // namespace

std::string HeaderValue(const XmlCall& call, std::string_view lower_case_name) {
  const std::string* value = call.request.headers.Find(lower_case_name);
  return value != nullptr ? *value : std::string();
}

XmlResult<std::optional<std::int64_t>> Int64Parameter(const XmlCall& call, std::string_view name) {
  return ParseInt64(call.query.Find(name), name);
}

XmlResult<std::optional<std::int64_t>> Int64Header(const XmlCall& call, std::string_view lower_case_name) {
  // Two of one name, joined, are no number.
  const std::optional<std::string> text = call.request.headers.FindAll(lower_case_name);
  return ParseInt64(text ? &*text : nullptr, lower_case_name);
}

XmlResult<std::optional<std::int64_t>> ReadGeneration(const QueryParameters& query) {
  const auto generation = ParseInt64(query.Find("generation"), "generation");
  const auto version = ParseInt64(query.Find("versionId"), "versionId");
  if (!generation || !*generation) return generation ? version : generation;
  if (!version || !*version || **version == **generation) return version ? generation : version;
  return XmlFail(XmlErrorCode::kInvalidArgument, "generation and versionId differ.");
}

XmlResult<std::size_t> ReadLimit(const XmlCall& call, std::string_view name, std::int64_t least, std::int64_t limit) {
  const auto value = Int64Parameter(call, name);
  if (!value) return tl::unexpected(value.error());
  const std::int64_t wanted = value->value_or(limit);
  if (wanted >= least) return static_cast<std::size_t>(std::min(wanted, limit));
  return XmlFail(XmlErrorCode::kInvalidArgument,
                 "Invalid value '" + std::to_string(wanted) + "' for " + std::string(name) + ".");
}

XmlResult<Preconditions> ReadPreconditions(const XmlCall& call) {
  const auto generation = Int64Header(call, kGenerationMatch);
  const auto metageneration = Int64Header(call, kMetagenerationMatch);
  if (!generation) return tl::unexpected(generation.error());
  if (!metageneration) return tl::unexpected(metageneration.error());
  return Preconditions{.if_generation_match = *generation, .if_metageneration_match = *metageneration};
}

XmlResult<Preconditions> ReadBucketPreconditions(const XmlCall& call) {
  XmlResult<Preconditions> preconditions = ReadPreconditions(call);
  if (!preconditions || !preconditions->if_generation_match) return preconditions;
  return XmlFail(XmlErrorCode::kInvalidArgument, "A bucket has no generation: " + std::string(kGenerationMatch));
}

XmlResult<void> RefusePreconditions(const XmlCall& call, std::string_view what) {
  const auto preconditions = ReadPreconditions(call);
  if (!preconditions) return tl::unexpected(preconditions.error());
  if (*preconditions == Preconditions()) return {};
  return XmlFail(XmlErrorCode::kInvalidArgument, std::string(what) + " does not support preconditions.");
}

XmlResult<void> CheckConditionNames(const HttpHeaders& headers) {
  constexpr std::array kHonoured = {kGenerationMatch, kMetagenerationMatch};
  std::string other = FindOtherCondition(headers, kHonoured);
  if (other.empty()) return {};
  return XmlFail(XmlErrorCode::kNotImplemented, std::move(other));
}

XmlError ToObjectError(const XmlCall& call, const Failure& failure) {
  XmlError error = ToXmlError(failure, XmlErrorCode::kNoSuchKey);
  if (error.code != XmlErrorCode::kPreconditionFailed) return error;
  for (const std::string_view name : {kGenerationMatch, kMetagenerationMatch}) {
    if (call.request.headers.Find(name) == nullptr) continue;
    error.details += (error.details.empty() ? "" : ", ") + std::string(name);
  }
  return error;
}

XmlResult<ObjectAttributes> ReadAttributes(const XmlCall& call) {
  ObjectAttributes attributes;
  for (const AttributeHeader& header : kAttributeHeaders) {
    const std::string* value = call.request.headers.Find(header.name);
    if (value != nullptr && !value->empty()) attributes.*header.member = *value;
  }
  if (!attributes.custom_time.empty()) {
    std::optional<std::string> time = ReadCustomTime(attributes.custom_time);
    if (!time) return XmlFail(XmlErrorCode::kInvalidArgument, "x-goog-custom-time: " + attributes.custom_time);
    attributes.custom_time = *std::move(time);
  }
  if (!attributes.storage_class.empty() && !IsStorageClass(attributes.storage_class)) {
    return XmlFail(XmlErrorCode::kInvalidStorageClass, attributes.storage_class);
  }
  for (const auto& [name, value] : call.request.headers.fields()) {
    const std::string key = LowerCase(name);
    if (!key.starts_with(kMetadataPrefix)) continue;
    // The JSON API shows them as JSON, which has no form for other bytes.
    if (!IsUtf8(value)) return XmlFail(XmlErrorCode::kInvalidArgument, key + " is not UTF-8.");
    std::string& place = attributes.metadata[key.substr(kMetadataPrefix.size())];
    place += (place.empty() ? "" : ", ") + value;
  }
  return attributes;
}

std::string PredefinedAclName(const XmlCall& call) {
  std::string predefined;
  bool is_first_of_word = false;
  for (const char c : HeaderValue(call, "x-goog-acl")) {
    if (c != '-') predefined += is_first_of_word && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    is_first_of_word = c == '-';
  }
  return predefined;
}

XmlResult<void> SettleXmlAcl(const XmlCall& call, const BucketInfo& bucket, ObjectAttributes& attributes) {
  const std::string predefined = PredefinedAclName(call);
  const auto settled = SettleNewObjectAcl(call.caller, bucket, predefined, attributes);
  if (!settled) return tl::unexpected(ToXmlError(settled.error()));
  return {};
}

XmlResult<ObjectEncryption> ReadEncryption(const XmlCall& call) {
  const HttpHeaders& headers = call.request.headers;
  ApiResult<ObjectEncryption> encryption = ReadEncryption(headers, HeaderValue(call, "x-goog-encryption-kms-key-name"));
  if (!encryption) return tl::unexpected(ToXmlError(encryption.error()));
  return *std::move(encryption);
}

XmlResult<ExpectedHashes> ReadExpectedHashes(const XmlCall& call) {
  ExpectedHashes hashes;
  if (const std::string* md5 = call.request.headers.Find("content-md5")) {
    hashes.md5 = DecodeMd5(*md5);
    if (!hashes.md5) return XmlFail(XmlErrorCode::kInvalidDigest, *md5);
  }
  const auto read = ReadHashHeader(call.request.headers.FindAll("x-goog-hash"), hashes);
  if (!read) return XmlFail(XmlErrorCode::kInvalidDigest, read.error().message);
  return hashes;
}

XmlResult<void> CheckName(const XmlCall& call) {
  const auto checked = CheckObjectName(call.route.object);
  if (checked) return {};
  const bool is_too_long = call.route.object.size() > kMaxObjectName;
  return XmlFail(is_too_long ? XmlErrorCode::kKeyTooLong : XmlErrorCode::kInvalidUri, checked.error().message);
}

}  // namespace gcsflux::emulator
