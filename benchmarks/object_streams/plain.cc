// How fast is an object of 2.5 GiB saved and loaded if the network costs nothing, compared with eight parallel curls
// that send its parts or fetch its ranges? Their files are in memory, they write to /dev/null, and they sum nothing.
// Aims: 0.85 of their rate to save, 0.9 to load, at most 1.25 times their CPU; the memory added is at most the limit
// for parts or read-ahead and 16 MiB, for 76 MB as well.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "gcsflux/object_reader.h"
#include "gcsflux/upload.h"
#include "object_streams/service.h"
#include "peer.h"

namespace gcsflux::bench {
namespace {

constexpr int kCurls = 8;
constexpr int kPartsOfACurl = 20;
constexpr std::uint64_t kPlainBytes = std::uint64_t{kCurls} * kPartsOfACurl * kBlockBytes;
constexpr std::uint64_t kMostAhead = 256U << 20;

// A block in a file, in memory if it is large enough.
class BlockFile {
 public:
  BlockFile() {
    const bool has_memory = std::filesystem::exists("/dev/shm");
    path_ = (has_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
            ("bench-block-" + std::to_string(getpid()));
    std::ofstream(path_) << Block();
  }
  ~BlockFile() { std::filesystem::remove(path_); }
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::optional<std::string> Curl(benchmark::State& state) {
  auto program = FindProgram("curl");
  if (program) return program;
  for (auto _ : state) {
  }
  state.SetLabel("skipped: curl is not installed");
  return std::nullopt;
}

// How many lines of the output equal this one.
std::ptrdiff_t CountLines(const std::string& output, const std::string& line) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = output.find(line + "\n"); at != std::string::npos; at = output.find(line + "\n", at + 1))
    ++count;
  return count;
}

// A multipart upload whose parts curls send.
std::string UploadId(const std::string& curl, const std::string& url) {
  const std::string answer = OutputOf(curl + " -s -X POST '" + url + "?uploads'");
  const auto begin = answer.find("<UploadId>");
  const auto end = answer.find("</UploadId>");
  if (begin == std::string::npos || end == std::string::npos) return {};
  return answer.substr(begin + 10, end - begin - 10);
}

void BM_CurlParts(benchmark::State& state) {
  const auto curl = Curl(state);
  if (!curl) return;
  StreamService service;
  const BlockFile block;
  const std::string url = service.endpoint() + "/" + kStreamBucket + "/parts";
  const std::string id = UploadId(*curl, url);
  if (id.empty()) return state.SkipWithError("no upload was started");
  std::string command;
  for (int i = 0; i < kCurls; ++i) {
    command += *curl + " -sf -H Expect: -o /dev/null -w '%{http_code}\\n' -T " + block.path().string() + " '" + url +
               "?uploadId=" + id + "&partNumber=[" + std::to_string(i * kPartsOfACurl + 1) + "-" +
               std::to_string((i + 1) * kPartsOfACurl) + "]' & ";
  }
  Measure(state, {kPlainBytes, ChildrenCpuSeconds},
          [&] { return CountLines(OutputOf(command + "wait"), "200") == kCurls * kPartsOfACurl; });
}

void BM_PlainSave(benchmark::State& state) {
  const auto bytes = static_cast<std::uint64_t>(state.range(0)) << 20;
  StreamService service;
  static_cast<void>(Block());
  // The first one's connections and threads do not count.
  static_cast<void>(service.Store(2 * kBlockBytes));
  std::uint64_t limit = 0;
  Measure(state, {bytes, ProcessCpuSeconds}, [&] {
    const UploadOptions options;
    limit = options.part_memory_bytes;
    ObjectWriter writer(service.client(), service.NewName(), options);
    for (std::uint64_t left = bytes; left > 0; left -= std::min(left, kBlockBytes)) {
      const auto count = static_cast<std::size_t>(std::min(left, kBlockBytes));
      if (!writer.Write(AsBytes(std::string_view(Block()).substr(0, count)))) return false;
    }
    const auto stored = writer.Close();
    return stored && stored->size == bytes;
  });
  state.counters["beyond_mib"] = state.counters["added_mib"] - static_cast<double>(limit) / kMebi;
}

void BM_CurlRanges(benchmark::State& state) {
  const auto curl = Curl(state);
  if (!curl) return;
  StreamService service;
  const ObjectMetadata stored = service.Store(kPlainBytes);
  const std::uint64_t each = kPlainBytes / kCurls;
  std::string command;
  for (int i = 0; i < kCurls; ++i) {
    const auto first = static_cast<std::uint64_t>(i) * each;
    command += *curl + " -sf -o /dev/null -w '%{size_download}\\n' -r " + std::to_string(first) + "-" +
               std::to_string(first + each - 1) + " '" + service.endpoint() + "/storage/v1/b/" + kStreamBucket + "/o/" +
               stored.name + "?alt=media' & ";
  }
  Measure(state, {kPlainBytes, ChildrenCpuSeconds},
          [&] { return CountLines(OutputOf(command + "wait"), std::to_string(each)) == kCurls; });
}

// `read_on` reads the next bytes, and returns their number.
template <class ReadOn>
void LoadPlain(benchmark::State& state, const ReadOn& read_on) {
  const auto bytes = static_cast<std::uint64_t>(state.range(0)) << 20;
  StreamService service;
  const ObjectMetadata stored = service.Store(bytes);
  Measure(state, {bytes, ProcessCpuSeconds}, [&] {
    auto reader = ObjectReader::Open(service.client(), ObjectName{stored.bucket, stored.name},
                                     {.read_ahead_bytes = kMostAhead, .reads_whole = true});
    if (!reader) return false;
    std::uint64_t came = 0;
    while (came < bytes) {
      const std::size_t read = read_on(*reader);
      if (read == 0) return false;
      came += read;
    }
    return reader->VerifyWhole().ok();
  });
  state.counters["beyond_mib"] = state.counters["added_mib"] - static_cast<double>(kMostAhead) / kMebi;
}

// Each byte is copied once, into memory that the caller then borrows.
void BM_PlainLoad(benchmark::State& state) {
  LoadPlain(state, [](ObjectReader& reader) {
    const auto lent = reader.NextView();
    return lent ? lent->size() : 0;
  });
}

// And a second time, into the caller's memory.
void BM_PlainLoadInto(benchmark::State& state) {
  std::string room(kBlockBytes, '\1');
  LoadPlain(state, [&room](ObjectReader& reader) {
    const auto read = reader.ReadNext(std::as_writable_bytes(std::span(room)));
    return read ? *read : 0;
  });
}

const bool kPlainRegistered = [] {
  const auto add = [](const char* name, void (*run)(benchmark::State&)) {
    return benchmark::RegisterBenchmark(name, run)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
  };
  constexpr auto kMebibytes = static_cast<std::int64_t>(kPlainBytes >> 20);
  add("BM_CurlParts", BM_CurlParts);
  add("BM_PlainSave", BM_PlainSave)->ArgName("mib")->Arg(72)->Arg(kMebibytes);
  add("BM_CurlRanges", BM_CurlRanges);
  add("BM_PlainLoad", BM_PlainLoad)->ArgName("mib")->Arg(72)->Arg(kMebibytes);
  add("BM_PlainLoadInto", BM_PlainLoadInto)->ArgName("mib")->Arg(kMebibytes);
  return true;
}();

}  // namespace
}  // namespace gcsflux::bench
