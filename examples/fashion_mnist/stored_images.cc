#include "fashion_mnist/stored_images.h"

#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <future>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "fashion_mnist/png.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/storage_error.h"
#include "gcsflux/upload.h"

namespace {

constexpr int kUploads = 16;  // At a time.
constexpr int kSide = 28;     // Fashion-MNIST's images, in pixels.
constexpr int kClasses = 10;

std::string ImageName(const std::string& folder, int label, std::size_t index) {
  const std::string digits = std::to_string(index);
  return folder + std::to_string(label) + "/" + std::string(5 - std::min<std::size_t>(digits.size(), 5), '0') + digits +
         ".png";
}

std::set<std::string> NamesUnder(const gcsflux::Client& client, const gcsflux::ObjectName& folder) {
  std::set<std::string> names;
  for (auto& object : gcsflux::ValueOrThrow(gcsflux::ListPrefix(client, folder)).objects) {
    names.insert(std::move(object.name));
  }
  return names;
}

struct MissingImage {
  gcsflux::ObjectName object;
  std::size_t index;
};

std::vector<MissingImage> MissingImages(const gcsflux::Client& client, const gcsflux::ObjectName& folder,
                                        const LabelledImages& images) {
  const std::set<std::string> present = NamesUnder(client, folder);
  std::vector<MissingImage> missing;
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    std::string name = ImageName(folder.name, images.labels[i], i);
    if (!present.contains(name)) missing.push_back({{folder.bucket, std::move(name)}, i});
  }
  return missing;
}

}  // namespace

std::size_t StoreImages(const gcsflux::Client& client, const gcsflux::ObjectName& folder,
                        const LabelledImages& images) {
  const std::vector<MissingImage> missing = MissingImages(client, folder, images);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> has_failed = false;
  const auto upload_what_is_next = [&] {
    for (std::size_t i = next++; i < missing.size() && !has_failed; i = next++) {
      const auto png = EncodePng(images.image(missing[i].index), images.rows, images.columns);
      const auto stored =
          gcsflux::UploadObject(client, missing[i].object, png, {.attributes = {.content_type = "image/png"}});
      if (stored.ok()) continue;
      has_failed = true;
      throw gcsflux::StorageError(stored.error());
    }
  };

  std::vector<std::future<void>> uploads;
  for (int i = 0; i < kUploads; ++i) uploads.push_back(std::async(std::launch::async, upload_what_is_next));
  for (auto& upload : uploads) upload.wait();
  for (auto& upload : uploads) upload.get();  // Throws what the upload threw.
  return missing.size();
}

torch::data::Example<> DecodeImage(const gcsflux::ListedObject& object, std::span<const std::byte> bytes) {
  const std::string directory = std::filesystem::path(object.name).parent_path().filename();
  if (directory.size() != 1 || directory[0] < '0' || directory[0] >= '0' + kClasses) {
    throw std::runtime_error("its directory's name is no label from 0 to 9");
  }
  const torch::Tensor pixels = torch::empty({1, kSide, kSide}, torch::kUInt8);
  DecodePng(bytes, {pixels.data_ptr<std::uint8_t>(), static_cast<std::size_t>(pixels.numel())}, kSide, kSide);
  return {pixels, torch::tensor(std::int64_t{directory[0] - '0'})};
}
