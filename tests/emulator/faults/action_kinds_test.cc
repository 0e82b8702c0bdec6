// The table of all kinds of faults.

#include "faults/actions/action_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "faults/tools/plan_fields.h"
#include "gcsflux/emulator/emulator.h"
#include "operations/operation.h"

namespace gcsflux::emulator {
namespace {

bool IsField(std::string_view name) {
  return std::any_of(kActionFields.begin(), kActionFields.end(), [&](const auto& field) { return field.name == name; });
}

TEST(ActionKinds, HaveDistinctTypesAndKnownFields) {
  std::set<std::string_view> types;
  std::set<std::string_view> taken;
  for (const ActionKind* kind : AllActionKinds()) {
    EXPECT_TRUE(types.insert(kind->type).second) << kind->type;
    EXPECT_EQ(FindActionKind(kind->type), kind);
    EXPECT_NE(kind->make, nullptr) << kind->type;
    for (const auto& fields : {kind->required, kind->optional}) {
      for (const std::string_view field : fields) EXPECT_TRUE(IsField(field)) << kind->type << " " << field;
      taken.insert(fields.begin(), fields.end());
    }
  }
  EXPECT_EQ(taken.size(), kActionFields.size());  // each field is used
}

// A rule can name every operation that a request can have.
TEST(ActionKinds, MatchEveryOperation) {
  std::set<std::string> operations;
  std::set<std::string> phases = {"start", "chunk", "final", "status", "cancel"};
  for (const Operation& operation : JsonOperations()) operations.emplace(operation.name);
  for (const Operation& operation : XmlOperations()) {
    operations.emplace(operation.name);
    if (!operation.phase.empty()) phases.emplace(operation.phase);
  }
  Emulator emulator;
  for (const std::string& operation : operations) {
    EXPECT_NO_THROW(emulator.faults().Add({.match = {.operation = operation}, .action = {.type = "reset"}}));
  }
  for (const std::string& phase : phases) {
    EXPECT_NO_THROW(emulator.faults().Add({.match = {.phase = phase}, .action = {.type = "reset"}}));
  }
}

}  // namespace
}  // namespace gcsflux::emulator
