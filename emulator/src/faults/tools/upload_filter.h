#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "http/http_message.h"
#include "middleware/interceptor.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// Whether the request's body contains bytes of an object: an upload in one request, a session's chunk, a part.
bool CarriesObjectBytes(const RequestPreview& preview);
/// Whether the request is for an upload session that takes several.
bool IsSessionChunk(const RequestPreview& preview);

/// An upload's body on its way to the operation. It tells the object's bytes from the bytes around them. One request.
class UploadFilter : public RequestBody {
 public:
  /// `body` must outlive it, and CarriesObjectBytes() must be true. A multipart body is read at once, because only its
  /// end tells where the object's bytes end.
  UploadFilter(RequestBody& body, const RequestContext& context);

  [[nodiscard]] std::optional<std::uint64_t> announced_size() const override { return body_.announced_size(); }
  std::optional<std::size_t> Read(std::span<std::byte> into) final;
  [[nodiscard]] bool is_overdue() const override { return body_.is_overdue(); }
  [[nodiscard]] std::optional<std::uint64_t> keeps_at_most() const override { return body_.keeps_at_most(); }
  void LimitUnderWay(std::size_t bytes) override { body_.LimitUnderWay(bytes); }

 protected:
  /// Gets the next of the object's bytes, which it may change. The first of them is the object's byte `offset`. Returns
  /// false to break the body off.
  virtual bool OnBytes(std::span<std::byte> bytes, std::uint64_t offset) = 0;

  /// The position in the object of this request's first byte.
  [[nodiscard]] std::uint64_t first() const { return first_; }

 private:
  std::optional<std::size_t> ReadOn(std::span<std::byte> into);

  RequestBody& body_;
  const std::uint64_t first_;
  std::uint64_t media_begin_ = 0;  // with the end: the range of the object's bytes in the body
  std::uint64_t media_end_ = UINT64_MAX;
  std::optional<Rope> buffered_ = {};  // the whole body, or the part that arrived
  bool is_broken_ = false;             // the client's body, after what is buffered; or this one
  std::uint64_t at_ = 0;               // bytes of the body that were read from this
};

}  // namespace gcsflux::emulator
