#include "torch/step_values.h"

#include <utility>

#include "base/either_stop.h"
#include "base/message.h"
#include "checkpoints/latest_step.h"
#include "checkpoints/open_step.h"
#include "checkpoints/save_step.h"
#include "checkpoints/step_store.h"
#include "sharding/save_messages.h"
#include "sharding/work_of_ranks.h"
#include "torch/failure.h"
#include "torch/made.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kValues = 0;  // Other messages are of internal::FormatFailure().

std::string FormatValues(const PlainValues& values) {
  internal::MessageWriter writer;
  writer.Number(kValues);
  writer.Number(values.numbers.size());
  for (const auto& [name, number] : values.numbers) {
    writer.Text(name);
    writer.Number(static_cast<std::uint64_t>(number));
  }
  writer.Number(values.texts.size());
  for (const auto& [name, text] : values.texts) {
    writer.Text(name);
    writer.Text(text);
  }
  if (values.cursor) writer.Text(FormatCursor(*values.cursor));
  return writer.Take();
}

std::string ReadValues(const StepValuesSource& source, std::atomic<std::uint64_t>& moved) {
  ObjectReaderOptions reader = source.reader;
  const internal::EitherStop either(internal::StoreOf(source.steps).stop(), reader.stop);
  reader.stop = either.token();
  const auto opened = ValueOrThrow(internal::OpenStepFiles(source.steps, source.manifest, reader));
  ++moved;
  if (!opened.checkpoint.HasValues()) return FormatValues({});
  const pickled::Value root = ValueOrThrow(opened.checkpoint.ReadValue());
  const auto* const dict = root.As<pickled::Dict>();
  return FormatValues(dict == nullptr ? PlainValues() : PlainValuesIn(*dict));
}

}  // namespace

bool HasValuesInFile(const CheckpointManifest& step) { return internal::FindStateFile(step) != nullptr; }

Result<std::string> ReadValuesOnRank0(Collective& group, std::chrono::milliseconds deadline,
                                      const StepValuesSource& source) {
  std::string message;
  const internal::WorkOfRank0 work = [&](std::atomic<std::uint64_t>& moved) {
    auto read = Made([&] { return ReadValues(source, moved); });
    // Only here a step's damage can look like other contents: tensors are read by what the manifest says.
    if (!read) {
      read = internal::WhyUnusable(source.steps, source.manifest, source.reader, read.error()).value_or(read.error());
    }
    message = read ? *std::move(read) : internal::FormatFailure(read.error());
  };
  if (auto done = internal::WorkOnRank0(group, deadline, source.steps, work, {}); !done) return done.error();
  auto told = group.Broadcast(std::move(message), {.deadline = deadline});
  if (!told) return told;
  internal::MessageReader reader(*told);
  if (reader.Number() == kValues) return told;
  const Error why = internal::TakeError(reader);
  return Error{why.code, group.Label(0) + ": " + why.message};
}

PlainValues ParseValues(std::string_view message) {
  internal::MessageReader reader(message);
  reader.Number();  // It says that the message is not an error.
  PlainValues values;
  for (std::size_t left = reader.Count(); left > 0; --left) {
    std::string name = reader.String();
    values.numbers[std::move(name)] = static_cast<std::int64_t>(reader.Number());
  }
  for (std::size_t left = reader.Count(); left > 0; --left) {
    std::string name = reader.String();
    values.texts[std::move(name)] = reader.String();
  }
  if (reader && !reader.AtEnd()) values.cursor = ValueOrThrow(ParseCursor(reader.Text()));
  if (reader.AtEnd()) return values;
  throw Failure(ErrorCode::kBadResponse,
                "the values that rank 0 sent cannot be read; all ranks must run the same version of gcsflux");
}

}  // namespace gcsflux
