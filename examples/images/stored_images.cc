#include "images/stored_images.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>

#include "gcsflux/torch/images.h"
#include "gcsflux/torch/storage_error.h"
#include "images/job_flags.h"
#include "store_missing.h"

namespace examples {
namespace {

namespace fs = std::filesystem;
using gcsflux::ValueOrThrow;

constexpr std::size_t kTestShare = 8;  // One image of so many is for the test.
constexpr std::int64_t kDrawnSide = 48;
constexpr const char* kDrawnClasses[] = {"crosses", "discs", "squares"};

// Where the n-th image of a class is.
std::string Place(std::size_t n, const std::string& path) { return (n % kTestShare == 0 ? "test/" : "train/") + path; }

std::vector<std::byte> ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error("cannot read " + path.string());
  const auto bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

std::vector<MissingObject> ImagesOfFolder(const fs::path& folder, const AcceptImage& accept) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path path = entry.path().lexically_relative(folder);
    if (entry.is_regular_file() && path.has_parent_path() && IsImageName(path.string())) paths.push_back(path.string());
  }
  std::sort(paths.begin(), paths.end());
  std::map<std::string, std::size_t> counts;  // By class.
  std::vector<MissingObject> images;
  for (const std::string& path : paths) {
    auto bytes = ReadFile(folder / path);
    if (!accept(path, bytes)) continue;
    const std::string type = path.ends_with(".png") ? "image/png" : "image/jpeg";
    images.push_back(
        {Place(counts[path.substr(0, path.find('/'))]++, path), type, [bytes = std::move(bytes)] { return bytes; }});
  }
  if (images.empty()) throw std::runtime_error(folder.string() + " has no image in a directory: see --data_dir");
  return images;
}

// A figure in a random colour, size and place.
at::Tensor DrawImage(std::size_t figure, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
  const std::int64_t radius = 8 + below(10);
  const at::Tensor x = at::arange(kDrawnSide).view({1, kDrawnSide}) - radius - below(kDrawnSide - 2 * radius);
  const at::Tensor y = at::arange(kDrawnSide).view({kDrawnSide, 1}) - radius - below(kDrawnSide - 2 * radius);
  at::Tensor inside = (x.abs() <= radius) & (y.abs() <= radius);
  if (figure == 0) inside = inside & ((x.abs() <= radius / 3) | (y.abs() <= radius / 3));
  if (figure == 1) inside = x * x + y * y <= radius * radius;
  at::Tensor image = at::zeros({4, kDrawnSide, kDrawnSide}, at::kByte);
  for (int channel = 0; channel < 3; ++channel) image[channel].fill_(below(256));
  image[3].masked_fill_(inside, 255);
  return image;
}

std::vector<MissingObject> DrawnImages(std::size_t count) {
  std::vector<MissingObject> images;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t figure = i % std::size(kDrawnClasses);
    const std::size_t n = i / std::size(kDrawnClasses);
    images.push_back(
        {Place(n, std::string(kDrawnClasses[figure]) + "/" + std::to_string(n) + ".png"), "image/png", [figure, i] {
           std::mt19937_64 random(i);
           return gcsflux::EncodePng(DrawImage(figure, random));
         }});
  }
  return images;
}

void StoreOnThisRank(const Job& job, const AcceptImage& accept) {
  std::vector<MissingObject> images;
  if (!FLAGS_data_dir.empty()) images = ImagesOfFolder(FLAGS_data_dir, accept);
  auto count = static_cast<std::size_t>(FLAGS_drawn_images);
  if (FLAGS_bucket.empty() && FLAGS_data_dir.empty()) count = std::max<std::size_t>(count, 60);
  for (MissingObject& drawn : DrawnImages(count)) images.push_back(std::move(drawn));
  if (images.empty()) return;
  const std::size_t all = images.size();
  const std::size_t stored = StoreMissing(job.client, job.root, std::move(images));
  std::cout << "stored " << stored << " images, " << all - stored << " were there: " << ToUri(job.root) << std::endl;
}

std::vector<std::string> LocalClasses() {
  std::vector<std::string> classes;
  for (const auto& entry : fs::directory_iterator(fs::path(FLAGS_local_dir) / "test")) {
    if (entry.is_directory()) classes.push_back(entry.path().filename().string());
  }
  std::sort(classes.begin(), classes.end());
  return classes;
}

std::vector<std::string> StoredClasses(const Job& job) {
  const gcsflux::ObjectName folder = job.At("test/");
  std::vector<std::string> classes;
  gcsflux::ListOptions options{.delimiter = "/"};
  do {
    const auto page = ValueOrThrow(job.client.ListObjects(folder, options));
    for (const std::string& prefix : page.prefixes) {
      classes.push_back(prefix.substr(folder.name.size(), prefix.size() - folder.name.size() - 1));
    }
    options.page_token = page.next_page_token;
  } while (!options.page_token.empty());
  return classes;
}

}  // namespace

void StoreImages(const Job& job, const AcceptImage& accept) {
  if (job.is_first()) StoreOnThisRank(job, accept);
  ValueOrThrow(gcsflux::Barrier(job.ranks, std::chrono::minutes(30)));
}

std::vector<std::string> ImageClasses(const Job& job) {
  auto classes = FLAGS_local_dir.empty() ? StoredClasses(job) : LocalClasses();
  if (!classes.empty()) return classes;
  throw std::runtime_error("no directory of a class is in test/ of " +
                           (FLAGS_local_dir.empty() ? ToUri(job.root) : FLAGS_local_dir) +
                           ": store images with --data_dir or --drawn_images");
}

bool IsImageName(const std::string& name) {
  return name.ends_with(".png") || name.ends_with(".jpg") || name.ends_with(".jpeg");
}

}  // namespace examples
