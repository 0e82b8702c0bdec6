// multipart/related: the first line of the input is the Content-Type, the rest the body. The segmentation of the body
// makes no difference, and the parts are parts of it.

#include <string>

#include "bodies/multipart.h"
#include "input.h"

namespace gcsflux::emulator {
namespace {

void CheckSame(const ApiResult<MultipartRelated>& one, const ApiResult<MultipartRelated>& other) {
  Require(one.has_value() == other.has_value(), "segments do not decide whether a body is malformed");
  if (!one) return Require(one.error().message == other.error().message, "segments do not decide what is wrong");
  Require(one->metadata == other->metadata && one->media.ToString() == other->media.ToString() &&
              one->media_content_type == other->media_content_type,
          "segments do not decide what the parts are");
}

void Check(std::string_view text) {
  const std::size_t line = text.find('\n');
  if (line == text.npos) return;
  const std::string_view content_type = text.substr(0, line);
  const std::string_view body = text.substr(line + 1);
  const ApiResult<MultipartRelated> whole = ParseMultipartRelated(content_type, Rope(body));
  if (whole) {
    Require(body.find(whole->metadata) != body.npos, "the metadata is of the body");
    Require(body.find(whole->media.ToString()) != body.npos, "the media is of the body");
  } else {
    Require(whole.error().status == 400, "a malformed body is 400");
  }
  // Segments of one byte, if that is not too slow, and two segments split in the middle.
  Rope halves(body.substr(0, body.size() / 2));
  halves.Append(Rope(body.substr(body.size() / 2)));
  CheckSame(whole, ParseMultipartRelated(content_type, halves));
  if (body.size() > 512) return;
  Rope bytes;
  for (std::size_t i = 0; i < body.size(); ++i) bytes.Append(Rope(body.substr(i, 1)));
  CheckSame(whole, ParseMultipartRelated(content_type, bytes));
}

}  // namespace
}  // namespace gcsflux::emulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::emulator::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
