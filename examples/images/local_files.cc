#include <torch/data/dataloader.h>
#include <torch/data/datasets/base.h>
#include <torch/data/datasets/map.h>
#include <torch/data/samplers/sequential.h>
#include <torch/data/transforms/stack.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <vector>

#include "images/sample_source.h"
#include "images/stored_images.h"

namespace examples {
namespace {

namespace fs = std::filesystem;
using gcsflux::Cursor;
using gcsflux::SampleContext;

// An epoch's files, in its order.
class EpochFiles : public torch::data::datasets::Dataset<EpochFiles> {
 public:
  struct Shared {
    fs::path folder;
    std::vector<std::string> paths;
    std::vector<SampleContext> samples;
    DecodeSample decode;
  };
  explicit EpochFiles(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}

  Sample get(std::size_t place) override {
    const SampleContext& context = shared_->samples[place];
    const std::string& path = shared_->paths[context.index];
    const std::string name = (shared_->folder / path).string();
    std::ifstream file(name, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw std::runtime_error("cannot read " + name);
    return shared_->decode({name, path, std::as_bytes(std::span(content))}, context);
  }
  [[nodiscard]] torch::optional<std::size_t> size() const override { return shared_->samples.size(); }

 private:
  std::shared_ptr<const Shared> shared_;
};

class LocalSource : public SampleSource {
 public:
  LocalSource(const fs::path& folder, DecodeSample decode, const gcsflux::EpochOptions& epochs,
              const std::optional<Cursor>& cursor)
      : epochs_(epochs), folder_(folder), decode_(std::move(decode)) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path path = entry.path().lexically_relative(folder);
      if (entry.is_regular_file() && IsImageName(path.string())) paths_.push_back(path.string());
    }
    if (paths_.empty()) throw std::runtime_error(folder.string() + " has no images");
    std::sort(paths_.begin(), paths_.end());
    cursor_ = cursor.value_or(Cursor{.seed = epochs.seed});
    cursor_.listing.count = paths_.size();
  }

  std::optional<Sample> Next() override {
    if (loader_) {
      ++*batch_;
    } else {
      Begin();
    }
    if (*batch_ != loader_->end()) {
      const std::uint64_t behind = cursor_.consumed + epochs_.batch_size * epochs_.world_size;
      cursor_.consumed = std::min<std::uint64_t>(paths_.size(), behind);
      return **batch_;
    }
    batch_.reset();
    loader_.reset();
    cursor_.consumed = 0;
    ++cursor_.epoch;
    return std::nullopt;
  }
  [[nodiscard]] Cursor cursor() const override { return cursor_; }

 private:
  using Files = torch::data::datasets::MapDataset<EpochFiles, torch::data::transforms::Stack<>>;
  using Loader = torch::data::StatelessDataLoader<Files, torch::data::samplers::SequentialSampler>;

  // The rest of the cursor's epoch: this rank's share of each global batch.
  [[nodiscard]] std::vector<SampleContext> Samples() const {
    std::mt19937_64 random(epochs_.seed + (cursor_.epoch << 32));
    std::vector<SampleContext> all(paths_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {cursor_.epoch, i, random()};
    if (epochs_.sample_order() != gcsflux::SampleOrder::kByName) std::shuffle(all.begin(), all.end(), random);
    std::vector<SampleContext> mine;
    for (std::uint64_t i = cursor_.consumed; i < all.size(); ++i) {
      const std::uint64_t batch = (i - cursor_.consumed) / epochs_.batch_size;
      if (batch % epochs_.world_size == epochs_.rank) mine.push_back(all[i]);
    }
    return mine;
  }

  void Begin() {
    const auto shared =
        std::make_shared<const EpochFiles::Shared>(EpochFiles::Shared{folder_, paths_, Samples(), decode_});
    loader_ = std::make_unique<Loader>(Files(EpochFiles(shared), {}),
                                       torch::data::samplers::SequentialSampler(shared->samples.size()),
                                       torch::data::DataLoaderOptions(epochs_.batch_size).workers(2));
    batch_.emplace(loader_->begin());
  }

  const gcsflux::EpochOptions epochs_;
  const fs::path folder_;
  const DecodeSample decode_;
  std::vector<std::string> paths_;
  Cursor cursor_;
  std::unique_ptr<Loader> loader_;
  std::optional<torch::data::Iterator<Sample>> batch_;
};

}  // namespace

std::unique_ptr<SampleSource> OpenLocalFiles(const std::string& folder, const DecodeSample& decode,
                                             const gcsflux::EpochOptions& epochs, const std::optional<Cursor>& cursor) {
  return std::make_unique<LocalSource>(folder, decode, epochs, cursor);
}

}  // namespace examples
