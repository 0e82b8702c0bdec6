#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gcsflux::testing {

// The spellings in which a server may repeat a request.

std::string AsItIs(std::string_view text);
std::string Percent(std::string_view text);       ///< %2F
std::string PercentLower(std::string_view text);  ///< %2f
std::string Form(std::string_view text);          ///< %2F, and + for a blank
std::string PercentDecoded(std::string_view text);
std::string Json(std::string_view text);         ///< \/ and \"
std::string JsonNumbers(std::string_view text);  ///< \u002f
std::string Html(std::string_view text);         ///< &amp;
std::string HtmlNumbers(std::string_view text);  ///< &#x2F;
std::string Base64(std::string_view text);
std::string Base64Url(std::string_view text);    ///< without padding
std::string Base64Later(std::string_view text);  ///< of a text that has a byte before it
std::string Hex(std::string_view text);
std::string HexUpper(std::string_view text);
std::string OtherCase(std::string_view text);

struct Spelling {
  std::string_view name;
  std::string (*write)(std::string_view text);
  bool is_escape = true;  ///< Characters stay one by one.
};

constexpr std::array kSpellings = {
    Spelling{"plain", AsItIs},
    Spelling{"percent", Percent},
    Spelling{"percent, small letters", PercentLower},
    Spelling{"form", Form},
    Spelling{"JSON", Json},
    Spelling{"JSON in numbers", JsonNumbers},
    Spelling{"HTML", Html},
    Spelling{"HTML in numbers", HtmlNumbers},
    Spelling{"other case", OtherCase},
    Spelling{"base64", Base64, false},
    Spelling{"base64url", Base64Url, false},
    Spelling{"base64 of a longer text", Base64Later, false},
    Spelling{"hexadecimal", Hex, false},
    Spelling{"hexadecimal, capitals", HexUpper, false},
};

/// Searches for pieces of secrets that a server may have repeated: each piece of 8 bytes in each spelling. Independent
/// of the SDK's own search.
class PieceFinder {
 public:
  explicit PieceFinder(const std::vector<std::string>& secrets);

  /// The first piece that occurs in the text, and its spelling; empty if none does.
  [[nodiscard]] std::string Find(std::string_view text) const;

 private:
  struct Piece {
    std::string written;
    std::string_view spelling;
  };
  std::unordered_map<std::string_view, std::vector<Piece>> pieces_;  // by their first 8 bytes
  std::deque<std::string> keys_;
};

}  // namespace gcsflux::testing
