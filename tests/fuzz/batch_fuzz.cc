// multipart/mixed of a batch: the first line of the input is the Content-Type, the rest the body. The segmentation of
// the body makes no difference, and the calls are parts of it.

#include <string>

#include "input.h"
#include "json_api/batch.h"

namespace gcsflux::emulator {
namespace {

using Calls = ApiResult<std::vector<BatchCall>>;

void CheckSame(const Calls& one, const Calls& other) {
  Require(one.has_value() == other.has_value(), "segments do not decide whether a batch is malformed");
  if (!one) return Require(one.error().message == other.error().message, "segments do not decide what is wrong");
  Require(one->size() == other->size(), "segments do not decide how many calls there are");
  for (std::size_t i = 0; i < one->size(); ++i) {
    Require((*one)[i].body == (*other)[i].body && (*one)[i].request.target == (*other)[i].request.target,
            "segments do not decide what the calls are");
  }
}

void Check(std::string_view text) {
  const std::size_t line = text.find('\n');
  if (line == text.npos) return;
  const std::string_view content_type = text.substr(0, line);
  const std::string_view body = text.substr(line + 1);
  Calls whole = ParseBatch(content_type, Rope(body));
  Rope halves(body.substr(0, body.size() / 2));
  halves.Append(Rope(body.substr(body.size() / 2)));
  CheckSame(whole, ParseBatch(content_type, halves));
  if (!whole) return Require(whole.error().status == 400, "a malformed batch is 400");
  Require(!whole->empty() && whole->size() <= 100, "a batch has between 1 and 100 calls");
  for (BatchCall& call : *whole) {
    Require(body.find(call.body) != body.npos, "a call's body is of the batch");
    AddOuterHeaders(whole->front().request.headers, call.request.headers);
    Require(call.request.headers.Find("content-length") == nullptr, "a call's length is its body's");
  }
}

}  // namespace
}  // namespace gcsflux::emulator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::emulator::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
