#include "sharding/step_values.h"

#include "base/either_stop.h"
#include "checkpoints/byte_sources.h"
#include "checkpoints/latest_step.h"
#include "checkpoints/save_step.h"
#include "checkpoints/step_store.h"
#include "formats/checkpoint_reader.h"
#include "formats/safetensors/safetensors.h"
#include "formats/state_json.h"
#include "sharding/ranks/caught.h"

namespace gcsflux::internal {
namespace {

Result<std::string> Read(StepStore& steps, const CheckpointManifest& step, const ObjectReaderOptions& reader) {
  const StepFile& own = *FindStateFile(step);
  auto file = steps.OpenFile(own, reader);
  if (!file) return file.error();
  const ByteSource source = SourceOf(std::make_shared<const ObjectReader>(*std::move(file)));
  if (!own.name.ends_with(".safetensors")) {
    const auto opened = StoredCheckpoint::Open(source);
    if (!opened) return opened.error();
    const auto root = opened->reader().ReadValue();
    return root ? FormatState(*root) : root.error();
  }
  const auto header = ReadSafetensorsHeader(source);
  if (!header) return header.error();
  for (const auto& [key, value] : header->metadata) {
    if (key == kStateKey) return value;
  }
  return std::string();
}

}  // namespace

Result<std::string> ReadStepValues(StepStore& steps, const CheckpointManifest& step, ObjectReaderOptions reader) {
  if (FindStateFile(step) == nullptr) return std::string();
  const EitherStop either(steps.stop(), reader.stop);
  reader.stop = either.token();
  auto caught = Caught([&] { return Read(steps, step, reader); });
  if (!caught) return caught.error();
  // Only here a step's damage can look like other contents: tensors are read by what the manifest says.
  if (*caught) return *std::move(caught);
  Error why = WhyUnusable(steps, step, reader, caught->error()).value_or(caught->error());
  why.message = "the values of step " + std::to_string(step.step) + " of " + steps.uri() + ": " + why.message;
  return why;
}

}  // namespace gcsflux::internal
