// Multipart uploads in the store: against a model, and many threads at one upload.

#include "store/buckets/multipart_uploads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

TimeSource FixedClock() {
  return [] { return Time(std::chrono::seconds(1'795'155'900)); };
}

// Bodies of at least the minimum size that share one block of memory, and differ.
std::vector<BodyPtr> LargeBodies(int count) {
  std::mt19937_64 random(7);
  std::string block(kMinPartSize + 1000, '\0');
  for (char& c : block) c = static_cast<char>(random());
  const Rope bytes{block};
  std::vector<BodyPtr> bodies;
  bodies.reserve(count);
  for (int i = 0; i < count; ++i) {
    bodies.push_back(std::make_shared<const Body>(bytes.Slice(static_cast<std::uint64_t>(i), kMinPartSize)));
  }
  return bodies;
}

BodyPtr SmallBody(const std::string& text) { return std::make_shared<const Body>(Rope(text)); }
PartReference Reference(int number, const BodyPtr& body) { return {number, body->md5()}; }

TEST(MultipartUpload, JoinsPartsByNumber) {
  const std::vector<BodyPtr> large = LargeBodies(2);
  const BodyPtr last = SmallBody("the end");
  MultipartUpload upload({}, FixedClock(), {});
  ASSERT_TRUE(upload.PutPart(10'000, last));
  ASSERT_TRUE(upload.PutPart(7, large[1]));
  ASSERT_TRUE(upload.PutPart(1, large[0]));
  const auto body =
      upload.BeginComplete(std::vector{Reference(1, large[0]), Reference(7, large[1]), Reference(10'000, last)});
  ASSERT_TRUE(body);
  const std::string want = large[0]->bytes().ToString() + large[1]->bytes().ToString() + last->bytes().ToString();
  EXPECT_TRUE((*body)->bytes().ToString() == want);
  EXPECT_EQ((*body)->crc32c(), Body(Rope(want)).crc32c());
}

TEST(MultipartUpload, RefusesMissingAndDifferentParts) {
  const BodyPtr body = SmallBody("part");
  MultipartUpload upload({}, FixedClock(), {});
  ASSERT_TRUE(upload.PutPart(2, body));
  const auto complete = [&](const std::vector<PartReference>& parts) {
    const auto completed = upload.BeginComplete(parts);
    return completed ? std::nullopt : std::optional(completed.error());
  };
  EXPECT_EQ(complete({Reference(1, body)}), MultipartFailure::kInvalidPart);
  EXPECT_EQ(complete({Reference(2, SmallBody("other"))}), MultipartFailure::kInvalidPart);
  EXPECT_EQ(complete({PartReference{2}}), MultipartFailure::kInvalidPart);
  EXPECT_EQ(complete({Reference(2, body), Reference(2, body)}), MultipartFailure::kInvalidPartOrder);
  EXPECT_EQ(complete({Reference(2, body), Reference(1, body)}), MultipartFailure::kInvalidPartOrder);
  EXPECT_EQ(complete({Reference(2, body)}), std::nullopt);
}

TEST(MultipartUpload, AcceptsASmallPartOnlyAtTheEnd) {
  const std::vector<BodyPtr> large = LargeBodies(1);
  const BodyPtr small = std::make_shared<const Body>(large[0]->bytes().Slice(0, kMinPartSize - 1));
  MultipartUpload upload({}, FixedClock(), {});
  ASSERT_TRUE(upload.PutPart(1, small));
  ASSERT_TRUE(upload.PutPart(2, large[0]));
  const auto too_small = upload.BeginComplete(std::vector{Reference(1, small), Reference(2, large[0])});
  ASSERT_FALSE(too_small);
  EXPECT_EQ(too_small.error(), MultipartFailure::kTooSmall);
  EXPECT_TRUE(upload.BeginComplete(std::vector{Reference(1, small)}));
}

TEST(MultipartUpload, IsLockedOnlyDuringItsCompletion) {
  const BodyPtr body = SmallBody("part");
  const std::vector parts{Reference(1, body)};
  MultipartUpload upload({}, FixedClock(), {});
  ASSERT_TRUE(upload.PutPart(1, body));
  ASSERT_TRUE(upload.BeginComplete(parts));
  EXPECT_EQ(upload.PutPart(1, body), tl::unexpected(MultipartFailure::kBeingCompleted));
  EXPECT_EQ(upload.Abort(), tl::unexpected(MultipartFailure::kBeingCompleted));
  EXPECT_EQ(upload.BeginComplete(parts), tl::unexpected(MultipartFailure::kBeingCompleted));
  upload.EndComplete(false);
  ASSERT_TRUE(upload.BeginComplete(parts));
  upload.EndComplete(true);
  EXPECT_EQ(upload.BeginComplete(parts), tl::unexpected(MultipartFailure::kNoSuchUpload));
  EXPECT_EQ(upload.PutPart(1, body), tl::unexpected(MultipartFailure::kNoSuchUpload));
}

TEST(MultipartUpload, ReleasesItsPartsAtItsEnd) {
  for (const bool is_aborted : {false, true}) {
    BodyPtr body = SmallBody("part");
    const std::vector parts{Reference(1, body)};
    const std::weak_ptr<const Body> watched = body;
    MultipartUpload upload({}, FixedClock(), {});
    ASSERT_TRUE(upload.PutPart(1, std::move(body)));
    if (is_aborted) {
      ASSERT_TRUE(upload.Abort());
    } else {
      ASSERT_TRUE(upload.BeginComplete(parts));
      upload.EndComplete(true);
    }
    EXPECT_TRUE(watched.expired()) << is_aborted;
  }
}

// Any sequence of calls has the outcome that it has on a map.
TEST(MultipartUpload, MatchesItsModel) {
  const std::vector<BodyPtr> large = LargeBodies(6);
  std::vector<BodyPtr> bodies = large;
  for (int i = 0; i < 3; ++i) bodies.push_back(SmallBody(std::to_string(i)));
  for (unsigned seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    MultipartUpload upload({}, FixedClock(), {});
    std::map<int, BodyPtr> model;
    for (int step = 0; step < 200; ++step) {
      const int number = static_cast<int>(random() % 6) + 1;
      if (random() % 4 != 0) {
        const BodyPtr& body = bodies[random() % bodies.size()];
        ASSERT_TRUE(upload.PutPart(number, body));
        model[number] = body;
        continue;
      }
      const int after = static_cast<int>(random() % 8);
      const std::size_t limit = random() % 4 + 1;
      const PartPage page = upload.ListParts(after, limit);
      auto want = model.upper_bound(after);
      for (const UploadPart& part : page.parts) {
        ASSERT_NE(want, model.end());
        EXPECT_EQ(part.number, want->first);
        EXPECT_EQ(part.body, want->second);
        ++want;
      }
      EXPECT_EQ(page.is_truncated, want != model.end());
      EXPECT_EQ(page.parts.size(), page.is_truncated ? limit : page.parts.size());
    }
    std::vector<PartReference> references;
    bool is_too_small = false;
    std::uint64_t size = 0;
    for (const auto& [number, body] : model) {
      references.push_back(Reference(number, body));
      is_too_small = is_too_small || (number != model.rbegin()->first && body->size() < kMinPartSize);
      size += body->size();
    }
    const auto completed = upload.BeginComplete(references);
    ASSERT_EQ(completed.has_value(), !is_too_small);
    if (completed) {
      EXPECT_EQ((*completed)->size(), size);
    } else {
      EXPECT_EQ(completed.error(), MultipartFailure::kTooSmall);
    }
  }
}

TEST(MultipartUpload, IsCompletedOnceDespiteRaces) {
  for (int round = 0; round < 50; ++round) {
    const BodyPtr body = SmallBody("part");
    MultipartUpload upload({}, FixedClock(), {});
    ASSERT_TRUE(upload.PutPart(1, body));
    std::atomic<int> completed = 0;
    std::atomic<int> late = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        if (!upload.BeginComplete(std::vector{Reference(1, body)})) return;
        ++completed;
        upload.EndComplete(true);
      });
      threads.emplace_back([&] {
        if (!upload.PutPart(1, body)) ++late;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(completed, 1);
    EXPECT_LE(late, 4);
    EXPECT_TRUE(upload.ListParts(0, 10).parts.empty());
  }
}

std::vector<std::string> Shown(const UploadPage& page) {
  std::vector<std::string> shown;
  for (const auto& [name, upload] : page.uploads) shown.push_back(name.object);
  shown.insert(shown.end(), page.prefixes.begin(), page.prefixes.end());
  return shown;
}

TEST(MultipartUploads, FindsAnUploadByItsObjectAndItsId) {
  MultipartUploads uploads(FixedClock(), 1);
  const std::string first = *uploads.Start("a", {});
  const std::string second = *uploads.Start("a", {});
  EXPECT_NE(first, second);
  EXPECT_NE(uploads.Find({"a", first}), nullptr);
  EXPECT_NE(uploads.Find({"a", first}), uploads.Find({"a", second}));
  EXPECT_EQ(uploads.Find({"b", first}), nullptr);
  uploads.Remove({"a", first});
  EXPECT_EQ(uploads.Find({"a", first}), nullptr);
  EXPECT_NE(uploads.Find({"a", second}), nullptr);
}

TEST(MultipartUploads, ListsByPrefixAndDelimiter) {
  MultipartUploads uploads(FixedClock(), 1);
  for (const char* object : {"x", "d/2", "d/1", "d/e/1", "a", "d", "e/"}) uploads.Start(object, {});
  using Names = std::vector<std::string>;
  EXPECT_EQ(Shown(uploads.List({})), (Names{"a", "d", "d/1", "d/2", "d/e/1", "e/", "x"}));
  EXPECT_EQ(Shown(uploads.List({.delimiter = "/"})), (Names{"a", "d", "x", "d/", "e/"}));
  EXPECT_EQ(Shown(uploads.List({.prefix = "d/"})), (Names{"d/1", "d/2", "d/e/1"}));
  EXPECT_EQ(Shown(uploads.List({.prefix = "d/", .delimiter = "/"})), (Names{"d/1", "d/2", "d/e/"}));
  EXPECT_EQ(Shown(uploads.List({.key_marker = "d/1"})), (Names{"d/2", "d/e/1", "e/", "x"}));
}

// With pages of any size, all of them together show each upload and each prefix once.
TEST(MultipartUploads, ListsEachUploadOnceAcrossPages) {
  MultipartUploads uploads(FixedClock(), 1);
  for (const char* object : {"a", "a", "a", "b/1", "b/2", "b/2", "c", "d/e/1", "d/e/2", "d/f", "z"}) {
    uploads.Start(object, {});
  }
  for (const std::string delimiter : {"", "/"}) {
    for (std::size_t size = 1; size <= 12; ++size) {
      UploadQuery query{.delimiter = delimiter, .max_uploads = size};
      std::size_t shown = 0;
      for (int pages = 0; pages < 12; ++pages) {
        const UploadPage page = uploads.List(query);
        shown += page.uploads.size() + page.prefixes.size();
        if (!page.next) break;
        ASSERT_EQ(page.uploads.size() + page.prefixes.size(), size);
        query.key_marker = page.next->object;
        query.upload_id_marker = page.next->id;
      }
      EXPECT_EQ(shown, delimiter.empty() ? 11U : 7U) << delimiter << " " << size;
    }
  }
}

}  // namespace
}  // namespace gcsflux::emulator
