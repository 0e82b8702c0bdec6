#include "case/placeholders.h"

#include <gtest/gtest.h>

namespace gcsflux::conformance {
namespace {

const Variables kVariables = {{"bucket", "b-1"}, {"name", "a/b ?%+é\xff"}, {"empty", ""}, {"nested", "{bucket}"}};

struct SubstituteCase {
  const char* name;
  const char* text;
  const char* want;
};

const SubstituteCase kSubstituteCases[] = {
    {"no placeholder", "plain", "plain"},
    {"at either end", "{bucket}/o/{bucket}", "b-1/o/b-1"},
    {"encoded, all but unreserved", "{name|encoded}", "a%2Fb%20%3F%25%2B%C3%A9%FF"},
    {"empty value", "a{empty}b{empty|encoded}", "ab"},
    {"a value is not filled in again", "{nested}", "{bucket}"},
    {"JSON is plain text", R"({"a": {"b": 1}})", R"({"a": {"b": 1}})"},
    {"a placeholder right after a brace", "{{bucket}}", "{b-1}"},
    {"regular expressions are plain text", "a{2,3}[{}]", "a{2,3}[{}]"},
    {"no closing brace", "{bucket", "{bucket"},
    {"undefined stays", "{missing}{bucket}", "{missing}b-1"},
    {"capital letters are no variable", "{Bucket}", "{Bucket}"},
};

TEST(Substitute, FillsInOnlyVariables) {
  for (const auto& each : kSubstituteCases) EXPECT_EQ(Substitute(each.text, kVariables), each.want) << each.name;
}

TEST(SubstituteInside, ReplacesInEveryStringButNoKey) {
  const Json value = {{"{bucket}", Json::array({"{bucket}", 1, nullptr, {{"$regex", "{bucket}.*"}}})}};
  const Json want = {{"{bucket}", Json::array({"b-1", 1, nullptr, {{"$regex", "b-1.*"}}})}};
  EXPECT_EQ(SubstituteInside(value, kVariables), want);
}

TEST(UndefinedVariable, NamesTheFirstOne) {
  EXPECT_EQ(UndefinedVariable("{bucket}/{one|encoded}/{two}", {"bucket"}), "one");
  EXPECT_EQ(UndefinedVariable("{bucket}/{}/{1}", {"bucket"}), "");
}

TEST(UndefinedVariable, SearchesInsideJson) {
  const Json value = {{"items", Json::array({{{"name", "{one}"}}})}};
  EXPECT_EQ(UndefinedVariableInside(value, {"bucket"}), "one");
  EXPECT_EQ(UndefinedVariableInside(value, {"one"}), "");
}

}  // namespace
}  // namespace gcsflux::conformance
