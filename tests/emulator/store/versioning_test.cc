// Noncurrent generations: a versioned bucket against a model of it, and its listings.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "store/buckets/bucket.h"

namespace gcsflux::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NewObject Named(const std::string& name, const std::string& content) {
  return {.name = name, .body = std::make_shared<const Body>(Rope(content))};
}

Outcome<void> SetVersioned(Bucket& bucket, bool is_versioned) {
  const auto changed = bucket.ChangeInfo({}, [is_versioned](BucketInfo& info) -> Outcome<void> {
    info.is_versioned = is_versioned;
    return {};
  });
  return changed ? Outcome<void>() : tl::unexpected(changed.error());
}

std::string ContentOf(const Object& object) { return object.body->bytes().ToString(); }

bool IsNoncurrent(const Object& object) { return object.extras != nullptr && object.extras->time_deleted.has_value(); }

class VersionedBucket : public ::testing::Test {
 protected:
  ObjectPtr Insert(const std::string& name, const std::string& content) {
    return bucket_.InsertObject(Named(name, content), {}).value();
  }
  std::optional<FailureKind> FailureOf(const ObjectSelector& selector) {
    const auto found = bucket_.GetObject(selector);
    return found ? std::nullopt : std::optional(found.error().kind);
  }
  // The contents that a listing shows, a noncurrent one's in brackets.
  std::vector<std::string> Shown(const ListQuery& query) {
    std::vector<std::string> shown;
    for (const ObjectPtr& object : bucket_.List(query).objects) {
      shown.push_back(IsNoncurrent(*object) ? "(" + ContentOf(*object) + ")" : ContentOf(*object));
    }
    return shown;
  }

  Time now_ = Time(std::chrono::seconds(1'800'000'000));
  Bucket bucket_{{.name = "bucket", .is_versioned = true}, [this] { return now_; }};
};

TEST_F(VersionedBucket, RecordsWhenAGenerationWasReplaced) {
  const ObjectPtr first = Insert("a", "1");
  now_ += std::chrono::hours(1);
  const ObjectPtr second = Insert("a", "2");
  const ObjectPtr noncurrent = bucket_.GetObject({.name = "a", .generation = first->generation}).value();
  EXPECT_EQ(noncurrent->extras->time_deleted, now_);
  EXPECT_EQ(noncurrent->body, first->body);
  EXPECT_EQ(noncurrent->updated, first->updated);
  EXPECT_EQ(second->extras, nullptr);
  EXPECT_EQ(first->extras, nullptr) << "a returned object has changed";
}

TEST_F(VersionedBucket, ComparesLiveGenerationAndNamedMetageneration) {
  const std::int64_t first = Insert("a", "1")->generation;
  const std::int64_t second = Insert("a", "2")->generation;
  const ObjectSelector named{.name = "a", .generation = first};
  ASSERT_TRUE(bucket_.PatchObject(named, [](ObjectAttributes& attributes) { attributes.content_language = "de"; }));
  const auto with = [&](Preconditions preconditions) {
    ObjectSelector selector = named;
    selector.preconditions = preconditions;
    return bucket_.GetObject(selector).has_value();
  };
  EXPECT_TRUE(with({.if_generation_match = second}));
  EXPECT_FALSE(with({.if_generation_match = first}));
  EXPECT_TRUE(with({.if_metageneration_match = 2}));
  EXPECT_FALSE(with({.if_metageneration_match = 1}));
}

TEST_F(VersionedBucket, CountsNoncurrentGenerationsAsStored) {
  const std::int64_t first = Insert("a", "12345")->generation;
  Insert("a", "123");
  EXPECT_EQ(bucket_.usage().objects, 2U);
  EXPECT_EQ(bucket_.usage().bytes, 8U);
  ASSERT_TRUE(bucket_.DeleteObject({.name = "a"}));
  EXPECT_EQ(bucket_.usage().bytes, 8U);
  EXPECT_EQ(bucket_.Close().error().kind, FailureKind::kConflict);
  ASSERT_TRUE(bucket_.DeleteObject({.name = "a", .generation = first}));
  EXPECT_EQ(bucket_.usage().objects, 1U);
  EXPECT_EQ(bucket_.usage().bytes, 3U);
}

TEST_F(VersionedBucket, KeepsNoMoreGenerationsOnceVersioningIsOff) {
  const std::int64_t first = Insert("a", "1")->generation;
  const std::int64_t second = Insert("a", "2")->generation;
  ASSERT_TRUE(SetVersioned(bucket_, false));
  Insert("a", "3");
  EXPECT_EQ(FailureOf({.name = "a", .generation = second}), FailureKind::kNotFound);
  EXPECT_TRUE(bucket_.GetObject({.name = "a", .generation = first}));
  ASSERT_TRUE(bucket_.DeleteObject({.name = "a"}));
  EXPECT_THAT(Shown({.has_versions = true}), ElementsAre("(1)"));
}

TEST_F(VersionedBucket, DeletesComposedSourcesForGood) {
  Insert("a", "1");
  Insert("b", "2");
  ASSERT_TRUE(bucket_.ComposeObject(
      {.sources = {{.name = "a"}, {.name = "b"}}, .destination = {.name = "c"}, .delete_sources = true}));
  EXPECT_THAT(Shown({.has_versions = true}), ElementsAre("12"));
}

TEST_F(VersionedBucket, ListsGenerationsByNameAndAge) {
  Insert("b", "b1");
  Insert("a", "a1");
  Insert("b", "b2");
  Insert("b/x", "x1");
  Insert("a", "a2");
  ASSERT_TRUE(bucket_.DeleteObject({.name = "a"}));
  EXPECT_THAT(Shown({.has_versions = true}), ElementsAre("(a1)", "(a2)", "(b1)", "b2", "x1"));
  EXPECT_THAT(Shown({}), ElementsAre("b2", "x1"));
  EXPECT_THAT(Shown({.start_offset = "b", .has_versions = true}), ElementsAre("(b1)", "b2", "x1"));
  EXPECT_THAT(Shown({.end_offset = "b", .has_versions = true}), ElementsAre("(a1)", "(a2)"));
  EXPECT_THAT(Shown({.prefix = "b", .delimiter = "/", .has_versions = true}), ElementsAre("(b1)", "b2"));
  EXPECT_THAT(Shown({.prefix = "a"}), IsEmpty());
}

TEST_F(VersionedBucket, ContinuesWithinAName) {
  Insert("a", "1");
  Insert("a", "2");
  Insert("a", "3");
  Insert("b", "4");
  ListQuery query{.max_results = 1, .has_versions = true};
  std::vector<std::string> shown;
  do {
    const ListPage page = bucket_.List(query);
    ASSERT_EQ(page.objects.size(), 1U);
    shown.push_back(ContentOf(*page.objects[0]));
    query.after = page.next;
    // The page ended at an object that was deleted since. The next page still continues there.
    if (shown.back() == "2") {
      ASSERT_TRUE(bucket_.DeleteObject({.name = "a", .generation = page.objects[0]->generation}));
    }
  } while (query.after);
  EXPECT_THAT(shown, ElementsAre("1", "2", "3", "4"));
}

struct ModelGeneration {
  std::int64_t generation = 0;
  std::int64_t metageneration = 1;
  std::string content = {};
  bool is_live = true;
  bool is_held = false;
};

// Every generation of every name in the order of a listing; the live one is a name's last.
using Model = std::map<std::pair<std::string, std::int64_t>, ModelGeneration>;

class Play {
 public:
  explicit Play(unsigned seed) : random_(seed) {}

  void Step() {
    switch (random_() % 8) {
      case 0:
      case 1:
      case 2: return Insert();
      case 3: return Delete();
      case 4: return Patch();
      case 5: return Compose();
      case 6: return Get();
      default: return random_() % 4 == 0 ? Switch() : CheckListing(random_() % 2 == 0);
    }
  }

 private:
  using Place = Model::iterator;

  std::string RandomName() { return std::string(1, "abc"[random_() % 3]) + (random_() % 3 == 0 ? "/x" : ""); }

  Place Live(const std::string& name) {
    return std::find_if(model_.begin(), model_.end(),
                        [&](const auto& entry) { return entry.first.first == name && entry.second.is_live; });
  }

  ObjectSelector RandomSelector() {
    ObjectSelector selector{.name = RandomName()};
    std::vector<std::int64_t> known = {1};  // and one that never existed
    for (const auto& [key, generation] : model_) {
      if (key.first == selector.name) known.push_back(key.second);
    }
    if (random_() % 2 == 0) selector.generation = known[random_() % known.size()];
    if (random_() % 4 == 0) selector.preconditions.if_generation_match = known[random_() % known.size()];
    if (random_() % 4 == 0) selector.preconditions.if_metageneration_match = 1 + random_() % 2;
    return selector;
  }

  // The result of the selector, or its failure.
  tl::expected<Place, FailureKind> Select(const ObjectSelector& selector) {
    const Place live = Live(selector.name);
    const Place found = selector.generation ? model_.find({selector.name, *selector.generation}) : live;
    if (found == model_.end()) return tl::unexpected(FailureKind::kNotFound);
    const std::int64_t live_generation = live != model_.end() ? live->second.generation : 0;
    const Preconditions& p = selector.preconditions;
    if (p.if_generation_match.value_or(live_generation) != live_generation ||
        p.if_metageneration_match.value_or(found->second.metageneration) != found->second.metageneration) {
      return tl::unexpected(FailureKind::kPreconditionFailed);
    }
    return found;
  }

  void Remove(Place place, bool is_kept) {
    if (is_kept) {
      place->second.is_live = false;
    } else {
      model_.erase(place);
    }
  }

  // The error of storing under `name`, if it cannot be stored.
  std::optional<FailureKind> JudgeStore(const std::string& name, const Preconditions& preconditions) {
    const Place live = Live(name);
    const std::int64_t generation = live != model_.end() ? live->second.generation : 0;
    if (preconditions.if_generation_match.value_or(generation) != generation) return FailureKind::kPreconditionFailed;
    if (live != model_.end() && live->second.is_held) return FailureKind::kHeld;
    return std::nullopt;
  }

  void CheckStored(const Outcome<ObjectPtr>& outcome, const std::string& name, const std::string& content,
                   std::optional<FailureKind> want) {
    ASSERT_EQ(outcome ? std::nullopt : std::optional(outcome.error().kind), want);
    if (!outcome) return;
    if (const Place live = Live(name); live != model_.end()) Remove(live, is_versioned_);
    model_[{name, (*outcome)->generation}] = {.generation = (*outcome)->generation, .content = content};
  }

  void Insert() {
    const std::string name = RandomName();
    Preconditions preconditions;
    if (random_() % 4 == 0) preconditions.if_generation_match = 0;
    const std::optional<FailureKind> want = JudgeStore(name, preconditions);
    const std::string content = std::to_string(random_() % 1000);
    CheckStored(bucket_.InsertObject(Named(name, content), preconditions), name, content, want);
  }

  void Compose() {
    ComposeRequest request{.destination = {.name = RandomName()}};
    std::string content;
    std::optional<FailureKind> want;
    for (int i = 0; i < 2; ++i) {
      request.sources.push_back(RandomSelector());
      const auto source = Select(request.sources.back());
      if (!source && !want) want = source.error();
      if (source) content += (*source)->second.content;
    }
    if (content.size() > 1000) return;
    if (!want) want = JudgeStore(request.destination.name, {});
    CheckStored(bucket_.ComposeObject(request), request.destination.name, content, want);
  }

  void Delete() {
    const ObjectSelector selector = RandomSelector();
    const auto place = Select(selector);
    std::optional<FailureKind> want;
    if (!place) want = place.error();
    if (place && (*place)->second.is_held) want = FailureKind::kHeld;
    const Outcome<void> outcome = bucket_.DeleteObject(selector);
    ASSERT_EQ(outcome ? std::nullopt : std::optional(outcome.error().kind), want);
    if (outcome) Remove(*place, is_versioned_ && !selector.generation);
  }

  void Patch() {
    const ObjectSelector selector = RandomSelector();
    const auto place = Select(selector);
    const bool is_held = random_() % 8 == 0;
    const Outcome<ObjectPtr> outcome =
        bucket_.PatchObject(selector, [&](ObjectAttributes& attributes) { attributes.temporary_hold = is_held; });
    ASSERT_EQ(outcome.has_value(), place.has_value());
    if (!outcome) {
      ASSERT_EQ(outcome.error().kind, place.error());
      return;
    }
    (*place)->second.metageneration += 1;
    (*place)->second.is_held = is_held;
    Check(**outcome, *place);
  }

  void Get() {
    const ObjectSelector selector = RandomSelector();
    const auto place = Select(selector);
    const Outcome<ObjectPtr> outcome = bucket_.GetObject(selector);
    ASSERT_EQ(outcome.has_value(), place.has_value());
    if (!outcome) {
      ASSERT_EQ(outcome.error().kind, place.error());
      return;
    }
    Check(**outcome, *place);
  }

  void Switch() {
    is_versioned_ = !is_versioned_;
    ASSERT_TRUE(SetVersioned(bucket_, is_versioned_));
  }

  // In pages of any size, which divide the generations of a name.
  void CheckListing(bool has_versions) {
    ListQuery query{.max_results = 1 + random_() % 4, .has_versions = has_versions};
    auto want = model_.begin();
    const auto skip = [&] {
      while (!has_versions && want != model_.end() && !want->second.is_live) ++want;
    };
    do {
      const ListPage page = bucket_.List(query);
      for (const ObjectPtr& object : page.objects) {
        skip();
        ASSERT_NE(want, model_.end());
        Check(*object, want++);
      }
      query.after = page.next;
    } while (query.after);
    skip();
    ASSERT_EQ(want, model_.end());
    std::uint64_t bytes = 0;
    for (const auto& [key, generation] : model_) bytes += generation.content.size();
    ASSERT_EQ(bucket_.usage().objects, model_.size());
    ASSERT_EQ(bucket_.usage().bytes, bytes);
  }

  static void Check(const Object& object, Model::const_iterator want) {
    ASSERT_EQ(object.name, want->first.first);
    ASSERT_EQ(object.generation, want->second.generation);
    ASSERT_EQ(object.metageneration, want->second.metageneration);
    ASSERT_EQ(ContentOf(object), want->second.content);
    ASSERT_EQ(IsNoncurrent(object), !want->second.is_live);
  }

  std::mt19937 random_;
  bool is_versioned_ = false;
  Bucket bucket_{{.name = "bucket"}, [] { return Time(std::chrono::seconds(1'800'000'000)); }};  // time is frozen
  Model model_;
};

TEST(Versions, MatchTheirModel) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Play play(seed);
  for (int step = 0; step < 20'000 && !::testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    play.Step();
  }
}

}  // namespace
}  // namespace gcsflux::emulator
