// Listings by globs and with trailing delimiters, page by page.

#include "store/listing/glob_listing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "store/listing/listing.h"
#include "virtual/virtual_objects.h"

namespace gcsflux::emulator {
namespace {

ObjectPtr Named(const std::string& name, std::int64_t generation = 1) {
  auto object = std::make_shared<Object>();
  object->name = name;
  object->generation = generation;
  return object;
}

ObjectSet Objects(const std::vector<std::string>& names) {
  ObjectSet objects;
  for (const std::string& name : names) objects.Insert(Named(name));
  return objects;
}

ListPage List(const ObjectSet& objects, const ListQuery& query, const ObjectSource* computed = nullptr,
              const GenerationSet* noncurrent = nullptr) {
  const auto list = [&](const ListQuery& part) { return ListObjects(objects, part, computed, noncurrent); };
  return query.glob ? ListMatching(query, list) : list(query);
}

// The content of all pages of so many places each, in order. Prefixes are marked; bars separate pages.
std::string Shown(const ObjectSet& objects, ListQuery query, std::size_t max_results,
                  const GenerationSet* noncurrent = nullptr) {
  std::string shown;
  query.max_results = max_results;
  do {
    const ListPage page = List(objects, query, nullptr, noncurrent);
    EXPECT_LE(page.objects.size(), max_results);
    for (const ObjectPtr& object : page.objects) shown += object->name + " ";
    for (const std::string& prefix : page.prefixes) shown += "[" + prefix + "] ";
    query.after = page.next;
    if (query.after) shown += "| ";
  } while (query.after);
  return shown;
}

ListQuery ByGlob(const std::string& pattern, ListQuery query = {}) {
  query.glob = Glob::Parse(pattern).value();
  return query;
}

TEST(GlobListing, ListsMatchesWithoutAnEmptyLastPage) {
  const ObjectSet objects = Objects({"a.txt", "b.csv", "c.txt", "d/e.txt", "f.csv"});
  EXPECT_EQ(Shown(objects, ByGlob("**.txt"), 10), "a.txt c.txt d/e.txt ");
  EXPECT_EQ(Shown(objects, ByGlob("**.txt"), 1), "a.txt | c.txt | d/e.txt ");
  EXPECT_EQ(Shown(objects, ByGlob("*.txt"), 2), "a.txt c.txt ");
  EXPECT_EQ(Shown(objects, ByGlob("none*"), 2), "");
}

TEST(GlobListing, MatchesPrefixes) {
  const ObjectSet objects = Objects({"a/1", "a/2", "ab", "b/1", "b/2", "ba"});
  EXPECT_EQ(Shown(objects, ByGlob("a**", {.delimiter = "/"}), 10), "ab [a/] ");
  EXPECT_EQ(Shown(objects, ByGlob("a*", {.delimiter = "/"}), 10), "ab ");
  EXPECT_EQ(Shown(objects, ByGlob("*{a,/}", {.delimiter = "/"}), 1), "[a/] | [b/] | ba ");
}

TEST(GlobListing, CombinesWithOtherBounds) {
  const ObjectSet objects = Objects({"a1", "b1", "b2", "b3", "c1"});
  EXPECT_EQ(Shown(objects, ByGlob("b?", {.start_offset = "a"}), 10), "b1 b2 b3 ");
  EXPECT_EQ(Shown(objects, ByGlob("b?", {.start_offset = "b2"}), 10), "b2 b3 ");
  EXPECT_EQ(Shown(objects, ByGlob("b?", {.start_offset = "c"}), 10), "");
  EXPECT_EQ(Shown(objects, ByGlob("b?", {.end_offset = "b3"}), 10), "b1 b2 ");
  EXPECT_EQ(Shown(objects, ByGlob("b?", {.prefix = "b3"}), 10), "b3 ");
  EXPECT_EQ(Shown(objects, ByGlob("b?", {.prefix = "c"}), 10), "");
}

TEST(GlobListing, EndsAPageWithoutMatchesEarly) {
  const VirtualObjects computed({.name = "big", .count = 150'000});
  ListQuery query = ByGlob("*z");  // their names are hexadecimal
  const ListPage first = List({}, query, &computed);
  EXPECT_TRUE(first.objects.empty());
  ASSERT_TRUE(first.next);
  EXPECT_FALSE(first.next->is_prefix);
  query.after = first.next;
  const ListPage second = List({}, query, &computed);
  EXPECT_TRUE(second.objects.empty());
  EXPECT_FALSE(second.next);
}

TEST(GlobListing, EndsALongPageEarly) {
  std::vector<std::string> names;
  for (int i = 100; i < 300; ++i) names.push_back(std::string(1000, 'a') + std::to_string(i));
  names.push_back(std::string(1000, 'a') + "b");
  std::string pattern;
  for (int i = 0; i < 340; ++i) pattern += "**a";
  const ObjectSet objects = Objects(names);
  const std::string shown = Shown(objects, ByGlob(pattern + "b"), 10);
  EXPECT_EQ(shown.substr(shown.rfind('|') + 2), names.back() + " ");
  EXPECT_GE(std::count(shown.begin(), shown.end(), '|'), 2);
}

TEST(GlobListing, ContinuesAtAnyPosition) {
  GenerationSet noncurrent;
  for (const std::int64_t generation : {1, 2}) noncurrent.insert(Named("a/x", generation));
  const ObjectSet objects = Objects({"a/", "a/y", "b/", "b/1", "c", "d/e"});
  const ListQuery folded{.delimiter = "/", .has_versions = true, .includes_trailing_delimiter = true};
  EXPECT_EQ(Shown(objects, ByGlob("[!c]*", folded), 10, &noncurrent), "");
  EXPECT_EQ(Shown(objects, ByGlob("[!b]**", folded), 1, &noncurrent), "a/ [a/] | c | [d/] ");
  EXPECT_EQ(Shown(objects, ByGlob("{a/x,c,d/e}", {.has_versions = true}), 1, &noncurrent), "a/x | a/x | c | d/e ");
}

TEST(TrailingDelimiter, ListsTheObjectBesideItsPrefix) {
  const ObjectSet objects = Objects({"a/", "a/1", "a/2", "b", "c/1", "d/", "e//"});
  const ListQuery query{.delimiter = "/", .includes_trailing_delimiter = true};
  EXPECT_EQ(Shown(objects, query, 10), "a/ b d/ [a/] [c/] [d/] [e/] ");
  EXPECT_EQ(Shown(objects, query, 1), "a/ [a/] | b | [c/] | d/ [d/] | [e/] ");
  EXPECT_EQ(Shown(objects, query, 2), "a/ b [a/] | d/ [c/] [d/] | [e/] ");
}

TEST(TrailingDelimiter, ListsEveryGenerationOfTheObject) {
  ObjectSet live = Objects({"a/1", "b"});
  live.Insert(Named("a/", 3));
  GenerationSet noncurrent;
  for (const std::int64_t generation : {1, 2}) noncurrent.insert(Named("a/", generation));
  const ListQuery query{.delimiter = "/", .has_versions = true, .includes_trailing_delimiter = true};
  EXPECT_EQ(Shown(live, query, 10, &noncurrent), "a/ a/ a/ b [a/] ");
  EXPECT_EQ(Shown(live, query, 1, &noncurrent), "a/ [a/] | a/ | a/ | b ");
  EXPECT_EQ(Shown(live, query, 2, &noncurrent), "a/ a/ [a/] | a/ b ");
}

}  // namespace
}  // namespace gcsflux::emulator
