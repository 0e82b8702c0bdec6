// Random operations on many connections to an emulator in this process, against a reference model. Each connection has
// names of its own. All share a bucket with versions and one without.

#include <gflags/gflags.h>

#include <atomic>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "emulator/model/model_client.h"
#include "gcsflux/emulator/emulator.h"
#include "support/test_directory.h"

DEFINE_uint64(operations, 20000, "How many operations, over all connections. Raise it by hand.");
DEFINE_uint64(seed, 0, "What they are drawn from; 0 draws it too. Set it to see a run again.");
DEFINE_bool(on_disk, false, "The emulator has a data directory, and is started again at the end.");
DEFINE_uint32(connections, 16, "How many connections work at the same time.");

namespace gcsflux::emulator {
namespace {

class Run {
 public:
  explicit Run(std::uint64_t seed) {
    Start();
    RawConnection client(emulator_->endpoint());
    client.Call("POST", "/storage/v1/b", "", R"({"name":"plain"})");
    client.Call("POST", "/storage/v1/b", "", R"({"name":"versioned","versioning":{"enabled":true}})");
    for (unsigned i = 0; i < FLAGS_connections; ++i) {
      const bool is_versioned = i % 2 == 0;
      clients_.push_back(
          std::make_unique<ModelClient>(ModelClientOptions{.endpoint = emulator_->endpoint(),
                                                           .bucket = is_versioned ? "versioned" : "plain",
                                                           .prefix = "c" + std::to_string(i) + "/",
                                                           .is_versioned = is_versioned,
                                                           .seed = seed + i}));
    }
  }

  bool AllAgree() {
    std::vector<std::thread> threads;
    for (const auto& client : clients_) threads.emplace_back([this, &client] { Work(*client); });
    for (std::thread& thread : threads) thread.join();
    if (has_failed_ || !CountAgrees()) return false;
    if (!FLAGS_on_disk) return true;
    Start();
    return CountAgrees();
  }

 private:
  void Start() {
    emulator_.reset();
    EmulatorOptions options;
    if (FLAGS_on_disk) options.data_dir = directory_.path();
    emulator_.emplace(std::move(options));
  }

  void Work(ModelClient& client) {
    try {
      for (std::uint64_t i = 0; i < FLAGS_operations / FLAGS_connections && !has_failed_; ++i) client.Step();
      client.CheckAll();
    } catch (const std::exception& error) {
      has_failed_ = true;
      std::cout << std::string("DIFFERENCE: ") + error.what() + "\n";
    }
  }

  // What the emulator itself counts.
  bool CountAgrees() {
    std::size_t objects = 0;
    for (const auto& client : clients_) objects += client->size();
    RawConnection client(emulator_->endpoint());
    const std::string metrics = client.Call("GET", "/_emulator/metrics").body;
    const bool agrees = metrics.find("gcsflux_emulator_objects " + std::to_string(objects) + "\n") != std::string::npos;
    std::cout << objects << " generations are stored" << (agrees ? "\n" : ", and the emulator counts others\n");
    return agrees;
  }

  const gcsflux::testing::TestDirectory directory_;
  std::optional<Emulator> emulator_;
  std::vector<std::unique_ptr<ModelClient>> clients_;
  std::atomic<bool> has_failed_ = false;
};

}  // namespace
}  // namespace gcsflux::emulator

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  const std::uint64_t seed = FLAGS_seed != 0 ? FLAGS_seed : std::random_device()();
  std::cout << FLAGS_operations << " operations on " << FLAGS_connections << " connections, --seed=" << seed
            << std::endl;
  return gcsflux::emulator::Run(seed).AllAgree() ? 0 : 1;
}
