#include "gcsflux/checkpoint_steps.h"

#include <algorithm>
#include <set>
#include <utility>

#include "checkpoints/step_names.h"
#include "checkpoints/step_store.h"

namespace gcsflux {
namespace {

using internal::StepStore;

struct NamedSteps {
  std::set<std::int64_t> with_manifest = {};
  std::set<std::int64_t> all = {};
};

// Names alone, one level deep.
Result<NamedSteps> FindNames(const StepStore& store) {
  const ObjectName prefix = store.At("");
  const auto listing = ListPrefix(store.client(), prefix,
                                  {.delimiter = "/", .fields = "name", .call = store.call(), .stop = store.stop()});
  if (!listing.ok()) return listing.error();
  NamedSteps steps;
  for (const ObjectMetadata& object : listing->objects) {
    if (const auto step = internal::StepOfManifest(object.name.substr(prefix.name.size()))) {
      steps.with_manifest.insert(*step);
      steps.all.insert(*step);
    }
  }
  for (const std::string& folder : listing->prefixes) {
    if (const auto step = internal::StepOfFile(folder.substr(prefix.name.size()) + "-")) steps.all.insert(*step);
  }
  return steps;
}

Result<StoredStep> ReadWhole(const StepStore& store, std::int64_t step, bool has_manifest) {
  if (!has_manifest) {
    return Error{ErrorCode::kNotFound,
                 "step " + std::to_string(step) + " was not finished: it has files and no manifest"};
  }
  auto stored = store.ReadManifest(step, 0);
  if (!stored.ok()) return stored;
  for (const StepFile& file : stored->manifest.files) {
    if (auto checked = store.CheckFile(step, file); !checked.ok()) return checked.error();
  }
  return stored;
}

Error NoWholeStep(const StepStore& store, const NamedSteps& steps, const std::vector<SkippedStep>& skipped) {
  Error error{ErrorCode::kNotFound, "no step was saved in " + store.uri()};
  if (!steps.with_manifest.empty()) error = {ErrorCode::kUndecodable, "no step in " + store.uri() + " is whole:"};
  for (const SkippedStep& step : skipped) error.message += "\n  " + step.why.message;
  return error;
}

}  // namespace

CheckpointSteps::CheckpointSteps(std::shared_ptr<StepStore> store) : store_(std::move(store)) {}

Result<CheckpointSteps> CheckpointSteps::Open(const Client& client, const std::string& uri, const CallOptions& call,
                                              const std::stop_token& stop) {
  auto prefix = ParseUri(uri);
  if (!prefix.ok()) return prefix.error();
  if (!prefix->name.empty() && !prefix->name.ends_with('/')) prefix->name += '/';
  return CheckpointSteps(std::make_shared<StepStore>(client, *std::move(prefix), call, stop));
}

const std::string& CheckpointSteps::uri() const { return store_->uri(); }

Result<std::vector<ListedStep>> CheckpointSteps::List() const {
  const auto found = store_->Find();
  if (!found.ok()) return found.error();
  return internal::ListSteps(*store_, *found);
}

Result<LatestStep> CheckpointSteps::Latest() const {
  const auto steps = FindNames(*store_);
  if (!steps.ok()) return steps.error();
  LatestStep latest;
  for (auto step = steps->all.rbegin(); step != steps->all.rend(); ++step) {
    auto stored = ReadWhole(*store_, *step, steps->with_manifest.contains(*step));
    if (!stored.ok() && !internal::IsOfTheStep(stored.error())) return stored.error();
    if (!stored.ok()) {
      latest.skipped.push_back({*step, stored.error()});
      continue;
    }
    store_->Remember(*stored);
    latest.stored = *std::move(stored);
    return latest;
  }
  return NoWholeStep(*store_, *steps, latest.skipped);
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

Result<void> CheckpointSteps::Remove(std::int64_t step) const {
  const auto found = store_->Find();
  if (!found.ok()) return found.error();
  auto steps = internal::ListSteps(*store_, *found);
  if (!steps.ok()) return steps.error();
  std::size_t others = 0;
  bool is_whole = false;
  for (const ListedStep& one : *steps) {
    if (one.problem) continue;
    if (one.step == step)
      is_whole = true;
    else
      ++others;
  }
  if (is_whole && others == 0) {
    return Error{ErrorCode::kPreconditionFailed, "step " + std::to_string(step) + " is the last whole step of " +
                                                     uri() +
                                                     " and stays; save another one first, or remove the prefix"};
  }
  return internal::RemoveListed(*store_, *found, *steps, step);
}

Result<KeepReport> CheckpointSteps::Keep(const KeepRules& rules, bool is_dry_run) const {
  const auto found = store_->Find();
  if (!found.ok()) return found.error();
  auto steps = internal::ListSteps(*store_, *found);
  if (!steps.ok()) return steps.error();
  return internal::KeepListed(*store_, *found, *std::move(steps), rules, is_dry_run);
}

Result<SweepReport> CheckpointSteps::Sweep(const SweepOptions& options) const {
  const auto found = store_->Find();
  if (!found.ok()) return found.error();
  const auto steps = internal::ListSteps(*store_, *found);
  if (!steps.ok()) return steps.error();
  return internal::SweepListed(*store_, *found, *steps, options, {});
}

}  // namespace gcsflux
