#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/http_message.h"
#include "store/bytes/rope.h"

namespace gcsflux::emulator {

/// Splits a MIME multipart body, one part after another, and accepts the line ends that it has: gcloud, gsutil and
/// gcsfs end lines with a bare LF, others with CRLF. It makes no difference where the body's segments end. One thread.
class MultipartReader {
 public:
  struct Head {
    HttpHeaders headers = {};
    std::uint64_t content = 0;  ///< The position in the body where the part's content begins.
  };

  /// `content_type` announces the body. `type` is what it must be, "multipart/related", in lower case. The body must
  /// outlive the reader. Nothing if the type is another one, or if there is no boundary.
  static std::optional<MultipartReader> Make(std::string_view content_type, std::string_view type, const Rope& body);

  /// Whether the boundary occurs at all.
  [[nodiscard]] bool has_parts() const { return next_part_.has_value(); }
  /// The head of the next part. Nothing if there is none, or if it does not end.
  std::optional<Head> NextHead();
  /// The content after that head, up to the delimiter, which must be there.
  std::optional<Rope> Content(const Head& head);
  /// Whether the delimiter that was read last ends the last part.
  [[nodiscard]] bool is_at_end() const { return is_at_end_; }

 private:
  struct Delimiter {
    std::uint64_t begin = 0;     // of the line break before it
    std::uint64_t next = 0;      // behind its line
    bool is_last = false;        // it has two dashes at its end
    bool is_line_whole = false;  // its line ends
    bool ends_in_crlf = false;
  };

  MultipartReader(const Rope& body, std::string boundary) : body_(body), boundary_(std::move(boundary)) {}

  std::optional<Delimiter> FindBehindPreamble();
  void Begin(const std::optional<Delimiter>& first);
  [[nodiscard]] std::optional<Delimiter> FindDelimiter(std::uint64_t from) const;
  [[nodiscard]] std::optional<Delimiter> DelimiterAt(std::uint64_t line_break, std::uint64_t dashes) const;
  [[nodiscard]] std::string TextAt(std::uint64_t offset, std::uint64_t size) const;

  const Rope& body_;
  std::string boundary_;
  std::string line_break_ = "\r\n";  // as the first delimiter's line ends
  std::optional<std::uint64_t> next_part_;
  bool is_at_end_ = false;
};

}  // namespace gcsflux::emulator
