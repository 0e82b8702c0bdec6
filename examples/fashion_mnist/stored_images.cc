#include "fashion_mnist/stored_images.h"

#include <torch/types.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/torch/images.h"
#include "store_missing.h"

namespace {

constexpr std::int64_t kSide = 28;  // Fashion-MNIST's images, in pixels.
constexpr int kClasses = 10;

std::string ImageName(int label, std::size_t index) {
  const std::string digits = std::to_string(index);
  return std::to_string(label) + "/" + std::string(5 - std::min<std::size_t>(digits.size(), 5), '0') + digits + ".png";
}

std::vector<std::byte> EncodeGrey(std::span<const std::uint8_t> pixels, std::size_t columns) {
  return gcsflux::EncodePng(torch::from_blob(const_cast<std::uint8_t*>(pixels.data()),  // Only read.
                                             static_cast<std::int64_t>(pixels.size()), torch::kUInt8)
                                .view({1, -1, static_cast<std::int64_t>(columns)}));
}

}  // namespace

std::size_t StoreImages(const gcsflux::Client& client, const gcsflux::ObjectName& folder,
                        const LabelledImages& images) {
  std::vector<examples::MissingObject> objects;
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    objects.push_back({ImageName(images.labels[i], i), "image/png",
                       [&images, i] { return EncodeGrey(images.image(i), images.columns); }});
  }
  return examples::StoreMissing(client, folder, std::move(objects));
}

torch::data::Example<> DecodeImage(const gcsflux::ListedObject& object, std::span<const std::byte> bytes) {
  const std::string directory = std::filesystem::path(object.name).parent_path().filename();
  if (directory.size() != 1 || directory[0] < '0' || directory[0] >= '0' + kClasses) {
    throw std::runtime_error("its directory's name is no label from 0 to 9");
  }
  const torch::Tensor pixels = gcsflux::DecodeImage(object.name, bytes, {.channels = gcsflux::ImageChannels::kGrey});
  if (pixels.size(1) != kSide || pixels.size(2) != kSide) throw std::runtime_error("it has not 28 x 28 pixels");
  return {pixels, torch::tensor(std::int64_t{directory[0] - '0'})};
}
