#include "torch/step_values.h"

#include <utility>

#include "base/either_stop.h"
#include "base/message.h"
#include "checkpoints/latest_step.h"
#include "checkpoints/open_step.h"
#include "checkpoints/save_step.h"
#include "checkpoints/step_store.h"
#include "formats/state_json.h"
#include "sharding/save_messages.h"
#include "sharding/work_of_ranks.h"
#include "torch/failure.h"
#include "torch/made.h"

namespace gcsflux {
namespace {

constexpr std::uint64_t kValues = 0;  // Other messages are of internal::FormatFailure().

std::string FormatValues(std::string_view json) {
  internal::MessageWriter writer;
  writer.Number(kValues);
  writer.Text(json);
  return writer.Take();
}

std::string ReadValues(const StepValuesSource& source, std::atomic<std::uint64_t>& moved) {
  if (internal::FindStateFile(source.manifest) == nullptr) return FormatValues({});
  ObjectReaderOptions reader = source.reader;
  const internal::EitherStop either(internal::StoreOf(source.steps).stop(), reader.stop);
  reader.stop = either.token();
  const auto opened = ValueOrThrow(internal::OpenStepFiles(source.steps, source.manifest, reader));
  ++moved;
  if (!opened.checkpoint.HasValues()) return FormatValues({});
  for (const auto& [key, value] : opened.checkpoint.metadata()) {
    if (key == internal::kStateKey) return FormatValues(value);
  }
  return FormatValues(ValueOrThrow(internal::FormatState(ValueOrThrow(opened.checkpoint.ReadValue()))));
}

}  // namespace

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
  const auto received = group.Broadcast(std::move(message), {.deadline = deadline});
  if (!received) return received;
  internal::MessageReader reader(*received);
  if (reader.Number() == kValues) return reader.String();
  const Error why = internal::TakeError(reader);
  return Error{why.code, group.Label(0) + ": " + why.message};
}

}  // namespace gcsflux
