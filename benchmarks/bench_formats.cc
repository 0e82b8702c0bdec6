// How much do checkpoint formats cost compared with the bytes themselves? Writing into a sink that discards, compared
// with libtorch's writer; saving to the emulator and loading, compared with ObjectWriter and ObjectReader on the same
// bytes; many small tensors, compared with Python; one tensor of many over a service with realistic latencies; memory.
// Tensors have 10 MB each: 30 of them are 300 MB, 250 are 2.5 GB. `beyond_mib` is the peak memory of this process
// without the tensors.
#include <benchmark/benchmark.h>
#include <caffe2/serialize/inline_container.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "checkpoints/byte_sources.h"
#include "checkpoints/write_checkpoint.h"
#include "client_options.h"
#include "formats/safetensors/safetensors.h"
#include "formats/torch_file_writer.h"
#include "gcsflux/checkpoints/checkpoint.h"
#include "gcsflux/emulator/emulator.h"
#include "peer.h"
#include "process_cpu.h"
#include "support/emulator_process.h"
#include "support/process_memory.h"

namespace gcsflux::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTensorBytes = 10'000'000;
constexpr const char* kUri = "gs://bench/checkpoint";
const ObjectName kObject{"bench", "checkpoint"};

enum Way : std::int64_t { kBare, kTorch, kSafetensors };

// Tensors in memory whose pages are all mapped.
class Tensors {
 public:
  explicit Tensors(std::size_t count) : bytes_(count * kTensorBytes) {
    for (std::size_t i = 0; i < bytes_.size(); i += 8) std::memcpy(bytes_.data() + i, &i, 8);
  }

  [[nodiscard]] std::size_t count() const { return bytes_.size() / kTensorBytes; }
  [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }
  [[nodiscard]] std::span<std::byte> operator[](std::size_t i) {
    return std::span(bytes_).subspan(i * kTensorBytes, kTensorBytes);
  }
  static std::string NameOf(std::size_t i) { return "layer" + std::to_string(i); }

  // The next tensor's bytes, as the writers request them.
  Result<void> Give(std::size_t i, const ByteSink& sink) { return sink((*this)[i]); }

  void Clear() { std::memset(bytes_.data(), 0, bytes_.size()); }
  [[nodiscard]] bool AreAsMade() const {
    for (std::size_t i = 0; i < bytes_.size(); i += 8) {
      if (std::memcmp(bytes_.data() + i, &i, 8) != 0) return false;
    }
    return true;
  }

 private:
  std::vector<std::byte> bytes_;
};

const std::vector<std::int64_t> kShape{static_cast<std::int64_t>(kTensorBytes / 4)};

TorchFileContents TorchContents(std::size_t count, const std::vector<std::int64_t>& shape = kShape) {
  pickled::Dict dict{.kind = pickled::DictKind::kOrderedDict};
  TorchFileContents contents;
  for (std::size_t i = 0; i < count; ++i) {
    const TensorLayout layout{.storage = i, .shape = shape, .strides = {1}};
    dict.entries.push_back({{.any = Tensors::NameOf(i)}, {.any = layout}});
    contents.storage_bytes.push_back(4 * static_cast<std::uint64_t>(shape[0]));
  }
  contents.root = {.any = std::move(dict)};
  return contents;
}

SafetensorsContents SafeContents(std::size_t count) {
  SafetensorsContents contents;
  for (std::size_t i = 0; i < count; ++i) contents.tensors.push_back({Tensors::NameOf(i), DType::kFloat32, kShape});
  return contents;
}

Result<void> Write(Way way, Tensors& tensors, const ByteSink& sink) {
  const auto give = [&](std::size_t i, const ByteSink& into) { return tensors.Give(i, into); };
  if (way == kTorch) return WriteTorchFile(TorchContents(tensors.count()), give, sink);
  if (way == kSafetensors) {
    const auto written = WriteSafetensors(SafeContents(tensors.count()), give, sink);
    return written ? Result<void>() : written.error();
  }
  for (std::size_t i = 0; i < tensors.count(); ++i) {
    if (auto put = give(i, sink); !put.ok()) return put;
  }
  return {};
}

// ------------------------------------------------------------------------------------------------- without a service

void BM_WriteByLibtorch(benchmark::State& state) {
  Tensors tensors(100);
  const double before = ProcessCpuSeconds();
  for (auto _ : state) {
    std::size_t written = 0;
    caffe2::serialize::PyTorchStreamWriter writer([&](const void*, std::size_t size) { return written += size, size; });
    for (std::size_t i = 0; i < tensors.count(); ++i) {
      writer.writeRecord("data/" + std::to_string(i), tensors[i].data(), kTensorBytes);
    }
    writer.writeEndOfFile();
  }
  const double bytes = static_cast<double>(state.iterations()) * static_cast<double>(tensors.bytes());
  state.counters["cpu_ns_per_kb"] = 1e12 * (ProcessCpuSeconds() - before) / bytes;
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(BM_WriteByLibtorch)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_Write(benchmark::State& state) {
  Tensors tensors(100);
  const double before = ProcessCpuSeconds();
  for (auto _ : state) {
    std::size_t written = 0;
    const auto done = Write(static_cast<Way>(state.range(0)), tensors, [&](std::span<const std::byte> bytes) {
      written += bytes.size();
      return Result<void>();
    });
    if (!done.ok() || written < tensors.bytes()) return state.SkipWithError("not all bytes were written");
  }
  const double bytes = static_cast<double>(state.iterations()) * static_cast<double>(tensors.bytes());
  state.counters["cpu_ns_per_kb"] = 1e12 * (ProcessCpuSeconds() - before) / bytes;
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}
BENCHMARK(BM_Write)->ArgName("way")->Arg(kTorch)->Arg(kSafetensors)->UseRealTime()->Unit(benchmark::kMillisecond);

// In memory if it is large enough: the disk is not measured.
fs::path ScratchFile() {
  const fs::path directory = fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  return directory / ("bench-formats-" + std::to_string(getpid()));
}

constexpr std::size_t kSmallTensors = 100'000;
const std::vector<std::int64_t> kSmallShape{256};

void WriteSmall(const fs::path& path) {
  std::ofstream file(path, std::ios::binary);
  const std::vector<std::byte> zeros(1024);
  const ByteSink sink = [&](std::span<const std::byte> bytes) -> Result<void> {
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return {};
  };
  const auto give = [&](std::size_t, const ByteSink& into) { return into(zeros); };
  const auto done = WriteTorchFile(TorchContents(kSmallTensors, kSmallShape), give, sink);
  if (!done.ok() || !file.flush()) throw std::runtime_error("no file");
}

void BM_WriteSmall(benchmark::State& state) {
  const fs::path path = ScratchFile();
  for (auto _ : state) WriteSmall(path);
  fs::remove(path);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSmallTensors));
}
BENCHMARK(BM_WriteSmall)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_ReadSmallIndex(benchmark::State& state) {
  const fs::path path = ScratchFile();
  WriteSmall(path);
  for (auto _ : state) {
    const auto opened = StoredCheckpoint::Open(*SourceOfFile(path));
    if (!opened.ok() || opened->tensors().size() != kSmallTensors)
      return state.SkipWithError("not all bytes were read");
  }
  fs::remove(path);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSmallTensors));
}
BENCHMARK(BM_ReadSmallIndex)->UseRealTime()->Unit(benchmark::kMillisecond);

// Debian's PyTorch needs Debian's Python. `loads` is torch.load's time, the other figure torch.save's.
void BM_Python(benchmark::State& state) {
  const bool loads = state.range(0) == 1;
  const std::string path = ScratchFile();
  const std::string command =
      "/usr/bin/python3 -c \"import time, collections, torch\n"
      "tensors = collections.OrderedDict((f'layer{i}', torch.zeros(256)) for i in range(100000))\n"
      "begin = time.time(); torch.save(tensors, '" +
      path +
      "'); saved = time.time()\n"
      "torch.load('" +
      path + "'); print(saved - begin, time.time() - saved)\" 2>/dev/null";
  for (auto _ : state) {
    double save = 0;
    double load = 0;
    if (std::sscanf(OutputOf(command).c_str(), "%lf %lf", &save, &load) != 2) {
      state.SetIterationTime(1);
      state.SetLabel("skipped: python3-torch is not installed");
      continue;
    }
    state.SetIterationTime(loads ? load : save);
  }
  fs::remove(path);
}
BENCHMARK(BM_Python)->ArgName("loads")->Arg(0)->Arg(1)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

// --------------------------------------------------------------------------------------------- to the emulator and
// back

struct Service {
  testing::EmulatorProcess process;
  Client client = *Client::Create(OptionsAt(process.endpoint()));
  Service() {
    if (!client.InsertBucket("bench")) throw std::runtime_error("no bucket");
  }
};

const Service& TheService() {
  static const Service service;
  return service;
}

// The growth of this process.
class Beyond {
 public:
  Beyond() : before_(testing::MemoryFigure(getpid(), "VmRSS")) { testing::ResetPeakMemory(getpid()); }
  [[nodiscard]] double Mib() const {
    return (static_cast<double>(testing::MemoryFigure(getpid(), "VmHWM")) - static_cast<double>(before_)) / (1 << 20);
  }

 private:
  std::uint64_t before_;
};

Result<ObjectMetadata> Save(Way way, Tensors& tensors) {
  return WriteCheckpoint(TheService().client, kUri, [&](const ByteSink& sink) { return Write(way, tensors, sink); });
}

void BM_Save(benchmark::State& state) {
  Tensors tensors(static_cast<std::size_t>(state.range(1)));
  TheService();
  const Beyond beyond;
  for (auto _ : state) {
    if (!Save(static_cast<Way>(state.range(0)), tensors).ok()) return state.SkipWithError("it was not stored");
  }
  state.counters["beyond_mib"] = beyond.Mib();
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(tensors.bytes()));
}

Result<void> Load(Way way, Tensors& tensors) {
  if (way == kBare) {
    const auto reader = ObjectReader::Open(TheService().client, kObject);
    if (!reader.ok()) return reader.error();
    std::vector<RangeRead> reads;
    for (std::size_t i = 0; i < tensors.count(); ++i) reads.push_back({i * kTensorBytes, tensors[i]});
    return reader->Read(reads);
  }
  const auto checkpoint = OpenCheckpoint(TheService().client, kUri);
  if (!checkpoint.ok()) return checkpoint.error();
  std::vector<TensorRead> reads;
  for (const StoredTensor& tensor : checkpoint->tensors()) {
    reads.push_back({&tensor, tensors[std::stoul(tensor.name.substr(5))]});
  }
  return checkpoint->ReadTensors(reads);
}

void BM_Load(benchmark::State& state) {
  const Way way = static_cast<Way>(state.range(0));
  Tensors tensors(static_cast<std::size_t>(state.range(1)));
  if (!Save(way, tensors).ok()) return state.SkipWithError("it was not stored");
  tensors.Clear();
  const Beyond beyond;
  for (auto _ : state) {
    if (!Load(way, tensors).ok()) return state.SkipWithError("it was not read");
  }
  state.counters["beyond_mib"] = beyond.Mib();
  if (!tensors.AreAsMade()) state.SkipWithError("other bytes arrived");
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(tensors.bytes()));
}

#define GCSFLUX_WAYS(name)                                      \
  BENCHMARK(name)                                               \
      ->ArgNames({"way", "tensors"})                            \
      ->ArgsProduct({{kBare, kTorch, kSafetensors}, {30, 250}}) \
      ->UseRealTime()                                           \
      ->Unit(benchmark::kMillisecond)
GCSFLUX_WAYS(BM_Save);
GCSFLUX_WAYS(BM_Load);

// Runs a program and returns its peak memory in MiB, sampled every few milliseconds; nothing if it fails.
std::optional<double> PeakMibOf(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  if (posix_spawn(&pid, arguments.front(), nullptr, nullptr, arguments.data(), environ) != 0) return std::nullopt;
  std::uint64_t peak = 0;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    try {
      peak = std::max(peak, testing::MemoryFigure(pid, "VmHWM"));
    } catch (const std::runtime_error&) {  // It is about to end.
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return status == 0 ? std::optional(static_cast<double>(peak) / (1 << 20)) : std::nullopt;
}

void BM_Convert(benchmark::State& state) {
  const Way way = static_cast<Way>(state.range(0));
  Tensors tensors(static_cast<std::size_t>(state.range(1)));
  if (!Save(way, tensors).ok()) return state.SkipWithError("it was not stored");
  const std::string program = fs::read_symlink("/proc/self/exe").parent_path() / "gcsflux";
  const std::string endpoint = "--endpoint=" + TheService().process.endpoint();
  const std::string to = way == kTorch ? "gs://bench/converted.safetensors" : "gs://bench/converted.pt";
  for (auto _ : state) {
    const auto peak = PeakMibOf({program, endpoint, "checkpoint", "convert", kUri, to});
    if (!peak) return state.SkipWithError("it was not converted");
    state.counters["peak_mib"] = *peak;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(tensors.bytes()));
}
BENCHMARK(BM_Convert)
    ->ArgNames({"way", "tensors"})
    ->ArgsProduct({{kTorch, kSafetensors}, {30, 250}})
    ->UseRealTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// ----------------------------------------------------------------------------------------- one tensor, with latencies

struct ShapedService {
  emulator::Emulator emulator;
  Client client = *Client::Create(OptionsAt(emulator.endpoint()));

  ShapedService(Way way, std::size_t count) {
    Tensors tensors(count);
    const auto write = [&](const ByteSink& sink) { return Write(way, tensors, sink); };
    if (!client.InsertBucket("bench") || !WriteCheckpoint(client, kUri, write)) throw std::runtime_error("no object");
    emulator.shaping().Set(emulator::ShapingProfile("gcs"));
  }
};

// The reader, and how many of its calls depend on each other: the metadata and the source's calls.
struct Counted {
  std::shared_ptr<const ObjectReader> reader;
  int round_trips = 1;

  explicit Counted(const Client& client)
      : reader(std::make_shared<const ObjectReader>(*ObjectReader::Open(client, kObject))) {}

  ByteSource Source() {
    ByteSource source = SourceOf(reader);
    source.read_all = [this, all = source.read_all](std::span<const RangeRead> reads, std::optional<Checksum> sum) {
      ++round_trips;
      return all(reads, sum);
    };
    source.read_at = [all = source.read_all](std::uint64_t offset, std::span<std::byte> into) -> Result<void> {
      const RangeRead one{offset, into};
      if (auto read = all({&one, 1}, {}); !read.ok()) return read.error();
      return {};
    };
    return source;
  }
};

// `beyond_kib` is the bytes read in addition to the tensor.
void BM_OneTensor(benchmark::State& state) {
  const ShapedService service(static_cast<Way>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  const bool inspects = state.range(2) == 1;
  std::vector<std::byte> into(kTensorBytes);
  for (auto _ : state) {
    Counted counted(service.client);
    const auto checkpoint = StoredCheckpoint::Open(counted.Source());
    if (!checkpoint.ok()) return state.SkipWithError("it was not opened");
    if (!inspects && !checkpoint->ReadTensor(*checkpoint->Find("layer17"), into).ok()) {
      return state.SkipWithError("it was not read");
    }
    state.counters["requests"] = static_cast<double>(counted.reader->requests()) + 1;
    state.counters["round_trips"] = counted.round_trips;
    const double wanted = inspects ? 0 : static_cast<double>(kTensorBytes);
    state.counters["beyond_kib"] = (static_cast<double>(counted.reader->fetched_bytes()) - wanted) / 1024;
  }
}
BENCHMARK(BM_OneTensor)
    ->ArgNames({"way", "tensors", "inspect"})
    ->ArgsProduct({{kTorch, kSafetensors}, {30, 250}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gcsflux::bench
