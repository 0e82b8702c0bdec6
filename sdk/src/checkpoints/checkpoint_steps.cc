#include "gcsflux/checkpoints/checkpoint_steps.h"

#include <utility>

#include "checkpoints/latest_step.h"
#include "checkpoints/open_step.h"
#include "checkpoints/step_store.h"

namespace gcsflux {

CheckpointSteps::CheckpointSteps(std::shared_ptr<internal::StepStore> store) : store_(std::move(store)) {}

const std::shared_ptr<internal::StepStore>& internal::StoreOf(const CheckpointSteps& steps) { return steps.store_; }

Result<CheckpointSteps> CheckpointSteps::Open(const Client& client, const std::string& uri, const CallOptions& call,
                                              const std::stop_token& stop) {
  auto store = internal::OpenStepStore(client, uri, call, stop);
  return store ? CheckpointSteps(*std::move(store)) : Result<CheckpointSteps>(store.error());
}

const std::string& CheckpointSteps::uri() const { return store_->uri(); }

Result<std::vector<Step>> CheckpointSteps::List() const {
  auto listed = internal::ListRun(*store_);
  if (!listed) return listed.error();
  return std::move(listed->steps);
}

Result<Step> CheckpointSteps::Latest() const {
  auto latest = internal::FindLatest(*store_, {});
  if (!latest) return latest.error();
  return internal::LatestOf(*std::move(latest));
}

Result<Step> CheckpointSteps::Read(std::int64_t step) const {
  const auto stored = store_->ReadManifest(step);
  return stored ? StepOf(*stored) : Result<Step>(stored.error());
}

Result<StoredCheckpoint> CheckpointSteps::OpenStep(std::int64_t step, const ObjectReaderOptions& options) const {
  const auto stored = store_->ReadManifest(step);
  if (!stored) return stored.error();
  auto opened = internal::OpenStepFiles(*store_, stored->manifest, options);
  if (!opened) return opened.error();
  return std::move(opened->checkpoint);
}

Result<void> CheckpointSteps::VerifyFiles(const Step& step, ObjectReaderOptions options) const {
  for (const StepFile& file : step.files) {
    const auto reader = store_->OpenFile(file, options);
    if (!reader) return reader.error();
    if (auto verified = reader->VerifyWhole(); !verified) return verified;
  }
  return {};
}

Result<void> CheckpointSteps::Remove(std::int64_t step, bool is_dry_run) const {
  return internal::RemoveStep(*store_, step, {.is_dry_run = is_dry_run});
}

Result<RemovalReport> CheckpointSteps::Keep(const KeepRules& rules, bool is_dry_run) const {
  auto listed = internal::ListRun(*store_);
  if (!listed) return listed.error();
  return internal::KeepListed(*store_, *std::move(listed), rules, {.is_dry_run = is_dry_run});
}

Result<RemovalReport> CheckpointSteps::CollectGarbage(std::chrono::seconds min_age, bool is_dry_run) const {
  const auto listed = internal::ListRun(*store_);
  if (!listed) return listed.error();
  return internal::CollectListed(*store_, *listed, min_age, is_dry_run, {});
}

}  // namespace gcsflux
