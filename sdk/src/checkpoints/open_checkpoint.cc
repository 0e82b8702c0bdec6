#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "checkpoints/byte_sources.h"
#include "checkpoints/folder_shards.h"
#include "checkpoints/step_names.h"
#include "formats/cached_ends.h"
#include "formats/checkpoint_reader.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux {
namespace {

constexpr int kShardsAtOnce = 16;

// The folder with its slash. Empty if there is none.
std::string FolderOf(const std::string& uri) { return uri.substr(0, uri.rfind('/') + 1); }

Result<ByteSource> OpenObject(const Client& client, const std::string& uri, const ObjectReaderOptions& options) {
  const auto object = ParseUri(uri);
  if (!object) return object.error();
  auto reader = ObjectReader::Open(client, *object, options);
  if (!reader) return reader.error();
  return SourceOf(std::make_shared<const ObjectReader>(*std::move(reader)));
}

// Several objects at the same time; with `reads_heads` also the header of each.
Result<std::vector<ByteSource>> OpenObjects(const Client& client, const std::vector<std::string>& uris,
                                            const ObjectReaderOptions& options, bool reads_heads) {
  std::vector<ByteSource> sources(uris.size());
  const auto open = [&](std::size_t index, const std::stop_token&) -> Result<void> {
    auto source = OpenObject(client, uris[index], options);
    if (source && reads_heads) source = internal::WithCachedEnds(*std::move(source), {.tail = 0});
    if (!source) return source.error();
    sources[index] = *std::move(source);
    return {};
  };
  const auto opened = internal::RunOnThreads(client, uris.size(), kShardsAtOnce, open, options.stop);
  if (!opened) return opened.error();
  return sources;
}

Result<std::vector<ByteSource>> OpenFiles(const std::vector<std::string>& paths) {
  std::vector<ByteSource> sources;
  for (const std::string& path : paths) {
    auto source = SourceOfFile(path);
    if (!source) return source.error();
    sources.push_back(*std::move(source));
  }
  return sources;
}

// A file, or the files that an index in the same folder names.
Result<StoredCheckpoint> OpenFileAt(const Client& client, const std::string& uri, const ObjectReaderOptions& options) {
  const bool is_object = internal::IsObjectUri(uri);
  auto source = is_object ? OpenObject(client, uri, options) : SourceOfFile(uri);
  if (!source) return source.error();
  ObjectReaderOptions of_shards = options;
  of_shards.generation = {};  // The generation is that of the index.
  const internal::OpenShards open_shards = [&](std::span<const std::string> files, bool reads_heads) {
    std::vector<std::string> places;
    for (const std::string& file : files) places.push_back(FolderOf(uri) + file);
    return is_object ? OpenObjects(client, places, of_shards, reads_heads) : OpenFiles(places);
  };
  return internal::OpenFileOrIndex(*std::move(source), open_shards);
}

Result<StoredCheckpoint> OpenFolder(const Client& client, const std::string& uri, const ObjectReaderOptions& options) {
  const bool is_object = internal::IsObjectUri(uri);
  const auto shards = internal::ShardsInFolder(client, uri, options.call, options.stop);
  if (!shards) return shards.error();
  if (!shards->distributed.empty()) return OpenFileAt(client, shards->distributed, options);
  if (shards->safetensors.empty() && !shards->of_rank_0.empty()) {
    return Error{ErrorCode::kInvalidArgument, uri +
                                                  ": each rank saved a checkpoint of its own (use_collectives=False); "
                                                  "open one of them, such as " +
                                                  shards->of_rank_0};
  }
  auto sources = is_object ? OpenObjects(client, shards->safetensors, options, true) : OpenFiles(shards->safetensors);
  if (!sources) return sources.error();
  return internal::OpenSafetensorsFiles(uri, *std::move(sources));
}

bool IsFolder(const std::string& uri) {
  std::error_code ignored;
  return uri.ends_with('/') || (!internal::IsObjectUri(uri) && std::filesystem::is_directory(uri, ignored));
}

}  // namespace

Result<StoredCheckpoint> OpenCheckpoint(const Client& client, const std::string& uri,
                                        const ObjectReaderOptions& options) {
  if (IsFolder(uri)) return OpenFolder(client, uri, options);
  if (const auto place = internal::StepPlaceOf(uri)) {
    const auto steps = CheckpointSteps::Open(client, place->run, options.call, options.stop);
    return steps ? steps->OpenStep(place->step, options) : steps.error();
  }
  return OpenFileAt(client, uri, options);
}

}  // namespace gcsflux
