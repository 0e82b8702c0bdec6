#include <gflags/gflags.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/checkpoints/checkpoint_steps.h"
#include "gcsflux/checkpoints/sharding.h"
#include "gcsflux/upload.h"

DEFINE_string(
    format, "",
    "torch or safetensors. If empty, the destination's ending decides: .safetensors, or .pt, .pth, .bin, .ckpt.");
DEFINE_int32(shards, 0, "Number of safetensors files to write, as that many processes would. 0: one file.");
DEFINE_bool(tensors_only, false, "Leave out values that are not tensors; otherwise they may be an error.");

namespace gcsflux::cli {
namespace {

// For a writer. Together with the pieces that are read, a conversion stays below 320 MiB.
constexpr std::uint64_t kWriterMemory = 96 << 20;

UploadOptions WriterForCommand() { return {.stop = StopOnSignal(), .part_memory_bytes = kWriterMemory}; }

Error WrongConversion(const std::string& message) { return {ErrorCode::kInvalidArgument, message}; }

// A checkpoint that becomes many files.
struct ShardConversion {
  std::string source = {};       // If it is a step of a run, its metrics are kept.
  std::string destination = {};  // "gs://bucket/run/step-00000042.json", or a folder with its slash.
  UploadOptions writer = {};
};

// How many files there are, and their bytes together.
struct ConvertedShards {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};

ConvertedShards SumOf(const WrittenShards& shards) {
  ConvertedShards count{.files = shards.files.size()};
  for (const StepFile& file : shards.files) count.bytes += file.size;
  return count;
}

// The caller's own of the step that is converted; nothing of other checkpoints.
Result<CheckpointManifest> About(const Client& client, const ShardConversion& conversion) {
  CheckpointManifest about{.time = std::chrono::system_clock::now()};
  const auto from = StepPlaceOf(conversion.source);
  if (!from) return about;
  const auto steps = CheckpointSteps::Open(client, from->run, {}, conversion.writer.stop);
  if (!steps) return steps.error();
  auto stored = steps->Read(from->step);
  if (!stored) return stored.error();
  about.time = stored->manifest.time;
  about.metrics = std::move(stored->manifest.metrics);
  about.metadata = std::move(stored->manifest.metadata);
  return about;
}

Result<ConvertedShards> SaveStep(StepWriter& writer, CheckpointManifest manifest, const StoredCheckpoint& checkpoint,
                                 const ShardConversion& conversion) {
  if (auto checked = writer.CheckStep(manifest); !checked) return checked.error();
  std::vector<StepFile> files;
  const ShardWriter write_file = [&](const std::string& name, const CheckpointWriter& write) {
    auto file = writer.WriteFile(manifest.step, name, write, conversion.writer);
    if (file) files.push_back(*file);
    return file;
  };
  auto shards = ShardCheckpoint(checkpoint, FLAGS_shards, write_file, {.is_tensors_only = FLAGS_tensors_only});
  if (!shards) return writer.Discard(files), shards.error();
  const ConvertedShards count = SumOf(*shards);
  manifest.files = std::move(shards->files);
  manifest.tensors = std::move(shards->tensors);
  const auto stored = writer.Commit(std::move(manifest));
  if (!stored) return stored.error();
  return count;
}

Result<ConvertedShards> ToStep(const Client& client, const StepPlace& to, const StoredCheckpoint& checkpoint,
                               const ShardConversion& conversion) {
  auto manifest = About(client, conversion);
  if (!manifest) return manifest.error();
  manifest->step = to.step;
  const auto steps = CheckpointSteps::Open(client, to.run, {}, conversion.writer.stop);
  if (!steps) return steps.error();
  auto writer = StepWriter::Start(*steps);
  if (!writer) return writer.error();
  auto saved = SaveStep(*writer, *std::move(manifest), checkpoint, conversion);
  const auto released = writer->Release();
  if (saved && !released) return released.error();
  return saved;
}

// Files of another checkpoint would become part of this one.
Result<void> CheckFolder(const Client& client, const ShardConversion& conversion) {
  const std::string& folder = conversion.destination;
  std::error_code error;
  if (!IsUri(folder)) std::filesystem::create_directories(folder, error);
  if (error) return Error{ErrorCode::kLocalIo, "cannot make '" + folder + "': " + error.message()};
  const auto found = ListShards(client, folder, conversion.writer.stop);
  if (!found) return found.error();
  if (found->empty()) return {};
  return Error{ErrorCode::kAlreadyExists, folder + " has files of safetensors already, such as " + found->front() +
                                              "; convert into another folder, or remove them"};
}

void RemoveFiles(const Client& client, const std::string& folder, const std::vector<StepFile>& files) {
  for (const StepFile& file : files) {
    const std::string place = folder + file.name;
    std::error_code ignored;
    if (!IsUri(place))
      std::filesystem::remove(place, ignored);
    else if (const auto object = ParseUri(place); object)
      static_cast<void>(client.DeleteObject(*object, {.generation = file.generation}).ok());
  }
}

Result<ConvertedShards> ToFolder(const Client& client, const StoredCheckpoint& checkpoint,
                                 const ShardConversion& conversion) {
  if (auto checked = CheckFolder(client, conversion); !checked) return checked.error();
  std::vector<StepFile> files;
  const ShardWriter write_file = [&](const std::string& name, const CheckpointWriter& write) -> Result<StepFile> {
    UploadOptions options = conversion.writer;
    options.mode = WriteMode::kCreate;
    const std::string place = conversion.destination + name;
    const auto object = WriteCheckpoint(client, place, write, options);
    if (!object) return object.error();
    files.push_back({.name = name, .size = object->size, .generation = object->generation});
    return files.back();
  };
  const auto shards = ShardCheckpoint(checkpoint, FLAGS_shards, write_file, {.is_tensors_only = FLAGS_tensors_only});
  if (shards) return SumOf(*shards);
  // If the last file may be there, the others may be all that it needs.
  if (shards.error().outcome == WriteOutcome::kNotStored) RemoveFiles(client, conversion.destination, files);
  return shards.error();
}

// Writes the files: as a step of a run, or into a folder that has no safetensors. After an error, what was written is
// removed as far as that succeeds.
Result<ConvertedShards> ConvertToShards(const Client& client, const StoredCheckpoint& checkpoint,
                                        const ShardConversion& conversion) {
  if (const auto step = StepPlaceOf(conversion.destination)) return ToStep(client, *step, checkpoint, conversion);
  if (conversion.destination.ends_with('/')) return ToFolder(client, checkpoint, conversion);
  return WrongConversion(
      "with --shards the destination is a folder with its '/', or a step of a run: "
      "gs://BUCKET/RUN/step-00000042.json; not '" +
      conversion.destination + "'");
}

Result<CheckpointFormat> WantedFormat(const std::string& destination) {
  if (FLAGS_format == "safetensors") return CheckpointFormat::kSafetensors;
  if (FLAGS_format == "torch") return CheckpointFormat::kTorchFile;
  if (!FLAGS_format.empty())
    return WrongConversion("flag --format must be torch or safetensors, not '" + FLAGS_format + "'");
  if (destination.ends_with(".safetensors")) return CheckpointFormat::kSafetensors;
  for (const char* ending : {".pt", ".pth", ".bin", ".ckpt"}) {
    if (destination.ends_with(ending)) return CheckpointFormat::kTorchFile;
  }
  return WrongConversion("'" + destination + "' does not tell the format to write; set --format");
}

Result<void> ConvertIntoShards(const Client& client, const std::vector<std::string>& places) {
  if (FLAGS_shards < 0) return WrongConversion("flag --shards must not be negative");
  if (FLAGS_format == "torch") return WrongConversion("with --shards the format is safetensors, not torch");
  const auto checkpoint = OpenCheckpoint(client, places[0], {.stop = StopOnSignal()});
  if (!checkpoint) return checkpoint.error();
  const auto converted = ConvertToShards(client, *checkpoint,
                                         {.source = places[0], .destination = places[1], .writer = WriterForCommand()});
  if (!converted) return converted.error();
  SayDone("wrote " + Count(checkpoint->tensors().size(), "tensor") + " in " + Count(converted->files, "file") + ", " +
          std::to_string(converted->bytes) + " bytes");
  return {};
}

Result<void> Convert(const Client& client, const std::vector<std::string>& places) {
  if (FLAGS_shards != 0) return ConvertIntoShards(client, places);
  const auto format = WantedFormat(places[1]);
  if (!format) return format.error();
  const auto checkpoint = OpenCheckpoint(client, places[0], {.stop = StopOnSignal()});
  if (!checkpoint) return checkpoint.error();
  const CheckpointWriter convert = [&](const ByteSink& sink) {
    return ConvertCheckpoint(*checkpoint, *format, sink, {.is_tensors_only = FLAGS_tensors_only});
  };
  const auto written = WriteCheckpoint(client, places[1], convert, WriterForCommand());
  if (!written) return written.error();
  SayDone("wrote " + Count(checkpoint->tensors().size(), "tensor") + ", " + std::to_string(written->size) + " bytes");
  return {};
}

constexpr CommandFlag kConvertFlags[] = {{"format"}, {"shards"}, {"tensors_only"}};

}  // namespace

constinit const Command kConvert = {
    .name = "checkpoint convert",
    .arguments = "FROM TO",
    .summary = "Convert a file of torch.save to safetensors, or the other way round.",
    .details =
        "With --shards=N: to N files of safetensors, as a step that N processes saved, "
        "gs://BUCKET/RUN/step-00000042.json,\n"
        "or in a folder, with its '/'.\n",
    .flags = kConvertFlags,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = Convert,
};

}  // namespace gcsflux::cli
