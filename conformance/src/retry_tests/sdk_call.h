#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"
#include "retry_tests/scene.h"

namespace gcsflux::conformance {

/// When the SDK repeats a call with its default, strict, idempotency.
enum class Repeatable {
  kAlways,             ///< With and without a precondition.
  kUnderPrecondition,  ///< If the scenario provides a precondition.
  kByItself,           ///< The call always sets conditions of its own, so there is no trial without a precondition.
};

/// One function of the SDK that does what a method of the JSON API does.
struct SdkCall {
  std::string_view method = {};  ///< "storage.objects.get"
  std::string_view group = {};   ///< Its name in the public files, or empty.
  std::string_view name = {};    ///< "ReadObject.Sink": the function, and in which form.
  Repeatable repeatable = Repeatable::kAlways;
  Result<void> (*run)(const Client& client, Scene& scene) = nullptr;
  /// What is wrong with the effect of a call that should be carried out once. Empty if nothing is.
  std::string (*check)(const Service& service, const Scene& scene) = nullptr;
};

// Methods and a group of the public files.
inline constexpr auto kInsert = "storage.objects.insert";
inline constexpr auto kGet = "storage.objects.get";
inline constexpr auto kDownload = "storage.objects.download";
inline constexpr auto kResumable = "storage.resumable.upload";
/// A method of our own, for calls that read through composites: they make requests of several methods.
inline constexpr auto kComposedDownload = "gcsflux.composed_download";

/// GCS's minimum of a part. UploadBytes() are two parts, sent at the same time.
inline constexpr std::size_t kPartBytes = 5U << 20;

/// SdkCall::check of calls that change nothing.
std::string NothingToCheck(const Service& service, const Scene& scene);
/// SdkCall::check of calls that read ObjectBytes().
std::string CheckWhole(const Service& service, const Scene& scene);
/// SdkCall::check of calls that store UploadBytes() as the new object.
std::string CheckStored(const Service& service, const Scene& scene);
/// The error of a call whose answer does not fit the scene.
Error Unexpected(const std::string& what);

std::span<const SdkCall> BucketCalls();
std::span<const SdkCall> ObjectCalls();
std::span<const SdkCall> DownloadCalls();
std::span<const SdkCall> UploadCalls();
std::span<const SdkCall> StreamCalls();
std::span<const SdkCall> TrainingCalls();

/// All of them.
std::vector<SdkCall> SdkCalls();

/// Drops the value of a result: only success or the error is left.
template <class T>
Result<void> WithoutValue(const Result<T>& result) {
  if (!result.ok()) return result.error();
  return {};
}

}  // namespace gcsflux::conformance
