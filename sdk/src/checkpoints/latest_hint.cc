#include "checkpoints/latest_hint.h"

#include <charconv>

#include "checkpoints/step_names.h"
#include "gcsflux/upload.h"

namespace gcsflux::internal {
namespace {

constexpr const char* kStepKey = "latest-step";
constexpr std::chrono::seconds kBetweenChanges{1};

std::optional<std::int64_t> StepIn(const ObjectMetadata& hint) {
  const auto found = hint.metadata.find(kStepKey);
  if (found == hint.metadata.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t step = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && step >= 0 && step <= kMaxStep ? std::optional(step) : std::nullopt;
}

Result<ObjectMetadata> GetHint(const StepStore& store) {
  return store.client().GetObject(store.At(kHintObject),
                                  {.fields = "metadata", .call = store.call(), .stop = store.stop()});
}

}  // namespace

std::optional<std::int64_t> ReadHint(const StepStore& store) {
  const auto hint = GetHint(store);
  return hint ? StepIn(*hint) : std::nullopt;
}

Result<ObjectMetadata> HintWriter::Put(const StepStore& store, std::int64_t step, std::int64_t replaced) const {
  CallOptions once = store.call();
  once.retry = RetryOptions{.max_attempts = 1};
  const std::string text = ManifestName(step) + "\n";
  return UploadObject(store.client(), store.At(kHintObject), AsBytes(text),
                      {.mode = replaced == 0 ? WriteMode::kCreate : WriteMode::kReplace,
                       .generation = replaced,
                       .attributes = {.content_type = "text/plain", .metadata = {{kStepKey, std::to_string(step)}}},
                       .call = once,
                       .stop = store.stop()});
}

void HintWriter::Learn(const Result<ObjectMetadata>& put) {
  const MutexLock lock(mutex_);
  if (put) {
    generation_ = put->generation;
    written_ = put->time_created;
  }
  if (!put && put.error().code == ErrorCode::kPermissionDenied) gives_up_ = true;
}

void HintWriter::Tell(const StepStore& store, std::int64_t step, std::chrono::system_clock::time_point committed) {
  std::int64_t replaced = 0;
  {
    const MutexLock lock(mutex_);
    if (gives_up_ || (written_ && committed - *written_ < kBetweenChanges)) return;
    replaced = generation_;
  }
  auto put = Put(store, step, replaced);
  const bool is_another = !put && (put.error().code == ErrorCode::kPreconditionFailed ||
                                   (put.error().code == ErrorCode::kNotFound && replaced != 0));
  if (is_another) {
    // The hint of an earlier run or of another thread. An object without this key is not a hint.
    const auto there = GetHint(store);
    if (there && !there->metadata.contains(kStepKey)) {
      const MutexLock lock(mutex_);
      gives_up_ = true;
      return;
    }
    const bool is_gone = !there && there.error().code == ErrorCode::kNotFound;
    if (!there && !is_gone) return;
    put = Put(store, step, is_gone ? 0 : there->generation);
  }
  Learn(put);
}

}  // namespace gcsflux::internal
