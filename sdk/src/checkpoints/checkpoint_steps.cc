#include "gcsflux/checkpoints/checkpoint_steps.h"

#include <algorithm>
#include <utility>

#include "checkpoints/latest_step.h"
#include "checkpoints/open_step.h"
#include "checkpoints/step_names.h"
#include "checkpoints/step_store.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux {
using internal::StepStore;

namespace {
constexpr int kQuestionsAtOnce = 16;
}  // namespace

CheckpointSteps::CheckpointSteps(std::shared_ptr<StepStore> store) : store_(std::move(store)) {}

internal::StepStore& internal::StoreOf(const CheckpointSteps& steps) { return *steps.store_; }

Result<CheckpointSteps> CheckpointSteps::Open(const Client& client, const std::string& uri, const CallOptions& call,
                                              const std::stop_token& stop) {
  auto prefix = ParseUri(uri);
  if (!prefix) return prefix.error();
  if (!prefix->name.empty() && !prefix->name.ends_with('/')) prefix->name += '/';
  return CheckpointSteps(std::make_shared<StepStore>(client, *std::move(prefix), call, stop));
}

const std::string& CheckpointSteps::uri() const { return store_->uri(); }

Result<std::vector<ListedStep>> CheckpointSteps::List() const {
  auto listed = internal::ListRun(*store_);
  if (!listed) return listed.error();
  return std::move(listed->steps);
}

Result<LatestStep> CheckpointSteps::Latest() const { return internal::FindLatest(*store_, {}); }

Result<LatestStep> CheckpointSteps::OpenLatest(const std::function<Result<void>(const StoredStep&)>& open) const {
  return internal::FindLatest(*store_, open);
}

Result<StoredStep> CheckpointSteps::Read(std::int64_t step) const { return store_->ReadManifest(step, 0); }

Result<ObjectReader> CheckpointSteps::OpenFile(const StepFile& file, ObjectReaderOptions options) const {
  const DownloadSource source{
      .object = store_->At(file.name), .size = file.size, .generation = file.generation, .crc32c = file.crc32c};
  options.generation = {};
  options.call = store_->call();
  if (!options.stop.stop_possible()) options.stop = store_->stop();
  return ObjectReader::Open(store_->client(), source, std::move(options));
}

Result<void> CheckpointSteps::HasFiles(const std::vector<StepFile>& files) const {
  const auto ask = [&](std::size_t index, const std::stop_token&) {
    return store_->CheckFile(internal::StepOfFile(files[index].name).value_or(0), files[index]);
  };
  return internal::RunOnThreads(store_->client(), files.size(), kQuestionsAtOnce, ask, store_->stop());
}

Result<StoredCheckpoint> CheckpointSteps::OpenStep(const StoredStep& step, const ObjectReaderOptions& options) const {
  auto opened = internal::OpenStepFiles(*this, step.manifest, options);
  if (!opened) return opened.error();
  return std::move(opened->checkpoint);
}

Result<void> CheckpointSteps::Remove(std::int64_t step) const { return internal::RemoveStep(*store_, step, {}); }

Result<KeepReport> CheckpointSteps::Keep(const KeepRules& rules, bool is_dry_run) const {
  auto listed = internal::ListRun(*store_);
  if (!listed) return listed.error();
  return internal::KeepListed(*store_, *std::move(listed), rules, {.is_dry_run = is_dry_run});
}

Result<GarbageReport> CheckpointSteps::CollectGarbage(const GarbageOptions& options) const {
  const auto listed = internal::ListRun(*store_);
  if (!listed) return listed.error();
  return internal::CollectListed(*store_, *listed, options, {});
}

}  // namespace gcsflux
