// A bucket of computed objects with stored ones, without HTTP.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "store/buckets/bucket.h"
#include "store/bytes/crc32c.h"
#include "virtual/virtual_buckets.h"
#include "virtual/virtual_objects.h"

namespace gcsflux::emulator {
namespace {

Time Frozen() { return Time(std::chrono::seconds(1'800'000'000)); }

Bucket MakeBucket(const VirtualBucket& description) {
  return Bucket({.name = "bucket"}, Frozen, std::make_shared<const VirtualObjects>(description));
}

std::string Content(const Object& object) { return object.body->bytes().ToString(); }

Outcome<ObjectPtr> Insert(Bucket& bucket, const std::string& name, const Preconditions& preconditions = {}) {
  return bucket.InsertObject({.name = name, .body = std::make_shared<const Body>(Rope("stored"))}, preconditions);
}

// The content of all pages: names as they are, prefixes marked, sorted.
std::vector<std::string> Shown(const Bucket& bucket, ListQuery query) {
  std::vector<std::string> shown;
  do {
    const ListPage page = bucket.List(query);
    EXPECT_LE(page.objects.size() + page.prefixes.size(), query.max_results);
    for (const ObjectPtr& object : page.objects) shown.push_back(object->name);
    for (const std::string& prefix : page.prefixes) shown.push_back("prefix " + prefix);
    query.after = page.next;
  } while (query.after);
  std::sort(shown.begin(), shown.end());
  return shown;
}

// The same by checking every name.
std::vector<std::string> Reference(const std::vector<std::string>& names, const ListQuery& query) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (!name.starts_with(query.prefix) || name < query.start_offset) continue;
    if (!query.end_offset.empty() && name >= query.end_offset) continue;
    const std::size_t found =
        query.delimiter.empty() ? std::string::npos : name.find(query.delimiter, query.prefix.size());
    shown.push_back(found == std::string::npos ? name : "prefix " + name.substr(0, found + query.delimiter.size()));
  }
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

// The beginning of a name, or something that sorts near it.
std::string RandomText(const std::vector<std::string>& names, std::mt19937& random) {
  std::string text = names[random() % names.size()];
  text.resize(random() % (text.size() + 1));
  if (random() % 4 == 0 && !text.empty()) ++text.back();
  return text;
}

TEST(VirtualBucket, ListsComputedAndStoredNamesInOneOrder) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 160; ++round) {
    const auto pattern = static_cast<NamePattern>('a' + round % 8);
    const VirtualBucket description{.count = random() % 300, .pattern = pattern, .seed = random()};
    const VirtualObjects computed(description);
    Bucket bucket = MakeBucket(description);
    std::vector<std::string> names = {"m"};
    for (std::uint64_t i = 0; i < computed.count(); ++i) names.push_back(computed.At(i)->name);
    for (std::size_t i = random() % 40; i != 0; --i) names.push_back(RandomText(names, random) + "/x");
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (const std::string& name : names) {
      const bool is_computed = computed.Find(name) != nullptr;
      ASSERT_EQ(Insert(bucket, name).has_value(), !is_computed) << name;
    }
    const ListQuery query{.prefix = random() % 2 == 0 ? "" : RandomText(names, random),
                          .delimiter = random() % 2 == 0 ? "" : "/",
                          .start_offset = random() % 2 == 0 ? "" : RandomText(names, random),
                          .end_offset = random() % 2 == 0 ? "" : RandomText(names, random),
                          .max_results = 1 + random() % 50};
    ASSERT_EQ(Shown(bucket, query), Reference(names, query)) << "round " << round;
  }
}

TEST(VirtualBucket, GivesEachObjectTheSameStateEverywhere) {
  const VirtualBucket description{.count = 20, .size_bytes = 5000, .seed = 3};
  const Bucket bucket = MakeBucket(description);
  const Bucket twin = MakeBucket(description);
  const ListPage page = bucket.List({});
  ASSERT_EQ(page.objects.size(), 20U);
  for (const ObjectPtr& listed : page.objects) {
    const Outcome<ObjectPtr> found = twin.GetObject({.name = listed->name, .generation = listed->generation});
    ASSERT_TRUE(found) << listed->name;
    EXPECT_EQ((*found)->updated, listed->updated);
    EXPECT_EQ((*found)->metageneration, 1);
    EXPECT_EQ((*found)->body->crc32c(), listed->body->crc32c());
    EXPECT_EQ(Content(**found), Content(*listed));
    EXPECT_FALSE(HasMd5(**found));
  }
}

TEST(VirtualBucket, GenerationDependsOnEveryField) {
  const VirtualBucket one{.count = 20, .size_bytes = 5000, .seed = 3};
  std::vector<VirtualBucket> others(5, one);
  others[0].count = 21;
  others[1].size_bytes = 5001;
  others[2].size_sigma = 0.5;
  others[3].pattern = NamePattern::kUtf8;
  others[4].seed = 4;
  for (const VirtualBucket& other : others) {
    EXPECT_NE(VirtualObjects(other).At(0)->generation, VirtualObjects(one).At(0)->generation);
    EXPECT_LT(VirtualObjects(other).At(0)->time_created, Frozen());
  }
}

TEST(VirtualBucket, HasObjectsWithDistinctContents) {
  const VirtualObjects objects({.count = 1000, .size_bytes = 16, .seed = 3});
  const VirtualObjects others({.count = 1000, .size_bytes = 16, .seed = 4});
  std::vector<std::string> contents;
  for (std::uint64_t i = 0; i < 1000; ++i) contents.push_back(Content(*objects.At(i)));
  for (std::uint64_t i = 0; i < 1000; ++i) contents.push_back(Content(*others.At(i)));
  std::sort(contents.begin(), contents.end());
  EXPECT_EQ(std::adjacent_find(contents.begin(), contents.end()), contents.end());
}

TEST(VirtualBucket, HasLogNormalSizes) {
  const VirtualObjects objects({.count = 10'001, .size_bytes = 100'000, .size_sigma = 1});
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < objects.count(); ++i) sizes.push_back(objects.At(i)->body->size());
  std::sort(sizes.begin(), sizes.end());
  // The median, and one standard deviation to both sides: a factor of e.
  EXPECT_NEAR(static_cast<double>(sizes[5000]), 100'000, 5'000);
  EXPECT_NEAR(static_cast<double>(sizes[1587]), 36'788, 3'000);
  EXPECT_NEAR(static_cast<double>(sizes[8413]), 271'828, 20'000);
}

TEST(VirtualBucket, HasSizesWithinBounds) {
  const VirtualObjects objects({.count = 10'000, .size_bytes = 1, .size_sigma = 10});
  for (std::uint64_t i = 0; i < objects.count(); ++i) {
    const std::uint64_t size = objects.At(i)->body->size();
    ASSERT_GE(size, 1U);
    ASSERT_LE(size, kMaxVirtualObjectBytes);
  }
  EXPECT_EQ(VirtualObjects({.count = 1, .size_bytes = 0}).At(0)->body->size(), 0U);
}

FailureKind KindOf(const Outcome<ObjectPtr>& outcome) { return outcome ? FailureKind::kInvalid : outcome.error().kind; }

TEST(VirtualBucket, RefusesChangesOfItsObjects) {
  Bucket bucket = MakeBucket({.count = 3, .size_bytes = 10});
  const ObjectPtr object = bucket.List({}).objects.at(1);
  const auto patch = [](ObjectAttributes& attributes) { attributes.content_type = "x/y"; };
  EXPECT_EQ(KindOf(Insert(bucket, object->name)), FailureKind::kImmutable);
  EXPECT_EQ(KindOf(bucket.PatchObject({.name = object->name}, patch)), FailureKind::kImmutable);
  const Outcome<void> deleted = bucket.DeleteObject({.name = object->name});
  ASSERT_FALSE(deleted);
  EXPECT_EQ(deleted.error().kind, FailureKind::kImmutable);
  EXPECT_EQ(KindOf(bucket.ComposeObject({.sources = {{.name = object->name}}, .destination = {.name = object->name}})),
            FailureKind::kImmutable);
  EXPECT_EQ(bucket.List({}).objects.size(), 3U);
  EXPECT_EQ(Content(**bucket.GetObject({.name = object->name})), Content(*object));
}

TEST(VirtualBucket, HonoursPreconditionsOnItsObjects) {
  Bucket bucket = MakeBucket({.count = 1});
  const ObjectPtr object = bucket.List({}).objects.at(0);
  const std::int64_t generation = object->generation;
  EXPECT_EQ(KindOf(Insert(bucket, object->name, {.if_generation_match = 0})), FailureKind::kPreconditionFailed);
  EXPECT_EQ(KindOf(Insert(bucket, object->name, {.if_generation_match = generation})), FailureKind::kImmutable);
  EXPECT_EQ(KindOf(Insert(bucket, object->name, {.if_generation_not_match = generation})), FailureKind::kNotModified);
  EXPECT_EQ(KindOf(bucket.GetObject({.name = object->name, .generation = generation + 1})), FailureKind::kNotFound);
  EXPECT_TRUE(bucket.GetObject({.name = object->name, .preconditions = {.if_metageneration_match = 1}}));
}

TEST(VirtualBucket, StoresComposesAndDeletesOtherNames) {
  Bucket bucket = MakeBucket({.count = 40, .size_bytes = 1000});
  ComposeRequest request{.destination = {.name = "composed"}};
  std::string want;
  for (const ObjectPtr& object : bucket.List({.max_results = 31}).objects) {
    request.sources.push_back({.name = object->name, .generation = object->generation});
    want += Content(*object);
  }
  ASSERT_TRUE(Insert(bucket, "own"));
  request.sources.push_back({.name = "own"});
  want += "stored";
  const Outcome<ObjectPtr> composed = bucket.ComposeObject(request);
  ASSERT_TRUE(composed);
  EXPECT_EQ((*composed)->component_count, 32);
  EXPECT_EQ((*composed)->body->crc32c(), ExtendCrc32c(0, std::as_bytes(std::span(want))));
  EXPECT_EQ(Content(**bucket.GetObject({.name = "composed"})), want);
  EXPECT_EQ(bucket.List({}).objects.size(), 42U);
  EXPECT_TRUE(bucket.DeleteObject({.name = "composed"}));
  EXPECT_TRUE(bucket.DeleteObject({.name = "own"}));
  EXPECT_EQ(bucket.List({}).objects.size(), 40U);
}

TEST(VirtualBucket, RefusesAComposeThatDeletesItsObjects) {
  Bucket bucket = MakeBucket({.count = 1});
  const std::string source = bucket.List({}).objects.at(0)->name;
  EXPECT_EQ(KindOf(bucket.ComposeObject(
                {.sources = {{.name = source}}, .destination = {.name = "composed"}, .delete_sources = true})),
            FailureKind::kImmutable);
  EXPECT_EQ(bucket.List({}).objects.size(), 1U);
}

TEST(VirtualBucket, IsReadableDuringOtherWrites) {
  constexpr std::uint64_t kCount = 500;
  Bucket bucket = MakeBucket({.count = kCount, .size_bytes = 10'000});
  const std::vector<ObjectPtr> objects = bucket.List({}).objects;
  std::atomic<bool> is_over = false;
  const std::jthread writer([&] {
    for (int i = 0; i < 300; ++i) {
      const std::string name = std::to_string(i % 10) + "own";
      EXPECT_TRUE(Insert(bucket, name));
      EXPECT_TRUE(bucket.DeleteObject({.name = name}));
    }
    is_over = true;
  });
  for (std::size_t round = 0; !is_over; ++round) {
    std::size_t computed = 0;
    for (const ObjectPtr& object : bucket.List({}).objects) computed += object->is_immutable ? 1 : 0;
    EXPECT_EQ(computed, kCount);
    ComposeRequest request{.destination = {.name = "composed"}};
    for (std::size_t i = 0; i < 3; ++i) request.sources.push_back({.name = objects[(round + i) % kCount]->name});
    const Outcome<ObjectPtr> composed = bucket.ComposeObject(request);
    ASSERT_TRUE(composed);
    const std::string content = Content(**composed);
    EXPECT_EQ((*composed)->body->crc32c(), ExtendCrc32c(0, std::as_bytes(std::span(content))));
  }
}

TEST(VirtualBucket, IsDeletableOnlyIfEmpty) {
  EXPECT_FALSE(MakeBucket({.count = 1}).Close());
  EXPECT_TRUE(MakeBucket({.count = 0}).Close());
}

TEST(VirtualBuckets, AreAddedIfAbsent) {
  Store store(Frozen);
  const std::vector<VirtualBucket> descriptions = {{.name = "one", .count = 1}, {.name = "two", .count = 2}};
  const VirtualBuckets buckets(descriptions, store);
  ASSERT_TRUE(store.InsertBucket({.name = "other"}));
  buckets.AddTo(store);
  EXPECT_EQ(store.ListBuckets({}).buckets.size(), 3U);
  EXPECT_EQ((*store.FindBucket("two"))->List({}).objects.size(), 2U);
}

TEST(VirtualBuckets, NameTheWrongField) {
  const std::vector<std::pair<VirtualBucket, std::string>> cases = {
      {{.name = "B!"}, "name"},
      {{.name = "bucket", .count = kMaxVirtualObjects + 1}, "count"},
      {{.name = "bucket", .size_bytes = kMaxVirtualObjectBytes + 1}, "size"},
      {{.name = "bucket", .size_sigma = -1}, "size"},
      {{.name = "bucket", .pattern = static_cast<NamePattern>('i')}, "pattern"},
  };
  for (const auto& [bucket, field] : cases) {
    try {
      CheckVirtualBuckets(std::span(&bucket, 1));
      ADD_FAILURE() << field;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(field + ":"), std::string::npos) << error.what();
    }
  }
  const std::vector<VirtualBucket> twice = {{.name = "bucket"}, {.name = "bucket"}};
  EXPECT_THROW(CheckVirtualBuckets(twice), std::invalid_argument);
}

}  // namespace
}  // namespace gcsflux::emulator
