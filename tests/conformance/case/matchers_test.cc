#include "case/matchers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gcsflux::conformance {
namespace {

struct MatchCase {
  const char* name;
  const char* wanted;
  const char* got;  ///< JSON, or null for no value.
  bool matches;
};

const MatchCase kMatchCases[] = {
    {"equal strings", R"("a")", R"("a")", true},
    {"other strings", R"("a")", R"("b")", false},
    {"a number is not its string", "9", R"("9")", false},
    {"nothing there", R"("a")", nullptr, false},
    {"null is a value", "null", "null", true},
    {"null is not absence", "null", nullptr, false},
    {"an object matches as a subset", R"({"a": 1})", R"({"a": 1, "b": 2})", true},
    {"a missing key", R"({"a": 1, "b": 2})", R"({"a": 1})", false},
    {"an object is not a list", R"({})", "[]", false},
    {"a list in order", R"([{"a": 1}, {}])", R"([{"a": 1, "b": 2}, {"c": 3}])", true},
    {"a list in another order", "[1, 2]", "[2, 1]", false},
    {"a list that is longer", "[1, 2]", "[1, 2, 3]", false},
    {"a list that is shorter", "[1, 2]", "[1]", false},
    {"absent", R"({"a": {"$absent": true}})", R"({"b": 1})", true},
    {"absent, but there", R"({"a": {"$absent": true}})", R"({"a": null})", false},
    {"present", R"({"a": {"$present": true}})", R"({"a": null})", true},
    {"present, but not there", R"({"a": {"$present": true}})", R"({"b": 1})", false},
    {"int64", R"({"$int64": true})", R"("1600000000000000")", true},
    {"int64 as a JSON number", R"({"$int64": true})", "16", false},
    {"int64 with other characters", R"({"$int64": true})", R"("-1x")", false},
    {"int64 of 20 digits", R"({"$int64": true})", R"("18446744073709551615")", false},
    {"a whole regex", R"({"$regex": "a+b"})", R"("aab")", true},
    {"a regex of a part", R"({"$regex": "a+"})", R"("aab")", false},
    {"contains", R"({"$contains": "b"})", R"("abc")", true},
    {"does not contain", R"({"$contains": "x"})", R"("abc")", false},
    {"starts with", R"({"$starts_with": "ab"})", R"("abc")", true},
    {"starts otherwise", R"({"$starts_with": "bc"})", R"("abc")", false},
    {"greater, as a number", R"({"$greater_than": "9"})", R"("10")", true},
    {"equal is not greater", R"({"$greater_than": "10"})", R"("10")", false},
    {"empty, not there", R"({"a": {"$empty": true}})", "{}", true},
    {"an empty list is empty", R"({"$empty": true})", "[]", true},
    {"a list of one is not empty", R"({"$empty": true})", "[1]", false},
    {"one of several", R"({"$one_of": ["a", {"$size": 2}]})", "[1, 2]", true},
    {"none of several", R"({"$one_of": ["a", {"$size": 2}]})", "[1]", false},
    {"not", R"({"$not": "a"})", R"("b")", true},
    {"not, but it is", R"({"$not": "a"})", R"("a")", false},
    {"not is about a value", R"({"$not": "a"})", nullptr, false},
    {"size of a list", R"({"$size": 2})", "[1, 2]", true},
    {"size of a text in bytes", R"({"$size": 3})", R"("日")", true},
    {"another size", R"({"$size": 2})", "[1]", false},
    {"size of nothing", R"({"$size": 0})", nullptr, false},
};

TEST(Matchers, DecideEachCase) {
  for (const auto& each : kMatchCases) {
    const Json got = each.got != nullptr ? Json::parse(each.got) : Json();
    const auto difference = FindDifference(Json::parse(each.wanted), each.got != nullptr ? &got : nullptr);
    EXPECT_EQ(!difference.has_value(), each.matches) << each.name << ": " << difference.value_or("matches");
  }
}

TEST(Matchers, ReportPlaceAndValuesOfADifference) {
  const Json wanted = Json::parse(R"({"items": [{"name": "a"}, {"name": "b"}]})");
  const Json got = Json::parse(R"({"items": [{"name": "a"}, {"name": "c"}]})");
  EXPECT_EQ(FindDifference(wanted, &got), R"(/items/1/name: wanted "b", got "c")");
  EXPECT_EQ(FindDifference(wanted, nullptr), "wanted " + wanted.dump() + ", got nothing");
}

TEST(Matchers, TruncateQuotedValues) {
  const Json got = std::string(10'000, 'x');
  const auto difference = FindDifference("y", &got);
  ASSERT_TRUE(difference);
  EXPECT_LT(difference->size(), 400U);
  EXPECT_THAT(*difference, ::testing::HasSubstr("(10000 bytes)"));
}

TEST(FindMalformedMatcher, RefusesImpossibleMatchers) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({"$wildcard": true})", "there is no matcher $wildcard"},
      {R"([{"a": {"$absent": false}}])", "$absent takes true"},
      {R"({"$regex": "("})", "$regex takes a regular expression"},
      {R"({"$one_of": []})", "$one_of takes a list"},
      {R"({"$size": -1})", "$size takes a number"},
      {R"({"$not": {"$wildcard": 1}})", "there is no matcher $wildcard"},
      {R"({"$present": true, "name": "a"})", "an object of one key"},
  };
  for (const auto& [wanted, problem] : cases) {
    EXPECT_THAT(FindMalformedMatcher(Json::parse(wanted)).value_or("well formed"), ::testing::HasSubstr(problem));
  }
  EXPECT_FALSE(FindMalformedMatcher(Json::parse(R"({"a": [1, {"$not": {"b": {"$int64": true}}}]})")));
}

}  // namespace
}  // namespace gcsflux::conformance
