#include "checkpoints/step_store.h"

#include "checkpoints/step_names.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::internal {
namespace {

constexpr int kFilesAskedAtOnce = 16;

// Reads an object of bounded length, because any object may have this name.
Result<ReadSummary> ReadShort(const Client& client, const ObjectName& object, const ReadObjectOptions& options,
                              std::string& into, std::atomic<std::uint64_t>& moved) {
  const ByteSink take = [&](std::span<const std::byte> bytes) -> Result<void> {
    if (into.size() + bytes.size() > kMaxManifestBytes) {
      return Error{ErrorCode::kUndecodable, ToUri(object) + " is too long for a manifest; load another step"};
    }
    into.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ++moved;
    return {};
  };
  return client.ReadObject(object, take, options);
}

}  // namespace

StepStore::StepStore(Client client, ObjectName prefix, CallOptions call, std::stop_token stop)
    : client_(std::move(client)),
      prefix_(std::move(prefix)),
      call_(std::move(call)),
      uri_(ToUri(prefix_)),
      stop_(std::move(stop)) {}

ObjectName StepStore::At(std::string_view name) const { return {prefix_.bucket, prefix_.name + std::string(name)}; }

Result<FoundSteps> StepStore::Find() const {
  auto listing = ListInParallel(client_, prefix_, {.call = call_, .stop = stop()});
  if (!listing) return listing.error();
  ++answered_;
  FoundSteps found;
  for (ListedObject& object : listing->objects) {
    const std::string name = object.name.substr(prefix_.name.size());
    if (const auto of_manifest = StepOfManifest(name))
      found[*of_manifest].manifest = std::move(object);
    else if (const auto of_folder = StepOfFolder(name); of_folder && IsOwnFileName(name))
      found[*of_folder].files.emplace(name, std::move(object));
    else if (of_folder)
      found[*of_folder].others.push_back(name);
  }
  return found;
}

Result<StoredStep> StepStore::ReadManifest(std::int64_t step, std::int64_t generation) const {
  const ObjectName object = At(ManifestName(step));
  ReadObjectOptions options{.call = call_, .stop = stop()};
  if (generation != 0) options.generation = generation;
  std::string text;
  const auto read = ReadShort(client_, object, options, text, answered_);
  if (!read && read.error().code == ErrorCode::kNotFound) {
    Error error = read.error();
    error.message = "step " + std::to_string(step) + " of " + uri_ + " is not there: " + error.message;
    return error;
  }
  if (!read) return read.error();
  ++answered_;
  auto manifest = ParseManifest(text, ToUri(object));
  if (!manifest) return manifest.error();
  if (manifest->step == step) return StoredStep{*std::move(manifest), read->generation};
  return Error{ErrorCode::kUndecodable, ToUri(object) + " is the manifest of step " + std::to_string(manifest->step) +
                                            ", and was renamed or copied; remove it by `gcsflux checkpoint rm`"};
}

Result<Step> StepStore::KnownStep(std::int64_t step, std::int64_t generation) {
  {
    const MutexLock lock(mutex_);
    if (const auto known = known_.find({step, generation}); known != known_.end()) return known->second;
  }
  auto read = ReadManifest(step, generation);
  if (!read) return read.error();
  Remember(*read);
  return StepOf(*read);
}

void StepStore::Remember(const StoredStep& step) {
  const MutexLock lock(mutex_);
  known_[{step.manifest.step, step.generation}] = StepOf(step);
}

void StepStore::RememberOnly(const FoundSteps& found) {
  const auto is_gone = [&](const auto& known) {
    const auto [step, generation] = known.first;
    const auto there = found.find(step);
    return there == found.end() || !there->second.manifest || there->second.manifest->generation != generation;
  };
  const MutexLock lock(mutex_);
  std::erase_if(known_, is_gone);
}

Result<std::int64_t> StepStore::ManifestGeneration(std::int64_t step) const {
  const auto there = client_.GetObject(At(ManifestName(step)), {.fields = "size", .call = call_, .stop = stop()});
  if (!there && there.error().code != ErrorCode::kNotFound) return there.error();
  ++answered_;
  return there ? there->generation : 0;
}

Result<void> StepStore::CheckFile(std::int64_t step, const StepFile& file) const {
  const ObjectName object = At(file.name);
  const auto place = [&] { return "step " + std::to_string(step) + ": " + ToUri(object); };
  const auto there = client_.GetObject(
      object, {.generation = file.generation, .fields = "size,crc32c", .call = call_, .stop = stop()});
  if (!there && there.error().code == ErrorCode::kNotFound) {
    return Error{ErrorCode::kNotFound, place() + " is missing, or is not the file that was saved (generation " +
                                           std::to_string(file.generation) +
                                           "); load another step, or remove this one"};
  }
  if (!there) return there.error();
  ++answered_;
  if (there->size == file.size && (!there->crc32c || *there->crc32c == file.crc32c)) return {};
  return Error{ErrorCode::kAborted,
               place() + " has other bytes than the manifest says; load another step, or remove this one"};
}

Result<void> StepStore::HasFiles(const std::vector<StepFile>& files) const {
  const auto ask = [&](std::size_t index, const std::stop_token&) {
    return CheckFile(StepOfFile(files[index].name).value_or(0), files[index]);
  };
  return RunOnThreads(client_, files.size(), kFilesAskedAtOnce, ask, stop());
}

Result<ObjectReader> StepStore::OpenFile(const StepFile& file, ObjectReaderOptions options) const {
  const DownloadSource source{
      .object = At(file.name), .size = file.size, .generation = file.generation, .crc32c = file.crc32c};
  options.generation = {};
  options.call = call_;
  if (!options.stop.stop_possible()) options.stop = stop();
  return ObjectReader::Open(client_, source, std::move(options));
}

Result<void> StepStore::Delete(std::string_view name, std::int64_t generation) const {
  auto deleted = client_.DeleteObject(
      At(name), {.preconditions = {.if_generation_match = generation}, .call = call_, .stop = stop()});
  if (!deleted && deleted.error().code != ErrorCode::kNotFound) return deleted;
  ++answered_;
  return {};
}

Result<std::shared_ptr<StepStore>> OpenStepStore(const Client& client, const std::string& uri, const CallOptions& call,
                                                 const std::stop_token& stop) {
  auto prefix = ParseUri(uri);
  if (!prefix) return prefix.error();
  if (!prefix->name.empty() && !prefix->name.ends_with('/')) prefix->name += '/';
  return std::make_shared<StepStore>(client, *std::move(prefix), call, stop);
}

}  // namespace gcsflux::internal
