#include "bodies/multipart.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace gcsflux::emulator {
namespace {

constexpr auto kType = "multipart/related; boundary=xyz";

// `text` in segments of at most `max_segment` bytes.
Rope InSegments(std::string_view text, std::size_t max_segment, std::mt19937& random) {
  Rope rope;
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(1 + random() % max_segment, text.size());
    rope.Append(Rope(text.substr(0, size)));
    text.remove_prefix(size);
  }
  return rope;
}

struct Case {
  const char* name;
  std::string content_type;
  std::string body;
  std::string metadata;
  std::string media_type;
  std::string media;
};

const std::vector<Case>& WellFormed() {
  static const std::vector<Case> cases = {
      {"plain", kType,
       "--xyz\r\nContent-Type: application/json\r\n\r\n{}\r\n--xyz\r\nContent-Type: a/b\r\n\r\nbytes\r\n--xyz--\r\n",
       "{}", "a/b", "bytes"},
      {"without the last line break", kType, "--xyz\r\n\r\n{}\r\n--xyz\r\n\r\nbytes\r\n--xyz--", "{}", "", "bytes"},
      {"quoted boundary", "multipart/related; charset=x; boundary=\"x y;z\"",
       "--x y;z\r\n\r\n{}\r\n--x y;z\r\n\r\nbytes\r\n--x y;z--", "{}", "", "bytes"},
      {"empty parts", kType, "--xyz\r\n\r\n\r\n--xyz\r\ncontent-type:a/b\r\n\r\n\r\n--xyz--", "", "a/b", ""},
      {"empty parts without their line breaks", kType, "--xyz\r\n\r\n--xyz\r\n\r\n--xyz--", "", "", ""},
      {"preamble and epilogue", kType, "ignore\r\n--xyz\r\n\r\n{}\r\n--xyz\r\n\r\nbytes\r\n--xyz--\r\nignore", "{}", "",
       "bytes"},
      {"almost delimiters in the media", kType,
       "--xyz\r\n\r\n{}\r\n--xyz\r\n\r\n\r\r\n\r\n-\r\n--xy\r\n--xz\r\r\n--\r\n--xyz--", "{}", "",
       "\r\r\n\r\n-\r\n--xy\r\n--xz\r\r\n--"},
      {"media that looks like headers", kType, "--xyz\r\n\r\n{}\r\n--xyz\r\n\r\nA: b\r\n\r\nc\r\n--xyz--", "{}", "",
       "A: b\r\n\r\nc"},
      {"zeroes in the media", kType, std::string("--xyz\r\n\r\n{}\r\n--xyz\r\n\r\na") + '\0' + "b\r\n--xyz--", "{}", "",
       std::string("a\0b", 3)},
      {"bare line feeds", kType,
       "--xyz\nContent-Type: application/json\n\n{}\n--xyz\nContent-Type: a/b\n\nbytes\n--xyz--", "{}", "a/b", "bytes"},
      {"bare line feeds, and media that ends in a CR", kType, "--xyz\n\n{}\n--xyz\n\nbytes\r\n--xyz--\n", "{}", "",
       "bytes\r"},
      {"bare line feeds in media of a body of CRLF", kType, "--xyz\r\n\r\n{}\r\n--xyz\r\n\r\na\n--xyz\nb\r\n--xyz--",
       "{}", "", "a\n--xyz\nb"},
      {"bare line feeds, empty parts", kType, "--xyz\n\n\n--xyz\nA: b\n\n\n--xyz--", "", "", ""},
      {"bare line feeds behind a preamble", kType, "ignore\n--xyz\n\n{}\n--xyz\n\nbytes\n--xyz--", "{}", "", "bytes"},
      {"a boundary in single quotes", "multipart/related; boundary='xyz'", "--xyz\n\n{}\n--xyz\n\nbytes\n--xyz--\n",
       "{}", "", "bytes"},
      {"a boundary whose quotes are its own", "multipart/related; boundary='xyz'",
       "--'xyz'\r\n\r\n{}\r\n--'xyz'\r\n\r\n\r\n--xyz--\r\n--'xyz'--", "{}", "", "\r\n--xyz--"},
      {"words in any case, and blanks", " Multipart/Related ;Charset=x; BOUNDARY = xyz ",
       "--xyz  \r\nCONTENT-TYPE :a/b\r\n\r\n{}\r\n--xyz\t\r\ncontent-type: c/d \r\n\r\nbytes\r\n--xyz-- \r\n", "{}",
       "c/d", "bytes"},
      {"longer words than the boundary", kType,
       "--xyz\r\n\r\n{}\r\n--xyz1\r\n--xyz\r\n\r\na\r\n--xyzz--\r\n--xyz- -\r\n--xyz--", "{}\r\n--xyz1", "",
       "a\r\n--xyzz--\r\n--xyz- -"},
  };
  return cases;
}

TEST(ParseMultipartRelated, FindsPartsInAnySegmentation) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const Case& c : WellFormed()) {
    for (const std::size_t max_segment : {1, 2, 3, 10, 1000}) {
      const auto parts = ParseMultipartRelated(c.content_type, InSegments(c.body, max_segment, random));
      ASSERT_TRUE(parts) << c.name << ": " << parts.error().message;
      EXPECT_EQ(parts->metadata, c.metadata) << c.name;
      EXPECT_EQ(parts->media_content_type, c.media_type) << c.name;
      EXPECT_EQ(parts->media.ToString(), c.media) << c.name;
    }
  }
}

TEST(FindMedia, FindsTheMediaInEveryPrefixThatHasIt) {
  for (const Case& c : WellFormed()) {
    const auto parts = ParseMultipartRelated(c.content_type, Rope(c.body));
    ASSERT_TRUE(parts) << c.name;
    const std::uint64_t begin = parts->media_begin;
    for (std::size_t size = 0; size <= c.body.size(); ++size) {
      const auto found = FindMedia(c.content_type, Rope(c.body.substr(0, size)));
      ASSERT_EQ(found.has_value(), size >= begin) << c.name << " cut at " << size;
      if (!found) continue;
      EXPECT_EQ(found->media_begin, begin) << c.name << " cut at " << size;
      EXPECT_EQ(found->metadata, c.metadata) << c.name << " cut at " << size;
    }
  }
}

TEST(ParseMultipartRelated, RefusesEveryTruncation) {
  for (const Case& c : WellFormed()) {
    const std::string whole = c.body.substr(0, c.body.find("--xyz--") + 7);
    if (c.content_type != kType) continue;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(ParseMultipartRelated(kType, Rope(whole.substr(0, size)))) << c.name << " cut at " << size;
    }
  }
}

TEST(ParseMultipartRelated, RefusesMalformedBodies) {
  const std::string good = WellFormed()[0].body;
  struct Bad {
    const char* name;
    std::string content_type;
    std::string body;
  };
  const std::vector<Bad> cases = {
      {"another type", "text/plain", good},
      {"no type", "", good},
      {"no boundary", "multipart/related", good},
      {"empty boundary", "multipart/related; boundary=", good},
      {"another boundary", "multipart/related; boundary=abc", good},
      {"one part", kType, "--xyz\r\n\r\n{}\r\n--xyz--"},
      {"three parts", kType, "--xyz\r\n\r\n{}\r\n--xyz\r\n\r\na\r\n--xyz\r\n\r\nb\r\n--xyz--"},
      {"nothing", kType, ""},
  };
  for (const Bad& c : cases) {
    const auto parts = ParseMultipartRelated(c.content_type, Rope(c.body));
    ASSERT_FALSE(parts) << c.name;
    EXPECT_EQ(parts.error().status, 400) << c.name;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
