#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoints/step_writer.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "support/result.h"

namespace gcsflux::testing {

/// A run's prefix in an emulator, and short files as its steps.
class RunFixture : public ::testing::Test {
 protected:
  static constexpr auto kRun = "gs://bkt/runs/7";

  void SetUp() override { ASSERT_TRUE(client_.InsertBucket("bkt").ok()); }

  [[nodiscard]] Client MakeClient() const {
    return *Client::Create({.endpoint = emulator_.endpoint(),
                            .project = "p",
                            .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1),
                                                         .max_delay = std::chrono::milliseconds(2),
                                                         .max_attempts = 2}),
                            .hedge_budget = 0});  // Requests are counted.
  }
  [[nodiscard]] CheckpointSteps Steps() const { return *CheckpointSteps::Open(client_, kRun); }
  [[nodiscard]] Result<StepWriter> Start(bool take_over = false) const { return StepWriter::Start(Store(), take_over); }
  [[nodiscard]] std::shared_ptr<internal::StepStore> Store() const { return internal::StoreOf(Steps()); }
  [[nodiscard]] StoredStep Stored(std::int64_t step) const { return ValueOf(Store()->ReadManifest(step)); }

  static CheckpointWriter Bytes(std::string text) {
    return [text = std::move(text)](const ByteSink& sink) { return sink(AsBytes(text)); };
  }
  /// The name of a leftover file of a save, in the library's form.
  static std::string LeftFile(std::int64_t step, char digit = 'a') {
    const std::string number = std::to_string(step);
    return "runs/7/step-" + std::string(8 - number.size(), '0') + number + "/" + std::string(32, digit) + "-state.pt";
  }
  static std::string TextOfStep(std::int64_t step) { return "state of step " + std::to_string(step); }

  /// A manifest with one file, which is written.
  static Result<CheckpointManifest> Draft(StepWriter& writer, std::int64_t step, const std::string& text) {
    const auto file = writer.WriteFile(step, "state.pt", Bytes(text));
    if (!file.ok()) return file.error();
    return CheckpointManifest{.step = step, .files = {*file}};
  }
  static Result<StoredStep> Save(StepWriter& writer, std::int64_t step, CommitMode mode = CommitMode::kCreate,
                                 const std::string& text = {}) {
    auto manifest = Draft(writer, step, text.empty() ? TextOfStep(step) : text);
    if (!manifest.ok()) return manifest.error();
    manifest->metrics["loss"] = static_cast<double>(step);
    return writer.Commit(*std::move(manifest), mode);
  }

  /// What the one file of a step has.
  [[nodiscard]] Result<std::string> Load(const StoredStep& step) const { return Load(StepOf(step)); }
  [[nodiscard]] Result<std::string> Load(const Step& step) const {
    const auto reader = Store()->OpenFile(step.files.front());
    if (!reader.ok()) return reader.error();
    std::string text(reader->size(), '\0');
    const auto read = reader->ReadAt(0, std::as_writable_bytes(std::span(text)));
    if (!read.ok()) return read.error();
    return text;
  }

  [[nodiscard]] std::vector<std::string> Names(const std::string& prefix = "runs/7/") const {
    std::vector<std::string> names;
    const ObjectListing listing = ValueOf(ListPrefix(client_, {"bkt", prefix}));
    for (const auto& object : listing.objects) names.push_back(object.name);
    return names;
  }
  [[nodiscard]] std::vector<std::int64_t> WholeSteps() const {
    std::vector<std::int64_t> whole;
    for (const Step& step : ValueOf(Steps().List())) {
      if (!step.problem) whole.push_back(step.number);
    }
    return whole;
  }
  void Put(const std::string& name, std::string_view text) const {
    ASSERT_TRUE(client_.InsertObject({"bkt", name}, AsBytes(text)).ok());
  }
  void Delete(const std::string& name) const { ASSERT_TRUE(client_.DeleteObject({"bkt", name}).ok()); }

  void Fail(const emulator::FaultMatch& match, const emulator::FaultAction& action, std::uint64_t count = 100) {
    emulator_.faults().Load({.rules = {{.name = "it", .match = match, .action = action, .limits = {.count = count}}}});
  }
  void ExpectFired() {
    EXPECT_GE(emulator_.faults().Fired("it"), 1U);
    emulator_.faults().Clear();
  }

  emulator::Emulator emulator_{{.journal_size = 100'000}};
  Client client_ = MakeClient();
};

}  // namespace gcsflux::testing
