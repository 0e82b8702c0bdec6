#include "network/answer_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <variant>

#include "network/answer_head.h"

namespace gcsflux::emulator {
namespace {

constexpr std::size_t kAtOnce = std::size_t{256} << 10;  // the system's buffers take so many

std::optional<std::uint64_t> SizeOf(const HttpResponse& response) {
  if (const auto* text = std::get_if<std::string>(&response.body)) return text->size();
  if (const auto* rope = std::get_if<Rope>(&response.body)) return rope->size();
  return std::nullopt;
}

bool WriteChunkSize(std::size_t size, SocketStream& stream) {
  std::array<char, 20> line;
  char* end = std::to_chars(line.data(), line.data() + line.size(), size, 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  return stream.Write(std::string_view(line.data(), static_cast<std::size_t>(end - line.data())));
}

}  // namespace

bool AnswerWriter::Write(HttpResponse& response) {
  filters_ = response.filters;
  observer_ = response.observer.get();
  const std::optional<std::uint64_t> size = SizeOf(response);
  left_ = response.false_length && size ? response.false_length : size;
  is_chunked_ = !left_ && !is_1_0_;
  if (!WriteHead(response, left_)) return false;
  if (!has_body_ || left_ == 0) return true;
  const auto write = [this](std::span<const std::byte> bytes) { return WriteFrom(0, bytes); };
  if (const auto* producer = std::get_if<BodyProducer>(&response.body)) {
    return (*producer)(write) && (!is_chunked_ || stream_.Write("0\r\n\r\n"));
  }
  const auto* rope = std::get_if<Rope>(&response.body);
  const bool is_written = rope != nullptr ? rope->ForEachSpan(0, rope->size(), write)
                                          : write(std::as_bytes(std::span(std::get<std::string>(response.body))));
  return is_written && left_ == 0;
}

bool AnswerWriter::WriteHead(HttpResponse& response, std::optional<std::uint64_t> size) {
  if (is_chunked_) response.headers.Add("Transfer-Encoding", "chunked");
  const std::string head = RenderHead(response, size);
  has_begun_ = true;
  return stream_.Write(head);
}

bool AnswerWriter::WriteFrom(std::size_t filter, std::span<const std::byte> bytes) {
  if (filter == filters_.size()) return Send(bytes);
  return filters_[filter]->Write(
      bytes, [this, filter](std::span<const std::byte> passed) { return WriteFrom(filter + 1, passed); });
}

bool AnswerWriter::Send(std::span<const std::byte> bytes) {
  const bool is_last = left_ && *left_ <= bytes.size();
  if (left_) *left_ -= std::min<std::uint64_t>(*left_, bytes.size());
  if (observer_ == nullptr) return Pass(bytes);
  if (is_last && bytes.size() > kAtOnce) {  // a slow client needs time for most of them
    const std::span<const std::byte> most = bytes.first(bytes.size() - kAtOnce);
    observer_->OnSending(most.size());
    if (!Pass(most)) return false;
    bytes = bytes.last(kAtOnce);
  }
  observer_->OnSending(bytes.size());
  if (is_last) observer_->OnLastBytes();
  return Pass(bytes);
}

bool AnswerWriter::Pass(std::span<const std::byte> bytes) {
  if (bytes.empty()) return filters_.empty() || stream_.Flush();
  const bool is_sent = is_chunked_
                           ? WriteChunkSize(bytes.size(), stream_) && stream_.Write(bytes) && stream_.Write("\r\n")
                           : stream_.Write(bytes);
  return is_sent && (filters_.empty() || stream_.Flush());  // a filter decides when its bytes are sent
}

}  // namespace gcsflux::emulator
