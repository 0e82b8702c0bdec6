// How fast is an epoch that the disk cache has, compared with the same bytes in plain files, read by the same consumer:
// libtorch's DataLoader with 4 workers, shuffled, uint8 tensors? Files and cache are in one directory, and in the page
// cache. Aim: at least 0.9 of the plain files' samples/s. Every byte of the cache is compared with its CRC32C.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <torch/data/dataloader.h>
#include <torch/data/datasets/base.h>
#include <torch/data/samplers/random.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "datasets/loops.h"
#include "datasets/service.h"
#include "process_cpu.h"
#include "support/test_directory.h"

namespace gcsflux::bench {
namespace {

constexpr int kWorkers = 4;
constexpr std::size_t kBatch = 256;

using Samples = std::vector<torch::data::TensorExample>;

class PlainFiles : public torch::data::datasets::BatchDataset<PlainFiles, Samples> {
 public:
  PlainFiles(std::string directory, std::size_t count, std::uint64_t bytes)
      : directory_(std::move(directory)), count_(count), bytes_(static_cast<std::int64_t>(bytes)) {}

  void Write() const {
    const std::string content(static_cast<std::size_t>(bytes_), 'x');
    for (std::size_t i = 0; i < count_; ++i) std::ofstream(NameOf(i)) << content;
  }

  Samples get_batch(torch::ArrayRef<std::size_t> indices) override {
    Samples samples;
    samples.reserve(indices.size());
    for (const std::size_t index : indices) samples.emplace_back(Read(index));
    return samples;
  }
  [[nodiscard]] torch::optional<std::size_t> size() const override { return count_; }

 private:
  [[nodiscard]] std::string NameOf(std::size_t index) const { return directory_ + "/" + std::to_string(index); }
  [[nodiscard]] torch::Tensor Read(std::size_t index) const {
    torch::Tensor tensor = torch::empty({bytes_}, torch::kUInt8);
    const int file = ::open(NameOf(index).c_str(), O_RDONLY | O_CLOEXEC);
    const ssize_t got = ::read(file, tensor.data_ptr(), static_cast<std::size_t>(bytes_));
    ::close(file);
    if (got != bytes_) throw std::runtime_error("a file could not be read");
    return tensor;
  }

  std::string directory_;
  std::size_t count_;
  std::int64_t bytes_;
};

std::string ReadFiles(const PlainFiles& files, std::size_t count) {
  auto loader = torch::data::make_data_loader(files, torch::data::samplers::RandomSampler(count),
                                              torch::data::DataLoaderOptions(kBatch).workers(kWorkers));
  std::size_t seen = 0;
  for (const Samples& batch : *loader) seen += batch.size();
  return seen == count ? "" : "samples are missing";
}

// Arguments: way (0: plain files, 1: the cache), KiB.
void BM_FromDisk(benchmark::State& state) {
  const bool is_cached = state.range(0) == 1;
  const SizeClass size = ClassOf(state.range(1));
  const testing::TestDirectory directory;
  const PlainFiles files(directory.path(), size.objects, size.bytes);
  std::optional<Service> service;
  std::unique_ptr<Loop> loop;
  std::string failure;
  if (is_cached) {
    service.emplace();
    const LoopInput input{.client = service->MakeClient(),
                          .endpoint = service->endpoint(),
                          .objects = service->Store(size),
                          .epochs = {.seed = 7, .batch_size = kBatch},
                          .dataset = {.cache = CacheOptions{.directory = directory.path() / "cache"}},
                          .workers = kWorkers};
    loop = MapLoop(input);
    failure = Verify(*loop, input.objects);
  } else {
    files.Write();
    failure = ReadFiles(files, size.objects);
  }
  double cpu = 0;
  for (auto _ : state) {
    if (!failure.empty()) return state.SkipWithError(failure.c_str());
    const double before = ProcessCpuSeconds();
    failure = is_cached ? loop->Epoch(nullptr) : ReadFiles(files, size.objects);
    cpu += ProcessCpuSeconds() - before;
  }
  const auto objects = state.iterations() * static_cast<std::int64_t>(size.objects);
  state.SetItemsProcessed(objects);
  state.SetBytesProcessed(objects * static_cast<std::int64_t>(size.bytes));
  state.counters["cpu_us"] = cpu * 1e6 / static_cast<double>(objects);
}
BENCHMARK(BM_FromDisk)
    ->ArgNames({"cached", "kib"})
    ->ArgsProduct({{0, 1}, {100, 3072}})
    ->Iterations(5)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
