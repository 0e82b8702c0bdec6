// Each text is read as a plan or refused, and each plan can be written and read again.

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>

#include "faults/plan/render_plan.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kPlan = R"({"seed": 7, "rules": [
  {"name": "one", "match": {"objectGlob": "a/{b,c}*[d-f]", "probability": 0.5, "nth": 3},
   "action": {"type": "status", "status": 503, "retryAfter": "2s", "body": "\"\u00e9"},
   "limits": {"count": 2, "notBefore": "0.5s", "notAfter": "1e1s"}},
  {"action": {"type": "falseLength", "lengthDelta": -1}}], "replay": []})";

// A byte that is changed, removed or doubled, or a piece that is moved.
std::string Mutate(std::string text, std::mt19937_64& random) {
  constexpr std::string_view kBytes = "{}[]\",:\\0123456789eE+-.tfn \n\x80\xff";
  const std::size_t at = random() % text.size();
  switch (random() % 4) {
    case 0: text[at] = kBytes[random() % kBytes.size()]; break;
    case 1: text.erase(at, 1 + random() % 8); break;
    case 2: text.insert(at, 1, kBytes[random() % kBytes.size()]); break;
    default: text.insert(at, text.substr(random() % text.size(), random() % 40)); break;
  }
  return text;
}

TEST(FaultPlanText, SurvivesMutation) {
  std::mt19937_64 random(20261120);
  int read = 0;
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text(kPlan);
    if (i % 2 == 0) text.replace(text.find("1e1s"), 4, "10s");
    for (std::uint64_t mutations = random() % 4; mutations != 0 && !text.empty(); --mutations)
      text = Mutate(text, random);
    SCOPED_TRACE(text);
    try {
      const FaultPlan plan = ParseFaultPlan(text);
      ++read;
      ASSERT_EQ(ParseFaultPlan(RenderPlan(plan, {})), plan);
    } catch (const std::invalid_argument& error) {
      ++refused;
      ASSERT_TRUE(std::string_view(error.what()).starts_with("fault plan: ")) << error.what();
    }
  }
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace gcsflux::emulator
