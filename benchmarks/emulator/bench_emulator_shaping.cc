// How exactly does the emulator keep a stream's rate? In each window of 50 ms, as a client sees it, down and up; and
// for 256 streams in parallel. The emulator is in this process; an error above 5 % is shown and is not a failure.
#include <benchmark/benchmark.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::emulator {
namespace {

using Instant = std::chrono::steady_clock::time_point;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr milliseconds kWindow{50};
constexpr double kSeconds = 1.5;  // of each stream

// A connection that counts its bytes in both directions.
class MeteredConnection final : public RawConnection {
 public:
  using RawConnection::RawConnection;
  using RawConnection::socket;

  // How many of `sent` bytes the server has received.
  [[nodiscard]] std::uint64_t Arrived(std::uint64_t sent) const {
    int unacknowledged = 0;
    ::ioctl(socket(), SIOCOUTQ, &unacknowledged);
    return sent - static_cast<std::uint64_t>(unacknowledged);
  }
};

struct Progress {
  Instant time = {};
  std::uint64_t bytes = 0;
};

// The errors of the windows in the middle of a transfer.
struct Errors {
  double worst = 0;
  double mean = 0;
  int above_5_percent = 0;
  int windows = 0;
};

Errors CompareWindows(const std::vector<Progress>& progress, double bytes_per_second) {
  Errors errors;
  const double want = bytes_per_second * duration<double>(kWindow).count();
  const std::uint64_t last = progress.back().bytes;
  auto at = progress.begin();
  const auto bytes_until = [&](Instant time) {
    while (at + 1 != progress.end() && (at + 1)->time <= time) ++at;
    return at->bytes;
  };
  Instant time = progress.front().time + 5 * kWindow;  // the start fills buffers
  std::uint64_t before = bytes_until(time);
  double sum = 0;
  while (time + kWindow < progress.back().time && before < last) {
    time += kWindow;
    const std::uint64_t bytes = bytes_until(time);
    if (bytes == last) break;  // the transfer ended in this one
    const double error = 100 * (static_cast<double>(bytes - before) - want) / want;
    errors.worst = std::abs(error) > std::abs(errors.worst) ? error : errors.worst;
    errors.above_5_percent += std::abs(error) > 5 ? 1 : 0;
    sum += error;
    ++errors.windows;
    before = bytes;
  }
  errors.mean = errors.windows != 0 ? sum / errors.windows : 0;
  return errors;
}

std::string Insert(std::string_view name, std::uint64_t size) {
  return "POST /upload/storage/v1/b/bucket/o?uploadType=media&fields=name&name=" + std::string(name) +
         " HTTP/1.1\r\nHost: emulator\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

std::string Read(std::string_view name) {
  return "GET /storage/v1/b/bucket/o/" + std::string(name) + "?alt=media HTTP/1.1\r\nHost: emulator\r\n\r\n";
}

// An emulator with a bucket that has an object of this size.
struct Fixture {
  explicit Fixture(std::uint64_t size) {
    RawConnection connection(emulator.endpoint());
    connection.Call("POST", "/storage/v1/b?project=p", "", R"({"name":"bucket"})");
    const std::string bytes(size, 'x');
    connection.Send(Insert("object", size));
    connection.Send(bytes);
    is_good = connection.Receive()->status == 200;
  }

  Emulator emulator;
  bool is_good = false;
};

std::vector<Progress> Download(const std::string& endpoint, std::uint64_t size) {
  MeteredConnection connection(endpoint);
  connection.Send(Read("object"));
  std::vector<char> room(1 << 20);
  std::vector<Progress> progress;
  std::uint64_t total = 0;
  while (total < size) {  // the head counts too: less than a thousandth of a window
    const ssize_t received = ::recv(connection.socket(), room.data(), room.size(), 0);
    if (received <= 0) break;
    total += static_cast<std::uint64_t>(received);
    progress.push_back({std::chrono::steady_clock::now(), total});
  }
  return progress;
}

std::vector<Progress> Upload(const std::string& endpoint, std::uint64_t size) {
  MeteredConnection connection(endpoint);
  const std::string bytes(std::size_t{64} << 10, 'x');
  std::vector<Progress> progress;
  connection.Send(Insert("uploaded", size));
  std::uint64_t sent = 0;
  while (connection.Arrived(sent) < size) {
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), size - sent));
    const ssize_t taken = ::send(connection.socket(), bytes.data(), piece, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken > 0) sent += static_cast<std::uint64_t>(taken);
    if (taken > 0 && piece != 0) continue;
    progress.push_back({std::chrono::steady_clock::now(), connection.Arrived(sent)});
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (!connection.Receive()) progress.clear();
  return progress;
}

void Report(benchmark::State& state, const Errors& errors, std::uint64_t bytes) {
  state.counters["windows"] = errors.windows;
  state.counters["mean_error_%"] = errors.mean;
  state.counters["worst_error_%"] = errors.worst;
  state.counters["above_5_%"] = errors.above_5_percent;
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void BM_Stream(benchmark::State& state) {
  const bool is_upload = state.range(0) != 0;
  const double rate = static_cast<double>(state.range(1)) * 1e6;
  const auto size = static_cast<std::uint64_t>(rate * kSeconds);
  Fixture fixture(is_upload ? 1 : size);
  fixture.emulator.shaping().Set({.stream_read_mbps = rate / 1e6, .stream_write_mbps = rate / 1e6});
  Errors errors;
  for (auto _ : state) {
    const std::string& endpoint = fixture.emulator.endpoint();
    const std::vector<Progress> progress = is_upload ? Upload(endpoint, size) : Download(endpoint, size);
    if (!fixture.is_good || progress.empty()) return state.SkipWithError("not transferred");
    errors = CompareWindows(progress, rate);
  }
  Report(state, errors, size);
}
BENCHMARK(BM_Stream)
    ->ArgNames({"upload", "MBps"})
    ->ArgsProduct({{0, 1}, {1, 10, 100, 250}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->UseRealTime();

// How many bytes each of them has received at this time, in any order.
std::vector<std::uint64_t> ReceiveFor(std::list<MeteredConnection>& connections, milliseconds time) {
  std::vector<pollfd> polled;
  for (const MeteredConnection& connection : connections) polled.push_back({connection.socket(), POLLIN, 0});
  std::vector<std::uint64_t> bytes(polled.size());
  std::vector<char> room(1 << 20);
  const Instant end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    ::poll(polled.data(), polled.size(), 1);
    for (std::size_t i = 0; i < polled.size(); ++i) {
      if (polled[i].revents == 0) continue;
      const ssize_t received = ::recv(polled[i].fd, room.data(), room.size(), MSG_DONTWAIT);
      if (received > 0) bytes[i] += static_cast<std::uint64_t>(received);
    }
  }
  return bytes;
}

void BM_ManyStreams(benchmark::State& state) {
  constexpr double kRate = 1e6;
  constexpr milliseconds kTime{2000};
  const auto streams = static_cast<std::size_t>(state.range(0));
  Fixture fixture(static_cast<std::uint64_t>(5 * kRate));
  fixture.emulator.shaping().Set({.stream_read_mbps = kRate / 1e6});
  double worst = 0;
  double sum = 0;
  for (auto _ : state) {
    std::list<MeteredConnection> connections;
    for (std::size_t i = 0; i < streams; ++i) connections.emplace_back(fixture.emulator.endpoint());
    for (MeteredConnection& connection : connections) connection.Send(Read("object"));
    (void)ReceiveFor(connections, milliseconds(200));  // until all are running
    const std::vector<std::uint64_t> bytes = ReceiveFor(connections, kTime);
    for (const std::uint64_t received : bytes) {
      const double error = 100 * (static_cast<double>(received) / (kRate * duration<double>(kTime).count()) - 1);
      worst = std::abs(error) > std::abs(worst) ? error : worst;
      sum += error;
    }
    fixture.emulator.shaping().Set({});  // releases the rest together
    for (MeteredConnection& connection : connections) connection.FinishSending();
  }
  state.counters["mean_error_%"] = sum / static_cast<double>(streams);
  state.counters["worst_error_%"] = worst;
}
BENCHMARK(BM_ManyStreams)
    ->ArgName("streams")
    ->Arg(256)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace gcsflux::emulator
