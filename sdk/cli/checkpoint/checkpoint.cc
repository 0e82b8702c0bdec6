// What there is in a checkpoint: inspect, verify and diff.
#include "gcsflux/checkpoints/checkpoint.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "cli/arguments/names.h"
#include "cli/checkpoint/steps.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"

DECLARE_bool(json);

namespace gcsflux::cli {
namespace {

Result<StoredCheckpoint> Open(const Client& client, const std::string& place) {
  return OpenCheckpoint(client, place, {.stop = StopOnSignal()});
}

void PrintCheckpoint(const StoredCheckpoint& checkpoint) {
  const std::string_view format = FormatName(checkpoint.format());
  if (FLAGS_json) {
    const JsonObject line =
        JsonObject().Add("checkpoint", checkpoint.name()).Add("format", format).Add("bytes", checkpoint.size());
    return PrintLine(line.text());
  }
  PrintLine(checkpoint.name() + ": " + std::string(format) + ", " + std::to_string(checkpoint.size()) + " bytes");
}

std::string ShapeOf(const TensorLayout& layout, std::string_view between) {
  std::string text = "[";
  for (const std::int64_t size : layout.shape) {
    if (text.size() > 1) text += between;
    text += std::to_string(size);
  }
  return text + "]";
}

void PrintTensor(const StoredTensor& tensor, std::optional<std::uint32_t> crc32c) {
  const std::string type(DTypeName(tensor.layout.dtype));
  const std::uint64_t bytes = TensorBytes(tensor.layout);
  if (FLAGS_json) {
    JsonObject line;
    line.Add("tensor", tensor.name).Add("dtype", type).AddJson("shape", ShapeOf(tensor.layout, ","));
    line.Add("bytes", bytes);
    if (crc32c) line.Add("crc32c", Hex(*crc32c));
    return PrintLine(line.text());
  }
  PrintLine("  " + tensor.name + "  " + type + " " + ShapeOf(tensor.layout, ", ") + "  " + std::to_string(bytes) +
            " bytes" + (crc32c ? "  crc32c " + Hex(*crc32c) : ""));
}

void PrintRefused(const RefusedValue& value) {
  PrintLine(FLAGS_json ? JsonObject().Add("refused", value.name).Add("why", value.why).text()
                       : "  " + value.name + "  is not read: " + value.why);
}

void PrintTensorsTotal(const StoredCheckpoint& checkpoint) {
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
  for (const StoredTensor& tensor : checkpoint.tensors()) {
    elements += ElementCount(tensor.layout.shape).value_or(0);
    bytes += TensorBytes(tensor.layout);
  }
  const std::size_t count = checkpoint.tensors().size();
  PrintLine(FLAGS_json
                ? JsonObject().Add("tensors", count).Add("elements", elements).Add("tensor_bytes", bytes).text()
                : Count(count, "tensor") + ", " + Count(elements, "element") + ", " + std::to_string(bytes) + " bytes");
}

// The prefix of a training run is no checkpoint, but has some. `error` if it is not one either.
Result<void> InspectRun(const Client& client, const std::string& place, const Error& error) {
  if (!IsUri(place)) return error;
  const auto run = OpenRun(client, AsDirectory(place));
  if (!run) return error;
  const auto steps = run->List();
  if (!steps || steps->empty()) return error;
  for (const Step& step : *steps) PrintStep(step);
  PrintStepsTotal(*steps);
  SayDone("these are the steps of a training run; for the tensors of one: gcsflux checkpoint inspect " +
          ManifestUri(*run, steps->back().number));
  return {};
}

Result<void> Inspect(const Client& client, const std::vector<std::string>& places) {
  const auto checkpoint = Open(client, places.front());
  if (!checkpoint) return InspectRun(client, places.front(), checkpoint.error());
  PrintCheckpoint(*checkpoint);
  for (const StoredTensor& tensor : checkpoint->tensors()) {
    PrintTensor(tensor, checkpoint->Crc32c(tensor));
  }
  for (const RefusedValue& value : checkpoint->refused()) PrintRefused(value);
  PrintTensorsTotal(*checkpoint);
  if (checkpoint->tensors().empty() && !checkpoint->refused().empty()) {
    SayDone(
        "no tensor can be read: objects of Python classes are not made here. If it is a whole module, save "
        "net.state_dict() in Python");
  }
  return {};
}

struct VerifiedTotal {
  std::uint64_t storages = 0;
  std::uint64_t damaged = 0;
  std::uint64_t bytes = 0;
  std::uint64_t verified_bytes = 0;
};

VerifiedTotal TotalOf(const std::vector<VerifiedStorage>& storages) {
  VerifiedTotal total{.storages = storages.size()};
  for (const VerifiedStorage& one : storages) {
    total.bytes += one.bytes;
    if (one.damage) ++total.damaged;
    if (one.is_verified) total.verified_bytes += one.bytes;
  }
  return total;
}

std::string_view CoverOf(const StoredCheckpoint& checkpoint, const VerifiedTotal& total) {
  if (total.verified_bytes < total.bytes) return total.verified_bytes == 0 ? "no checksum" : "checksums of some";
  return IsSafetensors(checkpoint.format()) ? "the CRC32C of each tensor" : "the CRC-32 of each record";
}

void PrintVerified(const VerifiedStorage& verified) {
  const std::string& name = verified.tensor;
  if (FLAGS_json) {
    JsonObject line;
    line.Add("storage_of", name);
    if (verified.damage) {
      line.Add("damage", verified.damage->message);
    } else {
      line.Add("crc32c", Hex(verified.crc32c)).AddJson("verified", verified.is_verified ? "true" : "false");
    }
    return PrintLine(line.text());
  }
  PrintLine(verified.damage
                ? "  DAMAGED " + name + ": " + verified.damage->message
                : "  " + name + "  crc32c " + Hex(verified.crc32c) + (verified.is_verified ? "" : "  has no checksum"));
}

// `is_whole`: the store has a checksum of all bytes, and they match it.
void PrintVerifiedTotal(const StoredCheckpoint& checkpoint, const VerifiedTotal& total, bool is_whole) {
  if (FLAGS_json) {
    JsonObject line;
    line.Add("storages", total.storages).Add("damaged", total.damaged).Add("bytes", total.bytes);
    line.Add("verified_bytes", total.verified_bytes).AddJson("object_crc32c", is_whole ? "true" : "false");
    return PrintLine(line.text());
  }
  std::string text = Count(total.storages, "storage") + ", " + std::to_string(total.bytes) + " bytes: ";
  if (total.damaged > 0) text += std::to_string(total.damaged) + " DAMAGED; ";
  text.append(CoverOf(checkpoint, total)).append(" covers ").append(std::to_string(total.verified_bytes));
  PrintLine(text + (is_whole ? " bytes, and the object's CRC32C the whole file"
                             : " bytes; nothing covers what lies between them: the file has no checksum of its own"));
}

Result<void> VerifyStep(const CheckpointSteps& run, const Step& step) {
  if (step.problem) return *step.problem;
  return run.VerifyFiles(step, {.stop = StopOnSignal()});
}

// Nothing if the prefix has no step.
std::optional<Result<void>> VerifyRun(const Client& client, const std::string& uri) {
  const auto run = OpenRun(client, uri);
  if (!run) return run.error();
  auto steps = run->List();
  if (!steps) return steps.error();
  if (steps->empty()) return std::nullopt;
  std::size_t damaged = 0;
  for (Step& step : *steps) {
    if (auto verified = VerifyStep(*run, step); !verified) {
      if (verified.error().code == ErrorCode::kCancelled) return verified;
      step.problem = verified.error();
      ++damaged;
    }
    PrintStep(step);
  }
  PrintStepsTotal(*steps);
  if (damaged == 0) return Result<void>();
  return Error{ErrorCode::kCorrupted, run->uri() + ": " + std::to_string(damaged) + " of " +
                                          std::to_string(steps->size()) + " steps are not whole; load another one"};
}

Result<void> Verify(const Client& client, const std::vector<std::string>& places) {
  if (IsUri(places.front()) && places.front().ends_with('/')) {
    if (auto verified = VerifyRun(client, places.front())) return *verified;
  }
  const auto checkpoint = Open(client, places.front());
  if (!checkpoint) return checkpoint.error();
  PrintCheckpoint(*checkpoint);
  const auto storages = VerifyCheckpoint(*checkpoint, PrintVerified);
  if (!storages) return storages.error();
  const VerifiedTotal total = TotalOf(*storages);
  const auto whole = checkpoint->VerifyWhole();
  PrintVerifiedTotal(*checkpoint, total, whole && *whole);
  if (total.damaged > 0) {
    return Error{ErrorCode::kCorrupted, places.front() + ": " + std::to_string(total.damaged) + " of " +
                                            std::to_string(total.storages) +
                                            " storages are damaged; load another copy of it"};
  }
  if (!whole) return whole.error();
  return {};
}

void PrintDifference(const TensorDifference& difference) {
  const bool has_elements = difference.kind == "elements";
  if (FLAGS_json) {
    JsonObject line;
    line.Add("tensor", difference.name).Add("difference", difference.kind);
    if (!difference.why.empty()) line.Add("why", difference.why);
    if (has_elements) {
      line.Add("elements", difference.different_elements).Add("largest", difference.largest);
    }
    return PrintLine(line.text());
  }
  std::ostringstream text;
  text << "  " << difference.name << "  ";
  if (has_elements) {
    text << Count(difference.different_elements, "element")
         << (difference.different_elements == 1 ? " differs" : " differ") << ", by at most " << difference.largest;
  } else {
    text << (difference.why.empty() ? difference.kind : std::string_view(difference.why));
  }
  PrintLine(text.str());
}

std::size_t CountOfSame(const StoredCheckpoint& first, const std::vector<TensorDifference>& differences) {
  std::set<std::string_view> different;
  for (const TensorDifference& one : differences) different.insert(one.name);
  return static_cast<std::size_t>(std::ranges::count_if(
      first.tensors(), [&](const StoredTensor& tensor) { return !different.contains(tensor.name); }));
}

Result<void> Diff(const Client& client, const std::vector<std::string>& places) {
  const auto first = Open(client, places[0]);
  if (!first) return first.error();
  const auto second = Open(client, places[1]);
  if (!second) return second.error();
  const auto differences = CompareCheckpoints(*first, *second, PrintDifference);
  if (!differences) return differences.error();
  const std::size_t different = differences->size();
  const std::size_t same = CountOfSame(*first, *differences);
  PrintLine(FLAGS_json ? JsonObject().Add("same", same).Add("different", different).text()
                       : Count(same, "tensor") + (same == 1 ? " is" : " are") + " the same, " +
                             std::to_string(different) + (different == 1 ? " differs" : " differ"));
  if (different == 0) return {};
  return Error{ErrorCode::kPreconditionFailed, "the checkpoints differ"};
}

constexpr CommandFlag kJsonFlags[] = {{"json"}};

}  // namespace

constinit const Command kInspect = {
    .name = "checkpoint inspect",
    .arguments = "CHECKPOINT",
    .summary = "Show names, types, shapes and bytes of a checkpoint's tensors.",
    .details =
        "Reads only the index. A checkpoint is gs:// or local: a file of torch.save, an archive of libtorch,\n"
        "safetensors, an index of them, or the folder of torch.distributed.checkpoint, with its '/'. Its bytes tell "
        "the\n"
        "format. No code in it is executed.\n",
    .flags = kJsonFlags,
    .max_arguments = 1,
    .run = Inspect,
};

constinit const Command kVerify = {
    .name = "checkpoint verify",
    .arguments = "CHECKPOINT, or RUN/",
    .summary = "Read a checkpoint, or all steps of a run, and compare them with their checksums.",
    .details =
        "Shows which checksums cover the bytes. For a run, with its '/': compares all files with the manifests. If\n"
        "something is damaged or incomplete, the exit status is 1.\n",
    .flags = kJsonFlags,
    .max_arguments = 1,
    .run = Verify,
};

constinit const Command kDiff = {
    .name = "checkpoint diff",
    .arguments = "FIRST SECOND",
    .summary = "Show which tensors of two checkpoints differ, and by how much.",
    .details = "If one does, the exit status is 1.\n",
    .flags = kJsonFlags,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = Diff,
};

}  // namespace gcsflux::cli
