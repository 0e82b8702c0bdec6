#include "checkpoints/folder_shards.h"
#include "checkpoints/step_names.h"
#include "gcsflux/checkpoints/checkpoint.h"

namespace gcsflux {

std::optional<StepPlace> StepPlaceOf(std::string_view uri) {
  if (!uri.starts_with("gs://") && !uri.starts_with("gcs://")) return std::nullopt;
  const std::size_t folder = uri.rfind('/') + 1;
  const auto step = internal::StepOfManifest(uri.substr(folder));
  return step ? std::optional(StepPlace{std::string(uri.substr(0, folder)), *step}) : std::nullopt;
}

Result<std::vector<std::string>> ListShards(const Client& client, const std::string& folder,
                                            const std::stop_token& stop) {
  return internal::ShardsInFolder(client, folder, {}, stop);
}

}  // namespace gcsflux
