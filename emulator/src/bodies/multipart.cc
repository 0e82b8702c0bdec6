#include "bodies/multipart.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/base64.h"
#include "base/letter_case.h"
#include "bodies/multipart_reader.h"
#include "http/content_type.h"

namespace gcsflux::emulator {
namespace {

// The second one is what Google's sample for browsers sends.
constexpr std::array<std::string_view, 2> kTypes = {"multipart/related", "multipart/mixed"};
constexpr std::uint64_t kMaxMetadata = std::uint64_t{1} << 20;

tl::unexpected<ApiError> Malformed(const char* what) {
  return tl::unexpected(BadRequest(std::string("Malformed multipart body: ") + what));
}

// All that comes before the media.
struct Preface {
  MultipartReader reader;
  std::string metadata = {};
  MultipartReader::Head media = {};
};

ApiResult<Preface> ParsePreface(std::string_view content_type, const Rope& body) {
  const auto type =
      std::find_if(kTypes.begin(), kTypes.end(), [&](std::string_view one) { return IsOfType(content_type, one); });
  if (type == kTypes.end()) return Malformed("its Content-Type is not multipart/related.");
  std::optional<MultipartReader> reader = MultipartReader::Make(content_type, *type, body);
  if (!reader) return Malformed("its Content-Type has no boundary.");
  if (!reader->has_parts()) return Malformed("the boundary does not occur.");
  const auto head = reader->NextHead();
  const std::optional<Rope> metadata = head ? reader->Content(*head) : std::nullopt;
  if (!metadata || metadata->size() > kMaxMetadata) return Malformed("its first part does not end.");
  auto media = reader->NextHead();
  if (!media) return Malformed("its second part does not end.");
  return Preface{*std::move(reader), metadata->ToString(), *std::move(media)};
}

bool IsInBase64(const MultipartReader::Head& part) {
  const std::string* encoding = part.headers.Find("content-transfer-encoding");
  return encoding != nullptr && IsInAnyCase(*encoding, "base64");
}

// In MIME, lines of base64 may end anywhere.
std::optional<Rope> DecodeLines(std::string text) {
  std::erase_if(text, [](char c) { return c == '\r' || c == '\n'; });
  std::optional<std::string> bytes = DecodeBase64(text);
  return bytes ? std::optional(Rope(*std::move(bytes))) : std::nullopt;
}

}  // namespace

std::optional<MultipartStart> FindMedia(std::string_view content_type, const Rope& beginning) {
  ApiResult<Preface> preface = ParsePreface(content_type, beginning);
  if (!preface) return std::nullopt;
  return MultipartStart{std::move(preface->metadata), preface->media.content};
}

ApiResult<MultipartRelated> ParseMultipartRelated(std::string_view content_type, const Rope& body) {
  ApiResult<Preface> preface = ParsePreface(content_type, body);
  if (!preface) return tl::unexpected(preface.error());
  std::optional<Rope> media = preface->reader.Content(preface->media);
  if (!media) return Malformed("its second part does not end.");
  if (!preface->reader.is_at_end()) return Malformed("it does not end with its second part.");
  const std::string* media_type = preface->media.headers.Find("content-type");
  const bool is_in_base64 = IsInBase64(preface->media);
  if (is_in_base64) media = DecodeLines(media->ToString());
  if (!media) return Malformed("its second part is not in base64.");
  return MultipartRelated{.metadata = std::move(preface->metadata),
                          .media_content_type = media_type != nullptr ? *media_type : std::string(),
                          .media_begin = preface->media.content,
                          .media = *std::move(media),
                          .is_decoded = is_in_base64};
}

}  // namespace gcsflux::emulator
