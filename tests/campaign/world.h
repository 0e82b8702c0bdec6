#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "campaign/worker.h"
#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/events.h"
#include "support/test_directory.h"

namespace gcsflux::campaign {

struct WorldOptions {
  int threads = 8;
  /// Requests of one download. Idle connections remain, as many as were in flight.
  int max_in_flight = 1'000;
  int processes = 2;  ///< Most other processes at the same time; 0 for none.
};

/// The result of phases.
struct Report {
  std::string violation = {};  ///< Empty if all promises were kept.
  std::map<std::string, Tally> operations = {};
  std::map<std::string, std::uint64_t> fired = {};  ///< By kind of fault.
  /// By kind and by the service's operation: of the last requests of each phase, which the journal has.
  std::map<std::string, std::map<std::string, std::uint64_t>> fired_by_operation = {};
  std::map<std::string, std::uint64_t> kills = {};  ///< By case.
  std::uint64_t refused = 0;                        ///< Requests, by quotas.
  std::uint64_t composites = 0;                     ///< Made for downloads.
  std::size_t verified = 0;                         ///< Objects, at the ends of phases.
  std::vector<std::size_t> bytes_in_use = {};       ///< On the heap, at the end of each phase.
  Counters client = {};
};

/// A service and one client, for one phase after the other.
class World {
 public:
  explicit World(const WorldOptions& options);

  [[nodiscard]] emulator::Emulator& emulator() { return emulator_; }
  [[nodiscard]] const Client& client() const { return client_; }

 private:
  friend class Phase;
  static constexpr std::size_t kJournalSize = 100'000;  // AwaitRequestsThatWereLeft() needs the last ones

  const WorldOptions options_;
  const testing::TestDirectory directory_;
  emulator::Emulator emulator_;
  const ClientOptions client_options_;
  const Client client_;
  const Downloader downloader_;
  ProcessLimit processes_;
  std::uint64_t common_seed_ = 0;
};

/// An empty service, workers that know what they have stored there, and the comparison at the end.
class Phase {
 public:
  /// Without faults: stores what the workers share.
  Phase(World& world, std::uint64_t seed);

  [[nodiscard]] const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }
  /// Ends the faults, and adds what happened to the report. Call it when the workers have ended.
  void Finish(Report& report);
  /// Compares all bytes, names, generations and steps with the model. Throws Violation.
  void Check(Report& report);
  /// The service's requests about names with this prefix, and their results.
  [[nodiscard]] std::string LastRequestsAbout(const std::string& prefix) const;

 private:
  std::vector<Slot> StoreCommonObjects();
  std::vector<Slot> StoreCompressedObjects();
  std::vector<Slot> StoreSamples();
  void StoreContestedObjects();
  Slot Store(std::size_t size, const std::string& name, bool is_compressed, bool is_exact = false);
  void AwaitRequestsThatWereLeft() const;
  void CheckComposition();
  void CheckParts();
  void CheckExtras(Worker& worker);
  void Verify(Report& report);

  World& world_;
  std::optional<Downloader> composing_;
  std::unique_ptr<Common> common_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace gcsflux::campaign
