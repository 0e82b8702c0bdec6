#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"
#include "retry_tests/scene.h"

namespace gcsflux::conformance {

/// What it takes for the SDK to repeat a call, at its default, strict, idempotency.
enum class Repeatable {
  kAlways,             ///< A precondition makes no difference.
  kUnderPrecondition,  ///< Where the scenario provides one.
  kByItself,           ///< Always conditional, by conditions of its own: nothing to be tried without a precondition.
};

/// One way that the SDK has to do what a method of the JSON API does.
struct SdkCall {
  std::string_view method = {};  ///< "storage.objects.get"
  std::string_view group = {};   ///< As the public files have it, or empty.
  std::string_view name = {};    ///< "ReadObject.Sink": the function, and in which form.
  Repeatable repeatable = Repeatable::kAlways;
  Result<void> (*run)(const Client& client, Scene& scene) = nullptr;
  /// What is wrong with what the call did, where that was to be done once; empty where nothing is.
  std::string (*check)(const Service& service, const Scene& scene) = nullptr;
};

std::span<const SdkCall> BucketCalls();
std::span<const SdkCall> ObjectCalls();
std::span<const SdkCall> DownloadCalls();
std::span<const SdkCall> UploadCalls();
std::span<const SdkCall> MultipartCalls();

/// All of them.
std::vector<SdkCall> SdkCalls();

/// Of a result, whether it is one.
template <class T>
Result<void> WithoutValue(const Result<T>& result) {
  if (!result.ok()) return result.error();
  return {};
}

}  // namespace gcsflux::conformance
