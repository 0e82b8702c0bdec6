#include <gflags/gflags.h>

#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "gcsflux/checkpoints/checkpoint.h"

DECLARE_bool(dry_run);
DECLARE_bool(json);
DEFINE_string(
    format, "",
    "torch, safetensors or distributed. If empty, the destination's ending decides: .safetensors, or .pt, .pth, .bin,\n"
    ".ckpt. distributed: a folder that Python's torch.distributed.checkpoint.load() reads.");
DEFINE_int32(shards, 0, "Number of safetensors or .distcp files to write, as that many processes would. 0: one file.");
DEFINE_bool(tensors_only, false, "Leave out values that are not tensors; otherwise they may be an error.");

namespace gcsflux::cli {
namespace {

// For a writer. Together with the chunks that are read, a conversion stays below 320 MiB.
constexpr std::uint64_t kWriterMemory = 96 << 20;

Error WrongConversion(const std::string& message) { return {ErrorCode::kInvalidArgument, message}; }

Result<CheckpointFormat> WantedFormat(const std::string& destination) {
  if (FLAGS_format == "safetensors") return CheckpointFormat::kSafetensors;
  if (FLAGS_format == "torch") return CheckpointFormat::kTorchFile;
  if (FLAGS_format == "distributed") return CheckpointFormat::kDistributed;
  if (!FLAGS_format.empty())
    return WrongConversion("flag --format must be torch, safetensors or distributed, not '" + FLAGS_format + "'");
  if (FLAGS_shards > 0) return CheckpointFormat::kSafetensors;
  if (destination.ends_with(".safetensors")) return CheckpointFormat::kSafetensors;
  for (const char* ending : {".pt", ".pth", ".bin", ".ckpt"}) {
    if (destination.ends_with(ending)) return CheckpointFormat::kTorchFile;
  }
  return WrongConversion("'" + destination + "' does not tell the format to write; set --format");
}

Result<void> Convert(const Client& client, const std::vector<std::string>& places) {
  if (FLAGS_shards < 0) return WrongConversion("flag --shards must not be negative");
  const bool is_sharded = FLAGS_shards > 0;
  if (is_sharded && FLAGS_format == "torch") {
    return WrongConversion("with --shards the format is safetensors or distributed, not torch");
  }
  const auto format = WantedFormat(places[1]);
  if (!format) return format.error();
  if (FLAGS_dry_run) {
    const auto source = OpenCheckpoint(client, places[0], {.stop = StopOnSignal()});
    if (!source) return source.error();
    return PrintChange({"convert", ""}, FLAGS_json ? places[1] : places[0] + " to " + places[1]), Result<void>();
  }
  const auto converted = ConvertCheckpoint(client, places[0], places[1],
                                           {.format = *format,
                                            .shards = FLAGS_shards,
                                            .is_tensors_only = FLAGS_tensors_only,
                                            .file = {.stop = StopOnSignal(), .part_memory_bytes = kWriterMemory}});
  if (!converted) return converted.error();
  if (FLAGS_json) {
    PrintLine(JsonObject()
                  .Add("done", "converted")
                  .Add("checkpoint", places[1])
                  .Add("tensors", converted->tensors)
                  .Add("files", converted->files)
                  .Add("bytes", converted->bytes)
                  .text());
    return {};
  }
  SayDone("wrote " + Count(converted->tensors, "tensor") +
          (is_sharded || *format == CheckpointFormat::kDistributed ? " in " + Count(converted->files, "file") : "") +
          ", " + std::to_string(converted->bytes) + " bytes");
  return {};
}

constexpr CommandFlag kConvertFlags[] = {{"format"}, {"shards"}, {"tensors_only"}, {"dry_run"}, {"json"}};

}  // namespace

constinit const Command kConvert = {
    .name = "checkpoint convert",
    .arguments = "FROM TO",
    .summary = "Convert a checkpoint to safetensors, a file of torch.save, or a distributed checkpoint.",
    .details =
        "With --shards=N: to N files of safetensors, as a step that N processes saved, "
        "gs://BUCKET/RUN/step-00000042.json,\n"
        "or in a folder, with its '/'. With --format=distributed: to .metadata and .distcp files in a folder.\n",
    .flags = kConvertFlags,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = Convert,
};

}  // namespace gcsflux::cli
