#include "sharding/save_messages.h"

#include <optional>
#include <utility>

#include "base/message.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kValue = 0;
constexpr std::uint64_t kError = 1;

Error NoSuchMessage() {
  return {ErrorCode::kBadResponse,
          "a message of another rank cannot be read; all ranks must run the same version of gcsflux"};
}

MessageWriter BeginValue() {
  MessageWriter writer;
  writer.Number(kValue);
  return writer;
}

// The error, if the message is one.
std::optional<Error> TakeFailure(MessageReader& reader) {
  if (reader.Number() == kValue) return std::nullopt;
  return TakeError(reader);
}

template <class T>
Result<T> WholeMessage(const MessageReader& reader, T value) {
  if (reader.AtEnd()) return value;
  return NoSuchMessage();
}

void PutFile(MessageWriter& writer, const StepFile& file) {
  writer.Text(file.name);
  writer.Number(file.size);
  writer.Number(static_cast<std::uint64_t>(file.generation));
  writer.Number(file.crc32c);
}

StepFile TakeFile(MessageReader& reader) {
  return {.name = reader.String(),
          .size = reader.Number(),
          .generation = static_cast<std::int64_t>(reader.Number()),
          .crc32c = static_cast<std::uint32_t>(reader.Number())};
}

void PutTensor(MessageWriter& writer, const StepTensor& tensor) {
  writer.Text(tensor.name);
  writer.Number(tensor.file);
  writer.Number(tensor.range.begin);
  writer.Number(tensor.range.end);
  writer.Number(static_cast<std::uint64_t>(tensor.dtype));
  writer.Sizes(tensor.shape);
  writer.Sizes(tensor.offsets);
  writer.Sizes(tensor.whole_shape);
  writer.Number(tensor.crc32c ? std::uint64_t{*tensor.crc32c} + 1 : 0);
}

StepTensor TakeTensor(MessageReader& reader) {
  StepTensor tensor{.name = reader.String(), .file = static_cast<std::size_t>(reader.Number())};
  tensor.range.begin = reader.Number();
  tensor.range.end = reader.Number();
  tensor.dtype = static_cast<DType>(reader.Number());
  tensor.shape = reader.Sizes();
  tensor.offsets = reader.Sizes();
  tensor.whole_shape = reader.Sizes();
  const std::uint64_t crc32c = reader.Number();
  if (crc32c != 0) tensor.crc32c = static_cast<std::uint32_t>(crc32c - 1);
  return tensor;
}

// Writes the manifest in the form of the run's object.
void PutStep(MessageWriter& writer, const StoredStep& step) {
  const auto json = FormatManifest(step.manifest);
  writer.Text(json ? *json : "");
  writer.Number(static_cast<std::uint64_t>(step.generation));
}

Result<StoredStep> TakeStep(MessageReader& reader) {
  auto manifest = ParseManifest(reader.Text(), "the manifest that rank 0 sent");
  if (!manifest) return manifest.error();
  return StoredStep{*std::move(manifest), static_cast<std::int64_t>(reader.Number())};
}

void PutSkipped(MessageWriter& writer, const std::vector<SkippedStep>& steps) {
  writer.Number(steps.size());
  for (const SkippedStep& step : steps) {
    writer.Number(static_cast<std::uint64_t>(step.step));
    PutError(writer, step.why);
  }
}

std::vector<SkippedStep> TakeSkipped(MessageReader& reader) {
  std::vector<SkippedStep> steps(reader.Count());
  for (SkippedStep& step : steps) {
    step.step = static_cast<std::int64_t>(reader.Number());
    step.why = TakeError(reader);
  }
  return steps;
}

void PutOptional(MessageWriter& writer, const std::optional<Error>& error) {
  writer.Number(error ? 1 : 0);
  if (error) PutError(writer, *error);
}

std::optional<Error> TakeOptional(MessageReader& reader) {
  if (reader.Number() == 0) return std::nullopt;
  return TakeError(reader);
}

}  // namespace

std::string FormatFailure(const Error& error) {
  MessageWriter writer;
  writer.Number(kError);
  PutError(writer, error);
  return writer.Take();
}

std::string FormatOrder(const ShardOrder& order) {
  MessageWriter writer = BeginValue();
  writer.Text(order.name);
  writer.Number(order.rows.size());
  for (const PlannedRows& rows : order.rows) {
    writer.Number(rows.part);
    writer.Number(static_cast<std::uint64_t>(rows.begin));
    writer.Number(static_cast<std::uint64_t>(rows.end));
  }
  writer.Number(order.kept.size());
  for (const StepFile& file : order.kept) PutFile(writer, file);
  return writer.Take();
}

Result<ShardOrder> ParseOrder(std::string_view bytes) {
  MessageReader reader(bytes);
  if (auto failure = TakeFailure(reader)) return *std::move(failure);
  ShardOrder order{.name = reader.String()};
  order.rows.resize(reader.Count());
  for (PlannedRows& rows : order.rows) {
    rows.part = static_cast<std::uint32_t>(reader.Number());
    rows.begin = static_cast<std::int64_t>(reader.Number());
    rows.end = static_cast<std::int64_t>(reader.Number());
  }
  for (std::size_t left = reader.Count(); left > 0; --left) order.kept.push_back(TakeFile(reader));
  return WholeMessage(reader, std::move(order));
}

std::string FormatReport(const ShardReport& report) {
  MessageWriter writer = BeginValue();
  writer.Number(report.files.size());
  for (const StepFile& file : report.files) PutFile(writer, file);
  writer.Number(report.tensors.size());
  for (const StepTensor& tensor : report.tensors) PutTensor(writer, tensor);
  return writer.Take();
}

Result<ShardReport> ParseReport(std::string_view bytes) {
  MessageReader reader(bytes);
  if (auto failure = TakeFailure(reader)) return *std::move(failure);
  ShardReport report;
  for (std::size_t left = reader.Count(); left > 0; --left) report.files.push_back(TakeFile(reader));
  for (std::size_t left = reader.Count(); left > 0; --left) report.tensors.push_back(TakeTensor(reader));
  return WholeMessage(reader, std::move(report));
}

std::string FormatSaved(const SavedStep& saved) {
  MessageWriter writer = BeginValue();
  PutStep(writer, saved.stored);
  writer.Number(saved.kept.removed.size());
  for (const std::int64_t step : saved.kept.removed) writer.Number(static_cast<std::uint64_t>(step));
  PutSkipped(writer, saved.kept.not_removed);
  writer.Number(saved.kept.foreign);
  PutOptional(writer, saved.kept.leftovers);
  PutOptional(writer, saved.keep_error);
  return writer.Take();
}

Result<SavedStep> ParseSaved(std::string_view bytes) {
  MessageReader reader(bytes);
  if (auto failure = TakeFailure(reader)) return *std::move(failure);
  auto stored = TakeStep(reader);
  if (!stored) return stored.error();
  SavedStep saved{.stored = *std::move(stored)};
  saved.kept.removed = reader.Sizes();
  saved.kept.not_removed = TakeSkipped(reader);
  saved.kept.foreign = reader.Number();
  saved.kept.leftovers = TakeOptional(reader);
  saved.keep_error = TakeOptional(reader);
  return WholeMessage(reader, std::move(saved));
}

std::string FormatStep(const SharedStep& shared) {
  MessageWriter writer = BeginValue();
  PutStep(writer, shared.step.stored);
  PutSkipped(writer, shared.step.skipped);
  writer.Text(shared.values);
  return writer.Take();
}

Result<SharedStep> ParseStep(std::string_view bytes) {
  MessageReader reader(bytes);
  if (auto failure = TakeFailure(reader)) return *std::move(failure);
  auto stored = TakeStep(reader);
  if (!stored) return stored.error();
  SharedStep shared{.step = {.stored = *std::move(stored)}};
  shared.step.skipped = TakeSkipped(reader);
  shared.values = reader.String();
  return WholeMessage(reader, std::move(shared));
}

}  // namespace gcsflux::internal
