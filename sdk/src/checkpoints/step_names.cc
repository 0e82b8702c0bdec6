#include "checkpoints/step_names.h"

#include <algorithm>

#include "checkpoints/run_identity.h"

namespace gcsflux::internal {
namespace {

constexpr std::string_view kBeginning = "step-";
constexpr std::string_view kManifestEnding = ".json";
constexpr std::size_t kDigits = 8;
constexpr std::size_t kStemBytes = kBeginning.size() + kDigits;
constexpr std::size_t kRandomDigits = 32;

std::string StemOf(std::int64_t step) {
  std::string digits = std::to_string(step);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return std::string(kBeginning) + digits;
}

std::optional<std::int64_t> StepOfStem(std::string_view name) {
  if (!name.starts_with(kBeginning) || name.size() < kStemBytes) return std::nullopt;
  std::int64_t step = 0;
  for (const char digit : name.substr(kBeginning.size(), kDigits)) {
    if (digit < '0' || digit > '9') return std::nullopt;
    step = step * 10 + (digit - '0');
  }
  return step;
}

}  // namespace

std::string StepFolder(std::int64_t step) { return StemOf(step) + "/"; }

std::string ManifestName(std::int64_t step) { return StemOf(step) + std::string(kManifestEnding); }

std::optional<std::int64_t> StepOfManifest(std::string_view name) {
  if (name.size() != kStemBytes + kManifestEnding.size() || !name.ends_with(kManifestEnding)) return std::nullopt;
  return StepOfStem(name);
}

std::optional<std::int64_t> StepOfFile(std::string_view name) {
  if (name.size() <= kStemBytes + 1 || name[kStemBytes] != '/') return std::nullopt;
  if (name.find('/', kStemBytes + 1) != std::string_view::npos) return std::nullopt;
  return StepOfStem(name);
}

std::optional<std::int64_t> StepOfFolder(std::string_view name) {
  if (name.size() <= kStemBytes || name[kStemBytes] != '/') return std::nullopt;
  return StepOfStem(name);
}

std::optional<StepPlace> StepPlaceOf(std::string_view uri) {
  if (!IsObjectUri(uri)) return std::nullopt;
  const std::size_t folder = uri.rfind('/') + 1;
  const auto step = StepOfManifest(uri.substr(folder));
  return step ? std::optional(StepPlace{std::string(uri.substr(0, folder)), *step}) : std::nullopt;
}

std::string NewFileName(std::int64_t step, std::string_view name) {
  return StepFolder(step) + RandomName() + "-" + std::string(name);
}

bool IsOwnFileName(std::string_view name) {
  if (!StepOfFile(name)) return false;
  name.remove_prefix(kStemBytes + 1);
  const bool has_form = name.size() > kRandomDigits + 1 && name[kRandomDigits] == '-';
  return has_form && name.find_first_not_of("0123456789abcdef") == kRandomDigits;
}

}  // namespace gcsflux::internal
