#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/cursor_order.h"
#include "dataset/fingerprint.h"
#include "gcsflux/epoch.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Cursor Example() {
  return {.seed = ~0ULL,
          .epoch = 3,
          .consumed = 1024,
          .order = SampleOrder::kShuffled,
          .listing = {.bucket = "bkt", .prefix = "train/\"\xC3\xA9\"", .count = 5000, .hash = 0xABCDEF0123456789}};
}

void ExpectRefused(const Result<Cursor>& parsed, const char* words) {
  EXPECT_TRUE(testing::FailsWith(parsed, ErrorCode::kInvalidArgument, HasSubstr(words))) << words;
}

std::string With(std::string_view part, std::string_view instead) {
  std::string text = FormatCursor(Example());
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), instead);
}

TEST(Cursor, RoundTripsInShards) {
  Cursor cursor = Example();
  cursor.shuffle_buffer = 500;
  cursor.shards = {.rank = 2, .world_size = 3, .shard = 4, .samples_before = 900, .samples = 12'000};
  const std::string text = FormatCursor(cursor);
  const auto parsed = ParseCursor(text);
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(*parsed, cursor);
  for (const char* field : {"world_size", "samples_before", "shuffle_buffer"}) {
    std::string without = text;
    without.replace(without.find(field), 1, "_");
    ExpectRefused(ParseCursor(without), field);
  }
}

TEST(Cursor, RoundTrips) {
  for (const SampleOrder order : {SampleOrder::kByName, SampleOrder::kShuffled}) {
    Cursor cursor = Example();
    cursor.order = order;
    const auto parsed = ParseCursor(FormatCursor(cursor));
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(*parsed, cursor);
  }
}

// A prefix may end within a character.
TEST(Cursor, RoundTripsAPrefixThatIsNotUtf8) {
  Cursor cursor = Example();
  cursor.listing.prefix = std::string("a\xC3\0/\xFF", 5);
  const auto parsed = ParseCursor(FormatCursor(cursor));
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_EQ(*parsed, cursor);
}

TEST(Cursor, RefusesTheLastPossibleEpoch) {
  for (const SampleOrder order : {SampleOrder::kByName, SampleOrder::kShuffled, SampleOrder::kBuffered}) {
    Cursor cursor = Example();
    cursor.order = order;
    cursor.epoch = ~0ULL;
    const Cursor read = *ParseCursor(FormatCursor(cursor));
    EXPECT_EQ(read.epoch, ~0ULL);
    const auto checked =
        CheckCursor(read, read.listing, {.order = order, .shuffle_buffer = 0, .seed = cursor.seed}, true);
    EXPECT_TRUE(testing::FailsWith(checked, ErrorCode::kInvalidArgument, HasSubstr("epoch is 18446744073709551615")));
  }
}

TEST(Cursor, NamesTheDifferenceForAPartialListing) {
  Cursor cursor = Example();
  cursor.listing.is_partial = true;
  const EpochOptions options{.seed = cursor.seed};
  ListingFingerprint here = cursor.listing;
  here.count = 6000;
  here.is_partial = false;
  const auto message = [&] { return testing::ErrorOf(CheckCursor(cursor, here, options)).message; };
  EXPECT_THAT(message(), HasSubstr("when 5000 objects were listed, and cannot be compared with all 6000"));
  here.count = 4000;
  EXPECT_THAT(message(), HasSubstr("5000 objects were listed when the cursor was saved, and there are 4000 here"));
  here.count = 5000;
  here.hash = 1;
  EXPECT_THAT(message(), HasSubstr("of the first 5000 objects some have other names"));
  here.prefix = "other/";
  EXPECT_THAT(message(), HasSubstr("the prefix is"));
}

TEST(Cursor, ExtendsToTheWholeListing) {
  const std::vector<ListedObject> objects = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  const ObjectName prefix{"bkt", ""};
  const auto whole = internal::FingerprintOf(prefix, objects);
  Cursor cursor{.consumed = 2, .listing = internal::FingerprintOf(prefix, std::span(objects).first(2))};
  cursor.listing.is_partial = true;
  EXPECT_EQ(internal::OfWholeListing(cursor, {}, whole, objects)->listing, whole);
  cursor.listing.hash ^= 1;
  EXPECT_THAT(testing::ErrorOf(internal::OfWholeListing(cursor, {}, whole, objects)).message,
              HasSubstr("of the first 2 objects"));
}

TEST(Cursor, RoundTripsAShuffleBufferAndAPartialListing) {
  Cursor cursor = Example();
  cursor.order = SampleOrder::kBuffered;
  cursor.shuffle_buffer = 77;
  cursor.listing.is_partial = true;
  EXPECT_EQ(*ParseCursor(FormatCursor(cursor)), cursor);
  const std::string text = FormatCursor(cursor);
  const auto at = text.find("\"shuffle_buffer\": 77");
  ASSERT_NE(at, std::string::npos);
  ExpectRefused(ParseCursor(std::string(text).replace(at, 20, "\"other\": 77")), "\"shuffle_buffer\" is missing");
}

TEST(Cursor, RefusesTrailingText) {
  EXPECT_TRUE(ParseCursor(FormatCursor(Example()) + "\n").ok());
  for (const std::string& behind : {std::string(1, '\0'), std::string("\0{}", 3), std::string("{}")}) {
    ExpectRefused(ParseCursor(FormatCursor(Example()) + behind), "no JSON object");
  }
}

TEST(Cursor, RefusesAnotherShuffleBuffer) {
  Cursor cursor = Example();
  cursor.order = SampleOrder::kBuffered;
  cursor.shuffle_buffer = 77;
  EpochOptions options{.order = SampleOrder::kBuffered, .shuffle_buffer = 77, .seed = cursor.seed};
  EXPECT_TRUE(CheckCursor(cursor, cursor.listing, options).ok());
  options.shuffle_buffer = 78;
  const auto checked = CheckCursor(cursor, cursor.listing, options);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("the shuffle buffer is 77 in the cursor and 78 here"));
}

TEST(Cursor, CanBeEditedByHand) {
  const auto parsed = ParseCursor(With("\"consumed\": 1024", "\"consumed\":\n 7"));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->consumed, 7U);
}

TEST(Cursor, RefusesEveryTruncation) {
  const std::string text = FormatCursor(Example());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(ParseCursor(std::string_view(text).substr(0, size)).ok()) << size;
  }
}

TEST(Cursor, NamesTheWrongField) {
  ExpectRefused(ParseCursor(""), "JSON object");
  ExpectRefused(ParseCursor("[]"), "JSON object");
  ExpectRefused(ParseCursor(With("\"format\": 2", "\"format\": 3")), "format is 3");
  ExpectRefused(ParseCursor(With("\"format\": 2", "\"format\": 1")), "format is 1");
  ExpectRefused(ParseCursor(With("\"format\": 2,", "")), "\"format\" is missing");
  ExpectRefused(ParseCursor(With("\"prefix\": \"train/", "\"prefix_hex\": \"")), "\"listing.prefix_hex\"");
  ExpectRefused(ParseCursor(With("\"epoch\": 3", "\"epoch\": -3")), "\"epoch\"");
  ExpectRefused(ParseCursor(With("\"epoch\": 3", "\"epoch\": 3.5")), "\"epoch\"");
  ExpectRefused(ParseCursor(With("\"consumed\": 1024", "\"consumed\": \"1024\"")), "\"consumed\"");
  ExpectRefused(ParseCursor(With("\"shuffled\"", "\"random\"")), "\"order\"");
  ExpectRefused(ParseCursor(With("\"count\"", "\"many\"")), "\"listing.count\" is missing");
  ExpectRefused(ParseCursor(With("abcdef0123456789", "abcdef012345678")), "\"listing.hash\"");
}

TEST(Cursor, RefusesAnotherListing) {
  const Cursor cursor = Example();
  const EpochOptions options{.seed = cursor.seed};
  EXPECT_TRUE(CheckCursor(cursor, cursor.listing, options).ok());

  struct Case {
    const char* words;
    ListingFingerprint listing;
  };
  const auto& listing = cursor.listing;
  const Case cases[] = {{"gs://other/train/", {"other", listing.prefix, listing.count, listing.hash}},
                        {"gs://bkt/test/", {"bkt", "test/", listing.count, listing.hash}},
                        {"number of objects is 5000 in the cursor and 5001", {"bkt", listing.prefix, 5001, 1}},
                        {"other names or generations", {"bkt", listing.prefix, 5000, 1}}};
  for (const Case& c : cases) {
    EXPECT_TRUE(
        testing::FailsWith(CheckCursor(cursor, c.listing, options), ErrorCode::kInvalidArgument, HasSubstr(c.words)))
        << c.words;
    EXPECT_TRUE(CheckCursor(cursor, c.listing, options, /*allow_changed_listing=*/true).ok()) << c.words;
  }
}

TEST(Cursor, RefusesAnotherSeedOrOrder) {
  const Cursor cursor = Example();
  for (const EpochOptions& options :
       {EpochOptions{.seed = 1}, EpochOptions{.order = SampleOrder::kByName, .seed = cursor.seed}}) {
    const auto checked = CheckCursor(cursor, cursor.listing, options, /*allow_changed_listing=*/true);
    ASSERT_FALSE(checked.ok());
    EXPECT_THAT(checked.error().message, Not(HasSubstr("listing")));
  }
}

TEST(Cursor, RefusesMoreConsumedThanListed) {
  Cursor cursor = Example();
  cursor.consumed = 5001;
  const auto checked = CheckCursor(cursor, cursor.listing, {.seed = cursor.seed});
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("5001 samples of 5000"));
}

TEST(Fingerprint, DependsOnNamesOrderAndGenerations) {
  const ObjectName prefix{"bkt", "p/"};
  const auto of = [&](std::vector<ListedObject> objects) { return internal::FingerprintOf(prefix, objects).hash; };
  const auto base = of({{.name = "p/a", .generation = 1}, {.name = "p/b", .generation = 2}});
  EXPECT_EQ(base, of({{.name = "p/a", .size = 9, .generation = 1}, {.name = "p/b", .generation = 2}}));
  EXPECT_NE(base, of({{.name = "p/b", .generation = 2}, {.name = "p/a", .generation = 1}}));
  EXPECT_NE(base, of({{.name = "p/a", .generation = 1}, {.name = "p/b", .generation = 3}}));
  EXPECT_NE(base, of({{.name = "p/a", .generation = 1}, {.name = "p/c", .generation = 2}}));
  EXPECT_NE(base, of({{.name = "p/a", .generation = 1}}));
  EXPECT_NE(of({{.name = std::string("a\0", 2)}}), of({{.name = "a"}}));
}

}  // namespace
}  // namespace gcsflux
