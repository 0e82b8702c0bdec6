// A bucket against a model of it that is too simple to be wrong.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "store/buckets/bucket.h"
#include "store/bytes/crc32c.h"

namespace gcsflux::emulator {
namespace {

struct ModelObject {
  std::int64_t generation = 0;
  std::int64_t metageneration = 0;
  int component_count = 0;
  std::string content = {};
  std::string content_type = {};
};

using Model = std::map<std::string, ModelObject>;

enum class Verdict { kOk, kNotFound, kPreconditionFailed, kNotModified };

Verdict ToVerdict(const Failure& failure) {
  switch (failure.kind) {
    case FailureKind::kNotFound: return Verdict::kNotFound;
    case FailureKind::kPreconditionFailed: return Verdict::kPreconditionFailed;
    default: return Verdict::kNotModified;
  }
}

template <class T>
Verdict VerdictOf(const Outcome<T>& outcome) {
  return outcome ? Verdict::kOk : ToVerdict(outcome.error());
}

Verdict Judge(const Preconditions& p, std::int64_t generation, std::int64_t metageneration) {
  if (p.if_generation_match.value_or(generation) != generation) return Verdict::kPreconditionFailed;
  if (p.if_metageneration_match.value_or(metageneration) != metageneration) return Verdict::kPreconditionFailed;
  if (p.if_generation_not_match == generation) return Verdict::kNotModified;
  if (p.if_metageneration_not_match == metageneration) return Verdict::kNotModified;
  return Verdict::kOk;
}

class Play {
 public:
  explicit Play(unsigned seed) : random_(seed) {}

  void Step() {
    switch (random_() % 6) {
      case 0:
      case 1: return Insert();
      case 2: return Get();
      case 3: return Delete();
      case 4: return Patch();
      default: return Compose();
    }
  }

  void CheckEverything() {
    const ListPage page = bucket_.List({.max_results = 1000});
    ASSERT_EQ(page.objects.size(), model_.size());
    auto want = model_.begin();
    for (const ObjectPtr& object : page.objects) Check(*object, *want++);
  }

 private:
  static void Check(const Object& object, const Model::value_type& want) {
    ASSERT_EQ(object.name, want.first);
    ASSERT_EQ(object.generation, want.second.generation);
    ASSERT_EQ(object.metageneration, want.second.metageneration);
    ASSERT_EQ(object.component_count, want.second.component_count);
    ASSERT_EQ(object.attributes->content_type, want.second.content_type);
    ASSERT_EQ(object.body->bytes().ToString(), want.second.content);
    ASSERT_EQ(object.body->crc32c(), ExtendCrc32c(0, std::as_bytes(std::span(want.second.content))));
  }

  std::string RandomName() { return std::string(1, static_cast<char>('a' + random_() % 5)); }

  // Mostly existing ones, sometimes missing ones.
  std::optional<std::int64_t> RandomCondition(std::int64_t actual) {
    if (random_() % 4 != 0) return std::nullopt;
    return random_() % 3 == 0 ? static_cast<std::int64_t>(random_() % 3) : actual;
  }

  Preconditions RandomPreconditions(const std::string& name) {
    const auto found = model_.find(name);
    const ModelObject actual = found != model_.end() ? found->second : ModelObject();
    return {RandomCondition(actual.generation), RandomCondition(actual.generation + 1),
            RandomCondition(actual.metageneration), RandomCondition(actual.metageneration + 1)};
  }

  ObjectSelector RandomSelector() {
    ObjectSelector selector{.name = RandomName()};
    selector.preconditions = RandomPreconditions(selector.name);
    const auto found = model_.find(selector.name);
    selector.generation = RandomCondition(found != model_.end() ? found->second.generation : 1);
    return selector;
  }

  // The result of selecting an object that must exist.
  Verdict JudgeSelection(const ObjectSelector& selector) {
    const auto found = model_.find(selector.name);
    if (found == model_.end()) return Verdict::kNotFound;
    if (selector.generation.value_or(found->second.generation) != found->second.generation) return Verdict::kNotFound;
    return Judge(selector.preconditions, found->second.generation, found->second.metageneration);
  }

  Verdict JudgeWrite(const std::string& name, const Preconditions& preconditions) {
    const auto found = model_.find(name);
    if (found == model_.end()) return Judge(preconditions, 0, 0);
    return Judge(preconditions, found->second.generation, found->second.metageneration);
  }

  void Stored(const Object& object, const std::string& content) {
    ASSERT_GT(object.generation, newest_generation_);
    newest_generation_ = object.generation;
    model_[object.name] = {object.generation, 1, object.component_count, content, object.attributes->content_type};
    Check(object, *model_.find(object.name));
  }

  void Insert() {
    const std::string name = RandomName();
    const std::string content(random_() % 2000, static_cast<char>('A' + random_() % 26));
    const Preconditions preconditions = RandomPreconditions(name);
    const Verdict want = JudgeWrite(name, preconditions);
    NewObject object{.name = name, .body = std::make_shared<const Body>(Rope(content))};
    object.attributes.content_type = "type/" + std::to_string(random_() % 3);
    const auto outcome = bucket_.InsertObject(std::move(object), preconditions);
    ASSERT_EQ(VerdictOf(outcome), want);
    if (outcome) Stored(**outcome, content);
  }

  void Get() {
    const ObjectSelector selector = RandomSelector();
    const auto outcome = bucket_.GetObject(selector);
    ASSERT_EQ(VerdictOf(outcome), JudgeSelection(selector));
    if (outcome) Check(**outcome, *model_.find(selector.name));
  }

  void Delete() {
    const ObjectSelector selector = RandomSelector();
    const Verdict want = JudgeSelection(selector);
    ASSERT_EQ(VerdictOf(bucket_.DeleteObject(selector)), want);
    if (want == Verdict::kOk) model_.erase(selector.name);
  }

  void Patch() {
    const ObjectSelector selector = RandomSelector();
    const Verdict want = JudgeSelection(selector);
    const auto outcome = bucket_.PatchObject(selector, [](ObjectAttributes& a) { a.content_type = "type/patched"; });
    ASSERT_EQ(VerdictOf(outcome), want);
    if (want != Verdict::kOk) return;
    ModelObject& object = model_[selector.name];
    object.content_type = "type/patched";
    object.metageneration += 1;
    Check(**outcome, *model_.find(selector.name));
  }

  void Compose() {
    ComposeRequest request{.destination = {.name = RandomName()}, .delete_sources = random_() % 4 == 0};
    request.preconditions = RandomPreconditions(request.destination.name);
    std::string content;
    Verdict want = Verdict::kOk;
    for (std::size_t i = 1 + random_() % 3; i != 0; --i) {
      request.sources.push_back(RandomSelector());
      if (want == Verdict::kOk) want = JudgeSelection(request.sources.back());
      if (want == Verdict::kOk) content += model_[request.sources.back().name].content;
    }
    if (content.size() > 100'000) return;
    if (want == Verdict::kOk) want = JudgeWrite(request.destination.name, request.preconditions);
    const auto outcome = bucket_.ComposeObject(request);
    ASSERT_EQ(VerdictOf(outcome), want);
    if (!outcome) return;
    Stored(**outcome, content);
    if (!request.delete_sources) return;
    for (const ObjectSelector& source : request.sources) {
      if (source.name != request.destination.name) model_.erase(source.name);
    }
  }

  std::mt19937 random_;
  Bucket bucket_{{.name = "bucket"}, [] { return Time(std::chrono::seconds(1'800'000'000)); }};  // time is frozen
  Model model_;
  std::int64_t newest_generation_ = 0;
};

TEST(Bucket, MatchesItsModel) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Play play(seed);
  for (int step = 0; step < 5000 && !::testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    play.Step();
    if (step % 50 == 0) play.CheckEverything();
  }
}

}  // namespace
}  // namespace gcsflux::emulator
