#include "sharding/save_messages.h"

#include <optional>
#include <utility>

#include "base/message.h"

namespace gcsflux {

using internal::SameAs;

// The fields of what ranks tell each other. Tensors of slices have no strides.
template <SameAs<StepFile> Self>
auto FieldsOf(Self& file) {
  return std::tie(file.name, file.size, file.generation, file.crc32c);
}
template <SameAs<FileRange> Self>
auto FieldsOf(Self& range) {
  return std::tie(range.begin, range.end);
}
template <SameAs<StepTensor> Self>
auto FieldsOf(Self& tensor) {
  return std::tie(tensor.name, tensor.file, tensor.range, tensor.dtype, tensor.shape, tensor.offsets,
                  tensor.whole_shape, tensor.crc32c);
}
template <SameAs<Step> Self>
auto FieldsOf(Self& step) {
  return std::tie(step.number, step.run, step.time, step.files, step.metrics, step.metadata, step.generation,
                  step.bytes, step.problem);
}
template <SameAs<RemovalReport> Self>
auto FieldsOf(Self& report) {
  return std::tie(report.removed, report.not_removed, report.foreign, report.leftovers);
}
template <SameAs<SavedStep> Self>
auto FieldsOf(Self& saved) {
  return std::tie(saved.step, saved.kept, saved.keep_error);
}

namespace internal {

template <SameAs<PlannedRows> Self>
auto FieldsOf(Self& rows) {
  return std::tie(rows.part, rows.begin, rows.end);
}
template <SameAs<SaveOrder> Self>
auto FieldsOf(Self& order) {
  return std::tie(order.name, order.rows, order.kept);
}
template <SameAs<ShardReport> Self>
auto FieldsOf(Self& report) {
  return std::tie(report.files, report.tensors);
}

namespace {

constexpr std::uint64_t kValue = 0;
constexpr std::uint64_t kError = 1;

template <class T>
Result<T> WholeMessage(const MessageReader& reader, T value) {
  if (reader.AtEnd()) return value;
  return Error{ErrorCode::kBadResponse,
               "a message of another rank cannot be read; all ranks must run the same version of gcsflux"};
}

// A value or an error.
template <class T>
Result<T> ParseValue(std::string_view bytes) {
  MessageReader reader(bytes);
  if (reader.Number() != kValue) return TakeError(reader);
  T value;
  reader.Take(value);
  return WholeMessage(reader, std::move(value));
}

}  // namespace

std::string FormatFailure(const Error& error) { return MessageWriter().Put(kError, error).Take(); }

std::string FormatOrder(const SaveOrder& order) { return MessageWriter().Put(kValue, order).Take(); }
Result<SaveOrder> ParseOrder(std::string_view bytes) { return ParseValue<SaveOrder>(bytes); }

std::string FormatReport(const ShardReport& report) { return MessageWriter().Put(kValue, report).Take(); }
Result<ShardReport> ParseReport(std::string_view bytes) { return ParseValue<ShardReport>(bytes); }

std::string FormatSaved(const SavedStep& saved) { return MessageWriter().Put(kValue, saved).Take(); }
Result<SavedStep> ParseSaved(std::string_view bytes) { return ParseValue<SavedStep>(bytes); }

// The manifest in the form of the run's object.
std::string FormatStep(const SharedStep& shared) {
  const auto json = FormatManifest(shared.step.stored.manifest);
  const std::string_view manifest = json ? std::string_view(*json) : std::string_view();
  return MessageWriter()
      .Put(kValue, manifest, shared.step.stored.generation, shared.step.skipped, shared.values)
      .Take();
}

Result<SharedStep> ParseStep(std::string_view bytes) {
  MessageReader reader(bytes);
  if (reader.Number() != kValue) return TakeError(reader);
  auto manifest = ParseManifest(reader.Text(), "the manifest that rank 0 sent");
  if (!manifest) return manifest.error();
  SharedStep shared{.step = {.stored = {.manifest = *std::move(manifest)}}};
  reader.Take(shared.step.stored.generation, shared.step.skipped, shared.values);
  return WholeMessage(reader, std::move(shared));
}

}  // namespace internal
}  // namespace gcsflux
