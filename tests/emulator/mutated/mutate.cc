#include "emulator/mutated/mutate.h"

#include <algorithm>
#include <array>

namespace gcsflux::emulator {
namespace {

constexpr std::array<std::string_view, 36> kTokens = {"\r\n",
                                                      "\n",
                                                      "\r\n\r\n",
                                                      std::string_view("\0", 1),
                                                      " ",
                                                      ":",
                                                      "%",
                                                      "%00",
                                                      "%2F",
                                                      "%FF",
                                                      "?",
                                                      "&",
                                                      "=",
                                                      "\"",
                                                      "{",
                                                      "}",
                                                      "[",
                                                      "]",
                                                      "[[[[[[[[",
                                                      "{\"a\":",
                                                      "<",
                                                      "</",
                                                      "&amp;",
                                                      "<!DOCTYPE a [<!ENTITY b 'c'>]>",
                                                      "\xff\xfe",
                                                      "\xed\xa0\x80",
                                                      "null",
                                                      "true",
                                                      "1e9999",
                                                      "-1",
                                                      "18446744073709551616",
                                                      "9223372036854775807",
                                                      "bytes=",
                                                      "--zz",
                                                      "../",
                                                      "*"};

std::size_t Below(std::size_t end, std::mt19937_64& random) { return end == 0 ? 0 : random() % end; }

// The position of something in the text, and its length.
struct Run {
  std::size_t at = 0;
  std::size_t size = 0;
};

// In the request line, in the body or anywhere, so that most changes do not end at a broken head.
Run AnyRun(const std::string& text, std::size_t max_size, std::mt19937_64& random) {
  const std::size_t line_end = std::min(text.find(" HTTP/"), text.size());
  const std::size_t head_end = std::min(text.find("\r\n\r\n"), text.size());
  const std::uint64_t region = random() % 4;
  const std::size_t begin = region == 0 ? std::min(head_end + 4, text.size()) : 0;
  const std::size_t end = region < 2 ? text.size() : line_end;
  const std::size_t at = begin + Below(end - begin + 1, random);
  return {at, std::min(text.size() - at, Below(max_size, random))};
}

void ChangeNumber(std::string& text, std::mt19937_64& random) {
  constexpr std::array<std::string_view, 7> kNumbers = {
      "0", "-1", "18446744073709551615", "9223372036854775808", "1e400", "00", "5368709120"};
  const std::size_t begin = text.find_first_of("0123456789", AnyRun(text, 1, random).at);
  if (begin == std::string::npos) return;
  const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  text.replace(begin, end - begin, kNumbers[Below(kNumbers.size(), random)]);
}

void ChangeOnce(std::string& text, const std::vector<std::string>& requests, std::mt19937_64& random) {
  const Run run = AnyRun(text, 40, random);
  const std::string content = text.substr(run.at, run.size);
  switch (random() % 8) {
    case 0:
      if (run.at < text.size()) text[run.at] = static_cast<char>(random() % 256);
      return;
    case 1: text.erase(run.at, run.size); return;
    case 2: text.insert(run.at, content); return;
    case 3: text.insert(run.at, kTokens[Below(kTokens.size(), random)]); return;
    case 4: text.replace(run.at, run.size, kTokens[Below(kTokens.size(), random)]); return;
    case 5: ChangeNumber(text, random); return;
    case 6:
      for (std::size_t i = Below(300, random); i != 0; --i) text.insert(run.at, content);
      return;
    default: {
      const std::string& other = requests[Below(requests.size(), random)];
      const Run part = AnyRun(other, 200, random);
      text.replace(run.at, run.size, other, part.at, part.size);
      return;
    }
  }
}

void FixContentLength(std::string& text) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t body = text.find("\r\n\r\n");
  const std::size_t field = text.find(kName);
  if (body == std::string::npos || field == std::string::npos || field > body) return;
  const std::size_t begin = field + kName.size();
  const std::size_t end = text.find('\r', begin);
  text.replace(begin, end - begin, std::to_string(text.size() - body - 4));
}

}  // namespace

std::string Mutate(const std::vector<std::string>& requests, std::mt19937_64& random) {
  std::string text = requests[Below(requests.size(), random)];
  // Mostly one: a broken head hides the rest.
  for (std::size_t changes = random() % 3 != 0 ? 1 : 2 + random() % 5; changes != 0; --changes)
    ChangeOnce(text, requests, random);
  if (random() % 4 != 0) FixContentLength(text);
  return text;
}

}  // namespace gcsflux::emulator
