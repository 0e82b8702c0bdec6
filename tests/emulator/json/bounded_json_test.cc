#include "json/bounded_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "faults/plan/json_position.h"
#include "gcsflux/emulator/faults.h"
#include "settings/flat_json.h"
#include "support/repeated.h"

namespace gcsflux::emulator {
namespace {

using testing::Repeated;

std::string Nested(std::size_t depth) { return Repeated("[", depth) + Repeated("]", depth); }

// The error of `parse` for `text`, or "".
template <class Parse>
std::string RefusalOf(Parse&& parse, std::string_view text) {
  try {
    (void)parse(text);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(BoundedJson, LimitsNesting) {
  EXPECT_FALSE(ParseBoundedJson(Nested(100)).is_discarded());
  EXPECT_TRUE(ParseBoundedJson(Nested(101)).is_discarded());
  EXPECT_EQ(FindExcess(Repeated(R"({"a":[)", 60)), "it nests deeper than 100 levels");  // malformed as well
  EXPECT_FALSE(FindExcess(Repeated("[],", 1000)));
}

TEST(BoundedJson, LimitsTheNumberOfValues) {
  const JsonBounds five = {.values = 5};
  EXPECT_FALSE(FindExcess(R"({"a":1,"b":2,"c":[]})", five));
  EXPECT_FALSE(FindExcess("[1,2,3]", five));
  EXPECT_EQ(FindExcess("[1,2,3,4,5]", five), "it has more than 5 values");
  EXPECT_EQ(FindExcess("[[],[],[],[]]", five), "it has more than 5 values");
  EXPECT_FALSE(FindExcess("[1,2,3,4,5]", kOnlyDepth));
}

TEST(BoundedJson, IgnoresStructureInStrings) {
  const std::string brackets = R"(["\"[[[,,,{\\", "a\\\\"])";
  EXPECT_FALSE(FindExcess(brackets, {.depth = 1, .values = 4}));
  for (const char* broken : {"\"", "\"\\", "[\"\\", "\"a\\\""}) EXPECT_FALSE(FindExcess(broken)) << broken;
}

TEST(BoundedJson, RefusesAZeroByte) {
  using namespace std::string_literals;
  EXPECT_EQ(FindExcess("{}\0"s), "it holds a zero byte");
  EXPECT_TRUE(ParseBoundedJson("{\"a\": 1}\0 \""s).is_discarded());
  EXPECT_EQ(RefusalOf(ParseFlatJson, "{\"a\": 1}\0 \""s), "line 1: it holds a zero byte");
  EXPECT_EQ(RefusalOf(ParseFaultPlan, "{\"seed\": 1}\0 \""s), "fault plan: it holds a zero byte");
}

TEST(BoundedJson, FindsATooLargeNumber) {
  EXPECT_EQ(FindHugeNumber(R"({"1e9999": 1e-9999, "b": -1e9999})"), 25U);
  EXPECT_EQ(FindHugeNumber("[1,2e3]"), 7U);
}

TEST(BoundedJson, FaultPlanNamesThePlaceOfATooLargeNumber) {
  const std::string plan = "{\"seed\": 1, \"rules\": [{\"name\": \"a\"},\n {\"match\": {\"probability\": 1e9999}} ";
  EXPECT_EQ(RefusalOf(ParseFaultPlan, plan),
            "fault plan: line 2, column 28: rules[1].match.probability is a number that is too large");
  EXPECT_EQ(RefusalOf(ParseFaultPlan, "-1e400"),
            "fault plan: line 1, column 1: the document is a number that is too large");
  EXPECT_EQ(RefusalOf(ParseFaultPlan, Nested(101)), "fault plan: it nests deeper than 100 levels");
}

TEST(BoundedJson, SettingsNameThePlaceOfATooLargeNumber) {
  EXPECT_EQ(RefusalOf(ParseFlatJson, "{\"a\": \"x\",\n \"b\":\n 1e9999, \"c"),
            "line 2: b: is a number that is too large");
  EXPECT_EQ(RefusalOf(ParseFlatJson, "[1e9999]"), "line 1: must be a JSON object");
  EXPECT_EQ(RefusalOf(ParseFlatJson, Nested(101)), "line 1: it nests deeper than 100 levels");
  EXPECT_EQ(RefusalOf(ParseFlatJson, "{" + Repeated(R"("a":1,)", 1000)), "line 1: it has more than 1000 values");
}

TEST(JsonPosition, PathLeadsToTheValue) {
  const std::string json = R"( {"a" : [ {"b":"c", "d\"" : [1, [2, 3], 4 ]}, "e" ], "f": 5 })";
  const auto path_to = [&](std::string_view value) { return PathTo(json, json.find(value)); };
  using std::string;
  EXPECT_EQ(path_to("4"), (JsonPath{string("a"), std::size_t{0}, string(R"(d\")"), std::size_t{2}}));
  EXPECT_EQ(path_to("3"), (JsonPath{string("a"), std::size_t{0}, string(R"(d\")"), std::size_t{1}, std::size_t{1}}));
  EXPECT_EQ(path_to("5"), JsonPath{string("f")});
  EXPECT_EQ(path_to("{"), JsonPath{});
}

}  // namespace
}  // namespace gcsflux::emulator
