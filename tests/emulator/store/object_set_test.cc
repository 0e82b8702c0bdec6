// A bucket's objects in order, compared with a std::map.

#include "store/objects/object_set.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace gcsflux::emulator {
namespace {

ObjectPtr Named(std::string name, std::int64_t generation = 1) {
  auto object = std::make_shared<Object>();
  object->name = std::move(name);
  object->generation = generation;
  return object;
}

std::vector<ObjectPtr> All(const ObjectSet& set) {
  std::vector<ObjectPtr> all;
  for (auto place = set.begin(); place != set.end(); ++place) all.push_back(*place);
  return all;
}

TEST(ObjectSet, IsEmptyAtFirst) {
  const ObjectSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.begin(), set.end());
  EXPECT_EQ(set.Find("a"), set.end());
  EXPECT_EQ(set.LowerBound(""), set.end());
}

// Adds and removes at random, with a tendency to grow or to shrink, and compares the set with the map.
void CompareWithMap(std::uint32_t seed, int steps, std::uint32_t inserts_of_ten, std::uint32_t names) {
  SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << inserts_of_ten << " of ten are inserts");
  std::mt19937 random(seed);
  ObjectSet set;
  std::map<std::string, ObjectPtr> model;
  for (int step = 0; step < steps; ++step) {
    const std::string name = std::to_string(random() % names);
    const auto found = set.Find(name);
    ASSERT_EQ(found != set.end(), model.contains(name)) << name;
    if (random() % 10 >= inserts_of_ten) {
      if (found != set.end()) set.Erase(found);
      model.erase(name);
    } else {
      ObjectPtr object = Named(name, step);
      model[name] = object;
      found != set.end() ? set.Replace(found, std::move(object)) : set.Insert(std::move(object));
    }
    const auto bound = set.LowerBound(name);
    const auto want = model.lower_bound(name);
    ASSERT_EQ(bound == set.end(), want == model.end()) << name;
    ASSERT_TRUE(want == model.end() || *bound == want->second) << name;
  }
  EXPECT_EQ(set.size(), model.size());
  std::vector<ObjectPtr> want;
  want.reserve(model.size());
  for (const auto& [name, object] : model) want.push_back(object);
  EXPECT_EQ(All(set), want);
}

TEST(ObjectSet, BehavesLikeAMap) {
  const std::uint32_t seed = std::random_device()();
  CompareWithMap(seed, 20'000, 9, 100'000);
  CompareWithMap(seed, 20'000, 5, 3'000);
  CompareWithMap(seed, 20'000, 1, 100);
}

TEST(ObjectSet, AcceptsNamesInAnyOrder) {
  constexpr int kNames = 3000;  // several blocks
  for (const bool is_ascending : {true, false}) {
    ObjectSet set;
    for (int i = 0; i < kNames; ++i) set.Insert(Named(std::to_string(10'000 + (is_ascending ? i : kNames - 1 - i))));
    const std::vector<ObjectPtr> all = All(set);
    ASSERT_EQ(all.size(), kNames);
    for (int i = 0; i < kNames; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)]->name, std::to_string(10'000 + i));
    while (!set.empty()) set.Erase(set.begin());
    EXPECT_EQ(set.begin(), set.end());
  }
}

}  // namespace
}  // namespace gcsflux::emulator
