#include "store/listing/listing.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

namespace gcsflux::emulator {
namespace {

ObjectSet Objects(const std::vector<std::string>& names) {
  ObjectSet objects;
  for (const std::string& name : names) {
    auto object = std::make_shared<Object>();
    object->name = name;
    objects.Insert(std::move(object));
  }
  return objects;
}

// The content of a page, in order: names as they are, prefixes marked.
std::vector<std::string> Shown(const ListPage& page) {
  std::vector<std::string> shown;
  for (const ObjectPtr& object : page.objects) shown.push_back(object->name);
  for (const std::string& prefix : page.prefixes) shown.push_back("prefix " + prefix);
  return shown;
}

struct Case {
  const char* name;
  ListQuery query;
  std::vector<std::string> want;
};

TEST(ListObjects, FollowsItsQuery) {
  const ObjectSet objects = Objects({"a", "a/1", "a/2", "a/b/3", "b", "b/", "b//x", "c", "\xC3\xA9"});
  const std::vector<Case> cases = {
      {"all", {}, {"a", "a/1", "a/2", "a/b/3", "b", "b/", "b//x", "c", "\xC3\xA9"}},
      {"delimiter", {.delimiter = "/"}, {"a", "b", "c", "\xC3\xA9", "prefix a/", "prefix b/"}},
      {"prefix", {.prefix = "a"}, {"a", "a/1", "a/2", "a/b/3"}},
      {"prefix and delimiter", {.prefix = "a/", .delimiter = "/"}, {"a/1", "a/2", "prefix a/b/"}},
      {"a name that is the prefix", {.prefix = "b/", .delimiter = "/"}, {"b/", "prefix b//"}},
      {"long delimiter", {.delimiter = "//"}, {"a", "a/1", "a/2", "a/b/3", "b", "b/", "c", "\xC3\xA9", "prefix b//"}},
      {"start inclusive", {.start_offset = "b/"}, {"b/", "b//x", "c", "\xC3\xA9"}},
      {"end exclusive", {.end_offset = "a/2"}, {"a", "a/1"}},
      {"start inside a prefix",
       {.delimiter = "/", .start_offset = "a/2"},
       {"b", "c", "\xC3\xA9", "prefix a/", "prefix b/"}},
      {"end inside a prefix", {.delimiter = "/", .end_offset = "a/2"}, {"a", "prefix a/"}},
      {"start before prefix", {.prefix = "b", .start_offset = "a"}, {"b", "b/", "b//x"}},
      {"start behind prefix", {.prefix = "a", .start_offset = "b"}, {}},
      {"start at end", {.start_offset = "b", .end_offset = "b"}, {}},
      {"no such prefix", {.prefix = "zz"}, {}},
  };
  for (const Case& c : cases) {
    const ListPage page = ListObjects(objects, c.query);
    EXPECT_EQ(Shown(page), c.want) << c.name;
    EXPECT_FALSE(page.next) << c.name;
  }
}

TEST(ListObjects, GivesNoTokenForAnEmptyNextPage) {
  const ObjectSet objects = Objects({"a", "b/1", "b/2"});
  const ListPage page = ListObjects(objects, {.delimiter = "/", .max_results = 2});
  EXPECT_EQ(Shown(page), (std::vector<std::string>{"a", "prefix b/"}));
  EXPECT_FALSE(page.next);
}

TEST(ListObjects, ContinuesWithTheFirstNameAfterAPrefix) {
  const ListPage page = ListObjects(Objects({"a/1", "a0"}), {.delimiter = "/"});
  EXPECT_EQ(Shown(page), (std::vector<std::string>{"a0", "prefix a/"}));
}

TEST(ListObjects, CountsPrefixesAsResults) {
  const ObjectSet objects = Objects({"a/1", "a/2", "b", "c/1"});
  const ListPage page = ListObjects(objects, {.delimiter = "/", .max_results = 2});
  EXPECT_EQ(Shown(page), (std::vector<std::string>{"b", "prefix a/"}));
  EXPECT_EQ(page.next, (ListPosition{false, "b"}));
}

// The same by checking every name.
std::vector<std::string> ReferenceListing(const std::vector<std::string>& sorted_names, const ListQuery& query) {
  std::vector<std::string> shown;
  for (const std::string& name : sorted_names) {
    if (!name.starts_with(query.prefix) || name < query.start_offset) continue;
    if (!query.end_offset.empty() && name >= query.end_offset) continue;
    const std::size_t found =
        query.delimiter.empty() ? std::string::npos : name.find(query.delimiter, query.prefix.size());
    const std::string item =
        found == std::string::npos ? name : "prefix " + name.substr(0, found + query.delimiter.size());
    if (shown.empty() || shown.back() != item) shown.push_back(item);
  }
  return shown;
}

std::string RandomName(std::mt19937& random, std::size_t max_size) {
  std::string name;
  for (std::size_t i = random() % (max_size + 1); i != 0; --i) name += "ab/0"[random() % 4];  // '0' follows '/'

  return name;
}

TEST(ListObjects, MatchesAReferencePageByPage) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> names;
    for (std::size_t i = random() % 60; i != 0; --i) names.push_back("n" + RandomName(random, 6));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    const ObjectSet objects = Objects(names);
    ListQuery query{.prefix = random() % 2 == 0 ? "" : "n" + RandomName(random, 2),
                    .delimiter = random() % 2 == 0 ? "" : "/",
                    .start_offset = random() % 2 == 0 ? "" : "n" + RandomName(random, 3),
                    .end_offset = random() % 2 == 0 ? "" : "n" + RandomName(random, 3),
                    .max_results = 1 + random() % 5};
    std::vector<std::string> shown;
    do {
      const ListPage page = ListObjects(objects, query);
      ASSERT_LE(page.objects.size() + page.prefixes.size(), query.max_results);
      ASSERT_TRUE(!page.next || page.objects.size() + page.prefixes.size() == query.max_results);
      for (const std::string& item : Shown(page)) shown.push_back(item);
      query.after = page.next;
    } while (query.after);
    std::vector<std::string> want = ReferenceListing(names, query);
    std::sort(shown.begin(), shown.end());  // a page has separate lists of names and prefixes
    std::sort(want.begin(), want.end());
    ASSERT_EQ(shown, want) << "round " << round;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
