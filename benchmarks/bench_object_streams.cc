// How fast is one large object saved and loaded over 16 connections, compared with one stream? As a checkpoint: blocks
// of 16 MiB are written, and the object is read sequentially into a block. The emulator has the latencies of profile
// gcs; one stream writes 25 MB/s and reads 60, so that the two cores, which emulator and client share, are not the
// limit. Aims: 5, 9 and 12 times one stream to save 76 MB, 298 MB and 1 GiB, and 3.5, 8 and 11 times to load them.
#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "object_streams/service.h"

namespace gcsflux::bench {
namespace {

constexpr int kReadMbps = 60;
constexpr int kWriteMbps = 25;

std::uint64_t BytesOf(const benchmark::State& state) { return static_cast<std::uint64_t>(state.range(0)) * 1'000'000; }

template <class Writer>
bool WriteAll(Writer& writer, std::uint64_t bytes) {
  for (std::uint64_t left = bytes; left > 0;) {
    const auto count = std::min(left, kBlockBytes);
    if (!writer.Write(AsBytes(std::string_view(Block()).substr(0, static_cast<std::size_t>(count))))) return false;
    left -= count;
  }
  const auto stored = writer.Close();
  return stored && stored->size == bytes;
}

void BM_SaveOneStream(benchmark::State& state) {
  StreamService service;
  service.BeLikeGcs(kReadMbps, kWriteMbps);
  Measure(state, {BytesOf(state), ProcessCpuSeconds}, [&] {
    ObjectWriter writer(service.client(), service.NewName(), {.path = WritePath::kOneStream});
    return WriteAll(writer, BytesOf(state));
  });
}

void BM_Save(benchmark::State& state) {
  StreamService service;
  service.BeLikeGcs(kReadMbps, kWriteMbps);
  Measure(state, {BytesOf(state), ProcessCpuSeconds}, [&] {
    ObjectWriter writer(service.client(), service.NewName());
    return WriteAll(writer, BytesOf(state));
  });
}

void BM_LoadOneStream(benchmark::State& state) {
  StreamService service;
  const ObjectMetadata stored = service.Store(BytesOf(state));
  service.BeLikeGcs(kReadMbps, kWriteMbps);
  Measure(state, {BytesOf(state), ProcessCpuSeconds}, [&] {
    std::uint64_t came = 0;
    const auto count = [&](std::span<const std::byte> bytes) -> Result<void> {
      came += bytes.size();
      return {};
    };
    return service.client().ReadObject({stored.bucket, stored.name}, count) && came == stored.size;
  });
}

void BM_Load(benchmark::State& state) {
  StreamService service;
  const ObjectMetadata stored = service.Store(BytesOf(state));
  service.BeLikeGcs(kReadMbps, kWriteMbps);
  std::string room(kBlockBytes, '\0');
  Measure(state, {BytesOf(state), ProcessCpuSeconds}, [&] {
    auto reader = ObjectReader::Open(service.client(), ObjectName{stored.bucket, stored.name}, {.reads_whole = true});
    if (!reader) return false;
    std::uint64_t came = 0;
    while (true) {
      const auto read = reader->ReadNext(std::as_writable_bytes(std::span(room)));
      if (!read) return false;
      if (*read == 0) return came == stored.size && reader->VerifyWhole().ok();
      came += *read;
    }
  });
}

const bool kRegistered = [] {
  const auto add = [](const char* name, void (*run)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, run)
        ->ArgName("mb")
        ->Arg(76)
        ->Arg(298)
        ->Arg(1074)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  };
  add("BM_SaveOneStream", BM_SaveOneStream);
  add("BM_Save", BM_Save);
  add("BM_LoadOneStream", BM_LoadOneStream);
  add("BM_Load", BM_Load);
  return true;
}();

}  // namespace
}  // namespace gcsflux::bench
