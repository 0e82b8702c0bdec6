#include "support/spellings.h"

#include <algorithm>
#include <cctype>

namespace gcsflux::testing {
namespace {

bool IsPlain(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string Digits(char c, std::string_view digits) {
  const auto byte = static_cast<unsigned char>(c);
  return {digits[byte >> 4], digits[byte & 15]};
}

constexpr std::string_view kSmall = "0123456789abcdef";
constexpr std::string_view kCapital = "0123456789ABCDEF";

// `write` for each character that is neither a letter nor a digit.
template <class Write>
std::string Each(std::string_view text, Write write) {
  std::string written;
  for (const char c : text) written += IsPlain(c) ? std::string(1, c) : write(c);
  return written;
}

std::string InBase64(std::string_view text, std::string_view letters, bool is_padded) {
  std::string written;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0U);
    }
    const std::size_t count = std::min<std::size_t>(3, text.size() - i) + 1;
    for (std::size_t k = 0; k < count; ++k) written += letters[bits >> (18 - 6 * k) & 63];
    if (is_padded) written.append(4 - count, '=');
  }
  return written;
}

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::size_t kPiece = 8;

}  // namespace

std::string AsItIs(std::string_view text) { return std::string(text); }

std::string Percent(std::string_view text) {
  return Each(text, [](char c) { return "%" + Digits(c, kCapital); });
}

std::string PercentLower(std::string_view text) {
  return Each(text, [](char c) { return "%" + Digits(c, kSmall); });
}

std::string Form(std::string_view text) {
  return Each(text, [](char c) { return c == ' ' ? "+" : "%" + Digits(c, kCapital); });
}

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '%' && i + 2 < text.size() && std::isxdigit(text[i + 1]) && std::isxdigit(text[i + 2]);
    decoded += is_escape ? static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16)) : text[i];
    if (is_escape) i += 2;
  }
  return decoded;
}

std::string Json(std::string_view text) {
  return Each(text, [](char c) { return (c == '/' || c == '"' || c == '\\' ? "\\" : "") + std::string(1, c); });
}

std::string JsonNumbers(std::string_view text) {
  return Each(text, [](char c) { return "\\u00" + Digits(c, kSmall); });
}

std::string Html(std::string_view text) {
  return Each(text, [](char c) -> std::string {
    switch (c) {
      case '&': return "&amp;";
      case '<': return "&lt;";
      case '>': return "&gt;";
      case '"': return "&quot;";
      case '\'': return "&#39;";
      default: return {c};
    }
  });
}

std::string HtmlNumbers(std::string_view text) {
  return Each(text, [](char c) { return "&#x" + Digits(c, kCapital) + ";"; });
}

std::string Base64(std::string_view text) { return InBase64(text, kLetters, /*is_padded=*/true); }

std::string Base64Url(std::string_view text) { return InBase64(text, kUrlLetters, /*is_padded=*/false); }

std::string Base64Later(std::string_view text) { return Base64("x" + std::string(text) + "yz"); }

std::string Hex(std::string_view text) {
  std::string written;
  for (const char c : text) written += Digits(c, kSmall);
  return written;
}

std::string HexUpper(std::string_view text) {
  std::string written;
  for (const char c : text) written += Digits(c, kCapital);
  return written;
}

std::string OtherCase(std::string_view text) {
  std::string written;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    written += static_cast<char>(std::isupper(byte) != 0 ? std::tolower(byte) : std::toupper(byte));
  }
  return written;
}

PieceFinder::PieceFinder(const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (const Spelling& spelling : kSpellings) {
      for (std::size_t i = 0; i + kPiece <= secret.size(); ++i) {
        std::string written = spelling.write(std::string_view(secret).substr(i, kPiece));
        // The last letters depend on the text after, the first on the text before.
        if (spelling.name.starts_with("base64")) written = written.substr(spelling.write == Base64Later ? 2 : 0, 9);
        const std::string_view key = keys_.emplace_back(written.substr(0, kPiece));
        pieces_[key].push_back({std::move(written), spelling.name});
      }
    }
  }
}

std::string PieceFinder::Find(std::string_view text) const {
  for (std::size_t i = 0; i + kPiece <= text.size(); ++i) {
    const auto found = pieces_.find(text.substr(i, kPiece));
    if (found == pieces_.end()) continue;
    for (const Piece& piece : found->second) {
      if (text.substr(i).starts_with(piece.written)) return piece.written + " (" + std::string(piece.spelling) + ")";
    }
  }
  return "";
}

}  // namespace gcsflux::testing
