#include "base/hide_secret.h"

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text/base64.h"
#include "base/text/hex.h"
#include "base/text/percent_encoding.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kGram = 8;
constexpr std::string_view kShown = "[secret]";

// An unescaped text: byte i is the original's bytes from begins[i] to begins[i + 1].
struct Reading {
  std::string text = {};
  std::vector<std::size_t> begins = {};
};

// An escape at the beginning of a text: its length in bytes, 0 if there is none, and its value.
struct Escape {
  std::size_t length = 0;
  char meant = 0;
};
using Unescape = Escape (*)(std::string_view);

Escape Number(std::string_view text, std::size_t prefix, std::size_t digits, int base) {
  if (text.size() < prefix + digits) return {};
  const char* const begin = text.data() + prefix;
  unsigned number = 0;
  const auto [end, failure] = std::from_chars(begin, begin + digits, number, base);
  const bool is_byte = failure == std::errc() && end == begin + digits && number <= 0xFF;
  return is_byte ? Escape{prefix + digits, static_cast<char>(number)} : Escape{};
}

Escape OfUrl(std::string_view text) { return text.front() == '%' ? Number(text, 1, 2, 16) : Escape{}; }

Escape OfForm(std::string_view text) { return text.front() == '+' ? Escape{1, ' '} : OfUrl(text); }

Escape OfJson(std::string_view text) {
  if (text.front() != '\\' || text.size() < 2) return {};
  if (text[1] == 'u' || text[1] == 'U') return Number(text, 2, 4, 16);
  if (text[1] == 'x' || text[1] == 'X') return Number(text, 2, 2, 16);
  return {2, text[1]};
}

Escape OfHtml(std::string_view text) {
  constexpr std::pair<std::string_view, char> kNamed[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  if (text.front() != '&') return {};
  for (const auto& [name, meant] : kNamed) {
    if (text.starts_with(name)) return {name.size(), meant};
  }
  const auto end = text.substr(0, 10).find(';');
  if (!text.starts_with("&#") || end == std::string_view::npos) return {};
  const bool is_hex = text[2] == 'x' || text[2] == 'X';
  const std::size_t prefix = is_hex ? 3 : 2;
  const Escape escape = end > prefix ? Number(text, prefix, end - prefix, is_hex ? 16 : 10) : Escape{};
  return escape.length == 0 ? escape : Escape{end + 1, escape.meant};
}

// Nothing if there is no such escape.
std::optional<Reading> Unescaped(const Reading& from, Unescape unescape) {
  Reading to;
  for (std::size_t at = 0; at < from.text.size();) {
    const Escape escape = unescape(std::string_view(from.text).substr(at));
    to.begins.push_back(from.begins[at]);
    to.text += escape.length == 0 ? from.text[at] : escape.meant;
    at += std::max<std::size_t>(escape.length, 1);
  }
  if (to.text == from.text) return std::nullopt;
  to.begins.push_back(from.begins.back());
  return to;
}

// The text itself, and the texts that it may be an escaped form of.
std::vector<Reading> ReadingsOf(const std::string& text) {
  constexpr int kMostTimes = 3;
  std::vector<Reading> all(1);
  all.front().text = text;
  for (std::size_t i = 0; i <= text.size(); ++i) all.front().begins.push_back(i);
  std::size_t first = 0;
  for (int times = 0; times < kMostTimes; ++times) {
    const std::size_t last = all.size();
    for (; first < last; ++first) {
      for (const Unescape unescape : {OfUrl, OfForm, OfJson, OfHtml}) {
        auto next = Unescaped(all[first], unescape);
        if (!next) continue;
        const auto same = [&](const Reading& r) { return r.text == next->text; };
        if (std::none_of(all.begin(), all.end(), same)) all.push_back(*std::move(next));
      }
    }
  }
  return all;
}

std::string Unescaped(std::string_view text, Unescape unescape) {
  std::string plain;
  while (!text.empty()) {
    const Escape escape = unescape(text);
    plain += escape.length == 0 ? text.front() : escape.meant;
    text.remove_prefix(std::max<std::size_t>(escape.length, 1));
  }
  return plain;
}

// The base64 of a text between `before` bytes of other text and further text: the part that is certain.
std::string Base64Inside(std::string_view bytes, std::size_t before) {
  const std::string all = Base64Encode(std::string(before, '\0') + std::string(bytes));
  const std::size_t uncertain = (before * 8 + 5) / 6;
  return all.substr(uncertain, (before + bytes.size()) * 8 / 6 - uncertain);
}

// The forms in which a server may repeat a secret, except those that ReadingsOf() decodes.
std::vector<std::string> FormsOf(std::string_view secret) {
  std::vector<std::string> plain = {std::string(secret)};
  for (const Unescape unescape : {OfUrl, OfForm}) {  // It may be sent percent-encoded, even twice.
    plain.push_back(Unescaped(secret, unescape));
    plain.push_back(Unescaped(plain.back(), unescape));
  }
  std::sort(plain.begin(), plain.end());
  plain.erase(std::unique(plain.begin(), plain.end()), plain.end());
  std::vector<std::string> forms = plain;
  plain.push_back(PercentEncode(secret));
  for (const std::string& text : plain) {
    forms.push_back(HexEncode(text));
    for (const std::size_t before : {0, 1, 2}) {
      forms.push_back(Base64Inside(text, before));
      forms.push_back(forms.back());
      for (char& c : forms.back()) c = c == '+' ? '-' : c == '/' ? '_' : c;
    }
  }
  return forms;
}

// Calls `take(key, position)` for every gram of `text`. Case is ignored.
template <class Take>
void ForEachGram(std::string_view text, Take take) {
  std::uint64_t key = 0;  // of the last eight bytes
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + ('a' - 'A')) : text[i];
    key = key << 8 | static_cast<unsigned char>(c);
    if (i + 1 >= kGram) take(key, i + 1 - kGram);
  }
}

std::size_t HashOf(std::uint64_t key) { return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 48); }

// The grams of the secrets that may be in the text, sorted.
std::vector<std::uint64_t> Suspects(const std::vector<Reading>& readings, std::span<const std::string_view> secrets) {
  std::bitset<1U << 16> in_text;  // A text has few grams, and the forms of the secrets have thousands.
  for (const Reading& reading : readings) {
    ForEachGram(reading.text, [&](std::uint64_t key, std::size_t) { in_text.set(HashOf(key)); });
  }
  std::vector<std::uint64_t> keys;
  for (const std::string_view secret : secrets) {
    if (secret.size() < kGram) continue;
    for (const std::string& form : FormsOf(secret)) {
      ForEachGram(form, [&](std::uint64_t key, std::size_t) {
        if (in_text.test(HashOf(key))) keys.push_back(key);
      });
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace

void HideSecrets(std::string& text, std::span<const std::string_view> secrets) {
  if (text.size() < kGram || secrets.empty()) return;
  const std::vector<Reading> readings = ReadingsOf(text);
  const std::vector<std::uint64_t> suspects = Suspects(readings, secrets);
  if (suspects.empty()) return;
  std::vector<bool> is_hidden(text.size());
  for (const Reading& reading : readings) {
    ForEachGram(reading.text, [&](std::uint64_t key, std::size_t at) {
      if (!std::binary_search(suspects.begin(), suspects.end(), key)) return;
      for (std::size_t i = reading.begins[at]; i < reading.begins[at + kGram]; ++i) is_hidden[i] = true;
    });
  }
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_hidden[i]) {
      shown += text[i];
    } else if (i == 0 || !is_hidden[i - 1]) {
      shown += kShown;
    }
  }
  text = std::move(shown);
}

std::vector<std::string> SecretsOfSessionUrl(std::string_view url, std::string_view known) {
  constexpr std::string_view kId = "upload_id=";
  const auto host = url.find("://");
  const auto path = host == std::string_view::npos ? 0 : std::min(url.find_first_of("/?", host + 3), url.size());
  const std::string_view target = url.substr(path);
  const auto id = target.find(kId);
  if (id == std::string_view::npos) return {std::string(target)};
  const std::string_view value = target.substr(id + kId.size());
  std::vector<std::string> secrets = {std::string(value.substr(0, value.find('&')))};
  // Google's paths contain only known words; those of another service may contain secrets.
  for (std::string_view rest = target.substr(0, target.find('?')); !rest.empty();) {
    const auto end = std::min(rest.find('/', 1), rest.size());
    const std::string_view segment = rest.substr(1, end - 1);
    if (segment != known) secrets.emplace_back(segment);
    rest.remove_prefix(end);
  }
  return secrets;
}

}  // namespace gcsflux::internal
