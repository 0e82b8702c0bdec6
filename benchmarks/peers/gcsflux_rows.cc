// One row of the comparison with other clients, done by gcsflux: compare.py starts this program, and judges what it
// prints. It is a separate process so that CPU and memory are those of one row. All options are the datasets' and the
// client's defaults, unless a flag of gcsflux says otherwise.
#include <gflags/gflags.h>
#include <torch/types.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "gcsflux/dataset.h"
#include "gcsflux/download.h"
#include "gcsflux/flags.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/data_loader.h"
#include "gcsflux/torch/map_dataset.h"
#include "gcsflux/torch/state_dict.h"
#include "process_cpu.h"
#include "support/process_memory.h"

DEFINE_string(row, "small_reads", "What to do: small_reads, large_read, epoch, checkpoint_save or checkpoint_load.");
DEFINE_string(bucket, "small", "The bucket, whose objects are all read.");
DEFINE_uint64(batch, 64, "Samples in a batch.");
DEFINE_bool(sums, false, "Sum the samples of an epoch too, which takes CPU: for a run that is not timed.");
DEFINE_uint64(tensors, 64, "Tensors of 16 MiB in the checkpoint.");

namespace gcsflux::bench {
namespace {

using Clock = std::chrono::steady_clock;

// What came, as far as the caller checks it. The sum does not depend on the order.
struct Received {
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  std::uint64_t crc32c_sum = 0;

  void Count(std::span<const std::byte> object) {
    ++items;
    bytes += object.size();
  }
  void Add(std::span<const std::byte> object) {
    Count(object);
    crc32c_sum += Crc32cOf(object);
  }
};

// The time, CPU and memory from its construction to Stop().
class Measurement {
 public:
  void Stop() {
    seconds_ = std::chrono::duration<double>(Clock::now() - begin_).count();
    cpu_seconds_ = ProcessCpuSeconds() - cpu_before_;
  }
  void Print(const Received& received) const {
    std::cout << "{\"seconds\": " << seconds_ << ", \"cpu_seconds\": " << cpu_seconds_
              << ", \"resident_before\": " << resident_before_ << ", \"items\": " << received.items
              << ", \"bytes\": " << received.bytes << ", \"crc32c_sum\": " << received.crc32c_sum << "}\n";
  }

 private:
  double resident_before_ = static_cast<double>(testing::MemoryFigure(getpid(), "VmRSS"));
  double cpu_before_ = ProcessCpuSeconds();
  Clock::time_point begin_ = Clock::now();
  double seconds_ = 0;
  double cpu_seconds_ = 0;
};

// Small objects, or a large one whose ranges are read at the same time.
void ReadObjects(const Client& client) {
  const auto listing = ValueOrThrow(ListInParallel(client, {FLAGS_bucket, ""}));
  const auto sources = DownloadSources(FLAGS_bucket, listing.objects);
  const Downloader downloader(client, ValueOrThrow(DatasetOptionsFromFlags()).download);
  Measurement measurement;
  const auto objects = ValueOrThrow(downloader.Download(sources));
  measurement.Stop();
  Received received;
  for (const DownloadedObject& object : objects) received.Add(object.bytes);
  measurement.Print(received);
}

std::span<const std::byte> BytesOf(const at::Tensor& tensor) {
  return {static_cast<const std::byte*>(tensor.data_ptr()), tensor.nbytes()};
}

void ReadEpoch(const Client& client) {
  auto options = ValueOrThrow(DatasetOptionsFromFlags());
  options.fetch_across_epochs = false;  // There is one.
  const TensorMapDataset dataset(client, {FLAGS_bucket, ""}, options);
  using Stacked = torch::data::transforms::Stack<torch::data::TensorExample>;
  Measurement measurement;
  Received received;
  auto loader = MakeDataLoader(dataset, {.seed = 7, .batch_size = FLAGS_batch}, {}, Stacked());
  for (const auto& batch : loader) {
    for (std::int64_t i = 0; i < batch.data.size(0); ++i) {
      const auto sample = BytesOf(batch.data[i]);
      FLAGS_sums ? received.Add(sample) : received.Count(sample);
    }
  }
  measurement.Stop();
  measurement.Print(received);
}

// As the other clients make it, so that each can be compared with it.
NamedTensors MakeState() {
  constexpr std::int64_t kElements = (16 << 20) / 4;
  NamedTensors state;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(FLAGS_tensors); ++i) {
    state.emplace_back("layer" + std::to_string(i), torch::arange(i, i + kElements, torch::kInt32));
  }
  return state;
}

Received Describe(const NamedTensors& state) {
  Received received;
  for (const auto& named : state) received.Add(BytesOf(named.second));
  return received;
}

const std::string& CheckpointUri() {
  static const std::string uri = "gs://" + FLAGS_bucket + "/checkpoint";
  return uri;
}

void SaveCheckpoint(const Client& client) {
  const NamedTensors state = MakeState();
  Measurement measurement;
  SaveStateDict(client, CheckpointUri(), state, CheckpointFormat::kTorchFile, ValueOrThrow(UploadOptionsFromFlags()));
  measurement.Stop();
  measurement.Print(Describe(state));
}

void LoadCheckpoint(const Client& client) {
  Measurement measurement;
  const NamedTensors loaded = LoadStateDict(client, CheckpointUri());
  measurement.Stop();
  measurement.Print(Describe(loaded));
}

const std::map<std::string, std::function<void(const Client&)>>& Rows() {
  static const auto& rows = *new std::map<std::string, std::function<void(const Client&)>>{
      {"small_reads", ReadObjects},        {"large_read", ReadObjects},         {"epoch", ReadEpoch},
      {"checkpoint_save", SaveCheckpoint}, {"checkpoint_load", LoadCheckpoint},
  };
  return rows;
}

int Fail(const std::string& message) {
  std::cerr << "gcsflux_rows: " << message << "\n";
  return 1;
}

int Run(int argc, char** argv) {
  static_cast<void>(ValueOrThrow(ParseFlags(argc, argv)));
  if (HelpRequested()) {
    std::cout << "gcsflux_rows [flags]: one row of the comparison with other clients\n\n" << FlagsHelp(__FILE__);
    return 0;
  }
  const auto row = Rows().find(FLAGS_row);
  if (row == Rows().end()) return Fail("there is no row '" + FLAGS_row + "'");
  row->second(ValueOrThrow(Client::Create(ValueOrThrow(ClientOptionsFromFlags()))));
  return 0;
}

}  // namespace
}  // namespace gcsflux::bench

int main(int argc, char** argv) {
  try {
    return gcsflux::bench::Run(argc, argv);
  } catch (const std::exception& error) {
    return gcsflux::bench::Fail(error.what());
  }
}
