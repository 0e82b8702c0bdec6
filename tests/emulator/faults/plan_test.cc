// Plans as text: which are read, which are refused, and where.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "faults/plan/json_position.h"
#include "faults/plan/render_plan.h"
#include "faults/plan/seconds_text.h"
#include "faults/tools/plan_fields.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string WhyRefused(const std::string& json) {
  try {
    ParseFaultPlan(json);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(FaultPlan, ReadsEveryField) {
  const FaultPlan plan = ParseFaultPlan(R"({"seed": 18446744073709551615, "rules": [
    {"name": "one",
     "match": {"operation": "storage.objects.insert", "phase": "chunk", "method": "PUT", "bucket": "b",
               "objectPrefix": "p", "objectGlob": "**.jpg", "attempt": 2, "coversByte": 3, "nth": 4, "every": 5,
               "probability": 0.5},
     "action": {"type": "failUpload", "status": 503, "body": "x", "contentType": "text/plain", "retryAfter": "7s",
                "afterBytes": 8},
     "limits": {"count": 9, "notBefore": "0.5s", "notAfter": "1.5s"}},
    {"action": {"type": "stall", "duration": "30s"}}]})");
  EXPECT_EQ(
      plan,
      (FaultPlan{.seed = UINT64_MAX,
                 .rules = {{.name = "one",
                            .match = {.operation = "storage.objects.insert",
                                      .phase = "chunk",
                                      .method = "PUT",
                                      .bucket = "b",
                                      .object_prefix = "p",
                                      .object_glob = "**.jpg",
                                      .attempt = 2,
                                      .covers_byte = 3,
                                      .nth = 4,
                                      .every = 5,
                                      .probability = 0.5},
                            .action = {.type = "failUpload",
                                       .status = 503,
                                       .body = "x",
                                       .content_type = "text/plain",
                                       .retry_after = seconds(7),
                                       .after_bytes = 8},
                            .limits = {.count = 9, .not_before = milliseconds(500), .not_after = milliseconds(1500)}},
                           {.name = "rule 2", .action = {.type = "stall", .duration = seconds(30)}}}}));
}

// One of each type, with all of its fields.
TEST(FaultPlan, RoundTrips) {
  const FaultPlan plan{
      .seed = 7,
      .rules = {
          {.name = "a", .action = {.type = "status", .status = 429, .body = "\"\n", .retry_after = seconds(1)}},
          {.name = "b",
           .match = {.probability = 0.1},
           .action = {.type = "corrupt", .at_byte = 0, .matching_hashes = true}},
          {.name = "c", .action = {.type = "falseLength", .length_delta = -5}},
          {.name = "d", .action = {.type = "trickle", .bytes_per_second = 1}},
          {.name = "e", .action = {.type = "shortPersist", .keep_bytes = 0}},
          {.name = "f", .action = {.type = "cut", .after_bytes = UINT64_MAX, .resets = false}, .limits = {.count = 1}},
          {.name = "g", .action = {.type = "stall", .duration = nanoseconds(1)}}}};
  EXPECT_EQ(ParseFaultPlan(RenderPlan(plan, {{.rule = "a", .matched = 1, .fired = 1}})), plan);
}

TEST(FaultPlan, ReadsAScheduleToReplay) {
  const std::vector<FiredFault> schedule = {
      {.key = {.operation = "storage.objects.get", .bucket = "b", .object = "o", .range_start = 0, .arrival = 2},
       .rule = "r",
       .action = {.type = "reset"}},
      {.key = {.operation = "storage.objects.insert",
               .phase = "chunk",
               .bucket = "b",
               .object = "\xF0\x9F\x90\x88",
               .arrival = 1},
       .rule = "s",
       .action = {.type = "status", .status = 503}}};
  EXPECT_EQ(ParseFaultPlan(RenderSchedule(schedule)).replay, schedule);
  EXPECT_EQ(ParseFaultPlan(RenderPlan({.replay = schedule}, {})).replay, schedule);
}

TEST(FaultPlan, IsRefusedWithRuleAndField) {
  struct Case {
    const char* rule;
    const char* why;
  };
  const Case cases[] = {
      {R"({})", "action.type '' is not one of"},
      {R"({"action": {"type": "explode"}})", "action.type 'explode' is not one of corrupt, corruptUpload, cut"},
      {R"({"action": {"type": "status"}})", "action.status is needed by status"},
      {R"({"action": {"type": "status", "status": 199}})", "action.status must be 200 to 599"},
      {R"({"action": {"type": "status", "status": 600}})", "action.status must be 200 to 599"},
      {R"({"action": {"type": "status", "status": -1}})", "action.status must be a whole number, and not negative"},
      {R"({"action": {"type": "status", "status": 503.5}})", "action.status must be a whole number"},
      {R"({"action": {"type": "status", "status": "503"}})", "action.status must be a whole number"},
      {R"({"action": {"type": "status", "status": 503, "afterBytes": 1}})", "action.afterBytes is not for status"},
      {R"({"action": {"type": "status", "status": 503, "text": "x"}})", "action.text is not a known field"},
      {R"({"action": {"type": "status", "status": 204, "body": "x"}})", "action.body is not for this status"},
      {R"({"action": {"type": "status", "status": 503, "retryAfter": "1.5s"}})",
       "action.retryAfter must be whole seconds"},
      {R"({"action": {"type": "status", "status": 503, "contentType": "a\r\nb"}})",
       "action.contentType is not a valid header value"},
      {R"({"action": {"type": "reset", "status": 503}})", "action.status is not for reset"},
      {R"({"action": {"type": "cut"}})", "action.afterBytes is needed by cut"},
      {R"({"action": {"type": "cut", "afterBytes": 1, "resets": 1}})", "action.resets must be true or false"},
      {R"({"action": {"type": "corrupt", "afterBytes": 1, "atByte": 1}})",
       "action.afterBytes cannot be combined with atByte"},
      {R"({"action": {"type": "stall"}})", "action.duration is needed by stall"},
      {R"({"action": {"type": "stall", "duration": 5}})", "action.duration must be seconds in a string"},
      {R"({"action": {"type": "stall", "duration": "5"}})", "action.duration must be seconds in a string"},
      {R"({"action": {"type": "stall", "duration": "31536001s"}})", "action.duration must be 0 s to a year"},
      {R"({"action": {"type": "trickle", "bytesPerSecond": 0}})", "action.bytesPerSecond must be 1 to"},
      {R"({"action": {"type": "falseLength", "lengthDelta": 0}})", "action.lengthDelta must be"},
      {R"({"action": {"type": "falseLength", "lengthDelta": 18446744073709551615}})", "action.lengthDelta must be"},
      {R"({"action": {"type": "loseSession", "status": 503}})", "action.status must be 404 or 410"},
      {R"({"action": {"type": "htmlError", "status": 200}})", "action.status must be 400 to 599"},
      {R"({"action": []})", "action must be a JSON object"},
      {R"({"action": {"type": "reset"}, "match": {"operation": "storage.objects.read"}})",
       "match.operation is not one of"},
      {R"({"action": {"type": "reset"}, "match": {"phase": "middle"}})", "match.phase is not one of start, chunk"},
      {R"({"action": {"type": "reset"}, "match": {"method": "get"}})", "match.method is not one of DELETE, GET"},
      {R"({"action": {"type": "reset"}, "match": {"objectGlob": "[a"}})", "match.objectGlob is not a valid pattern"},
      {R"({"action": {"type": "reset"}, "match": {"attempt": 0}})", "match.attempt must be at least 1"},
      {R"({"action": {"type": "reset"}, "match": {"nth": 0}})", "match.nth must be at least 1"},
      {R"({"action": {"type": "reset"}, "match": {"every": 0}})", "match.every must be at least 1"},
      {R"({"action": {"type": "reset"}, "match": {"probability": 1.01}})", "match.probability must be 0 to 1"},
      {R"({"action": {"type": "reset"}, "match": {"probability": -0.01}})", "match.probability must be 0 to 1"},
      {R"({"action": {"type": "reset"}, "match": {"object": "x"}})", "match.object is not a known field"},
      {R"({"action": {"type": "reset"}, "limits": {"count": 0}})", "limits.count must be at least 1"},
      {R"({"action": {"type": "reset"}, "limits": {"notBefore": "2s", "notAfter": "2s"}})",
       "limits.notAfter must be later"},
      {R"({"action": {"type": "reset"}, "name": 5})", "name must be a string"},
      {R"({"action": {"type": "reset"}, "name": "first"})", "name is another rule's too"},
      {R"({"action": {"type": "reset"}, "when": {}})", "when is not a known field"},
  };
  for (const Case& test : cases) {
    const std::string plan =
        "{\"rules\": [{\"name\": \"first\", \"action\": {\"type\": \"reset\"}},\n" + std::string(test.rule) + "]}";
    const std::string why = WhyRefused(plan);
    EXPECT_THAT(why, StartsWith("fault plan: line 2, column ")) << test.rule;
    EXPECT_THAT(why, HasSubstr("rules[1]")) << test.rule;
    EXPECT_THAT(why, HasSubstr(test.why)) << test.rule;
  }
}

TEST(FaultPlan, IsRefusedAsAWhole) {
  struct Case {
    const char* json;
    const char* why;
  };
  const Case cases[] = {
      {"", "line 1, column 1: is not JSON"},
      {"{\n  \"seed\": 1,\n}", "line 3, column 1: is not JSON"},
      {"[]", "line 1, column 1: the document must be a JSON object"},
      {"{\"seed\": -1}", "line 1, column 10: seed must be a whole number, and not negative"},
      {"{\"rules\": {}}", "line 1, column 11: rules must be a JSON array"},
      {"{\"rules\": [1]}", "line 1, column 12: rules[0] must be a JSON object"},
      {R"({"seed": 1, "rules": [{"action": {"type": "reset", "type": "reset"}}]})", "line 1, column 52: occurs twice"},
      {"{\"seed\": 1,\n \"seed\" : 2}", "line 2, column 2: occurs twice"},
      {"{\"rule\": []}", "line 1, column 10: rule is not a known field"},
      {R"({"replay": [{"rule": "r", "arrival": 1, "action": {"type": "reset"}}]})",
       "replay[0] \"r\": operation is missing"},
      {R"({"replay": [{"rule": "r", "operation": "o", "action": {"type": "reset"}}]})", "arrival must be at least 1"},
      {R"({"replay": [{"rule": "r", "operation": "o", "arrival": 1}]})", "action.type '' is not one of"},
      {R"({"replay": [{"operation": "o", "arrival": 1, "action": {"type": "reset"}}]})", "rule is missing"},
      {R"({"rules": [{"action": {"type": "reset"}}],
           "replay": [{"rule": "r", "operation": "o", "arrival": 1, "action": {"type": "reset"}}]})",
       "line 2, column 22: replay cannot be combined with rules"},
  };
  for (const Case& test : cases) EXPECT_THAT(WhyRefused(test.json), HasSubstr(test.why)) << test.json;
}

TEST(FaultPlan, IsRefusedWithLineAndColumn) {
  EXPECT_EQ(WhyRefused("{\n  \"rules\": [\n    {\"name\": \"flaky\",\n     \"action\": {\"type\": \"status\",\n"
                       "                \"status\": 42}}]\n}"),
            "fault plan: line 5, column 27: rules[0] \"flaky\": action.status must be 200 to 599");
}

TEST(FaultPlan, MayHaveNoRules) {
  EXPECT_EQ(ParseFaultPlan("{}"), FaultPlan());
  EXPECT_EQ(ParseFaultPlan(R"({"seed": 0, "rules": []})"), FaultPlan());
}

class FaultPlanInProcess : public EmulatorTest {};

TEST_F(FaultPlanInProcess, IsRefusedWithRuleAndField) {
  const auto why = [&](const FaultRule& rule) -> std::string {
    try {
      emulator().faults().Add(rule);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why({.name = "flaky", .action = {.type = "status", .status = 42}}),
            "fault plan: rules[0] \"flaky\": action.status must be 200 to 599");
  EXPECT_THAT(why({.match = {.probability = std::numeric_limits<double>::quiet_NaN()}, .action = {.type = "reset"}}),
              HasSubstr("match.probability must be 0 to 1"));
  EXPECT_THAT(why({.match = {.bucket = "\xFF"}, .action = {.type = "reset"}}), HasSubstr("match.bucket is not UTF-8"));
  EXPECT_THAT(why({.name = "\xFF", .action = {.type = "reset"}}), HasSubstr("name is not UTF-8"));
  EXPECT_THAT(why({.action = {.type = "stall", .duration = seconds(-1)}}), HasSubstr("must be 0 s to a year"));
  EXPECT_EQ(emulator().faults().Plan(), FaultPlan());
}

TEST_F(FaultPlanInProcess, RemainsIfTheNewOneIsWrong) {
  const FaultRule good{.name = "good", .action = {.type = "reset"}};
  emulator().faults().Load({.seed = 5, .rules = {good}});
  EXPECT_THROW(emulator().faults().Load({.rules = {{.action = {.type = "cut"}}}}), std::invalid_argument);
  EXPECT_THROW(emulator().faults().Load({.rules = {good, good}}), std::invalid_argument);
  EXPECT_THROW(emulator().faults().Add(good), std::invalid_argument);
  EXPECT_EQ(emulator().faults().Plan(), (FaultPlan{.seed = 5, .rules = {good}}));
}

TEST_F(FaultPlanInProcess, IsRefusedByTheConstructor) {
  EXPECT_THROW(Emulator({.faults = {.rules = {{.action = {.type = "cut"}}}}}), std::invalid_argument);
}

TEST(SecondsText, RoundTrips) {
  struct Case {
    const char* text;
    nanoseconds time;
  };
  const Case cases[] = {{"0s", nanoseconds(0)},
                        {"1s", seconds(1)},
                        {"1.5s", milliseconds(1500)},
                        {"0.000000001s", nanoseconds(1)},
                        {"86400.25s", seconds(86'400) + milliseconds(250)}};
  for (const Case& test : cases) {
    EXPECT_EQ(ParseSeconds(test.text), test.time) << test.text;
    EXPECT_EQ(FormatSeconds(test.time), test.text);
  }
  EXPECT_EQ(ParseSeconds("1.50s"), milliseconds(1500));
  for (const char* text : {"", "s", "1", "-1s", "1.s", ".5s", "1.0000000001s", "1m", "1 s", "1.-5s", "99999999999s"}) {
    EXPECT_EQ(ParseSeconds(text), std::nullopt) << text;
  }
}

TEST(JsonPosition, FindsAValueOrItsNearestParent) {
  const std::string json = R"( {"a\"b": [1, {"c": "]}"}], "d": {"e": {}, "f": [ ] }} )";
  struct Case {
    JsonPath path;
    std::string_view want;
  };
  using Index = std::size_t;
  const Case cases[] = {{{}, R"({"a)"},
                        {{"d"}, R"({"e")"},
                        {{"d", "f"}, "[ ]"},
                        {{"d", "f", Index{0}}, "[ ]"},
                        {{"d", "nothing"}, R"({"e")"},
                        {{"a\\\"b", Index{1}, "c"}, R"("]}")"},
                        {{"a\\\"b", Index{0}}, "1,"},
                        {{"a\\\"b", "c"}, "[1,"}};
  for (const Case& test : cases) {
    EXPECT_TRUE(std::string_view(json).substr(FindValue(json, test.path)).starts_with(test.want)) << test.want;
  }
}

}  // namespace
}  // namespace gcsflux::emulator
