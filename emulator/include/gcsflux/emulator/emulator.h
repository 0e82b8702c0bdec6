#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcsflux/emulator/clock.h"
#include "gcsflux/emulator/faults.h"
#include "gcsflux/emulator/quotas.h"
#include "gcsflux/emulator/retry_tests.h"
#include "gcsflux/emulator/security.h"
#include "gcsflux/emulator/shaping.h"
#include "gcsflux/emulator/traffic.h"
#include "gcsflux/emulator/virtual_bucket.h"

namespace gcsflux::emulator {

/// The most requests that a journal may keep. They take about 5 GiB.
inline constexpr std::size_t kMaxJournalSize = 10'000'000;

struct EmulatorOptions {
  /// The address to listen on. Any address but loopback exposes an unauthenticated store to the network.
  std::string host = "127.0.0.1";
  /// 0 takes any free port: see Emulator::endpoint().
  std::uint16_t port = 0;
  /// Buckets that exist from the start, with any number of computed objects. Their names must differ.
  std::vector<VirtualBucket> virtual_buckets = {};
  /// The project of a request that makes or lists buckets and names no project. If this is empty, such a request is
  /// refused with 400, as GCS does. Every project sees the same buckets.
  std::string project = "emulator";
  /// How long new buckets that have no policy of their own keep what was deleted, so that it can be restored: 0, or 7
  /// to 90 days. The service has 7 days. Set it to test restoring; what is kept takes memory.
  std::chrono::seconds default_soft_delete = std::chrono::seconds(0);
  /// If it is not empty, buckets, objects and uploads are in this directory, and survive the process, however it ends;
  /// else they are in memory. It is made if it does not exist. One emulator at a time uses it. Virtual buckets, and
  /// what is stored in them, stay in memory. See docs/emulator/persistence.md.
  std::filesystem::path data_dir = {};
  /// Whether what is acknowledged survives a loss of power too. Then each change waits for the disk, some milliseconds;
  /// connections wait together. Set it if the data matter.
  bool data_sync = false;
  /// How many requests the journal keeps; 0 keeps none. Raise it if a test looks at more requests at once. One takes
  /// about 0.5 KiB. At most kMaxJournalSize.
  std::size_t journal_size = 10'000;
  /// `POST /_emulator/seed` may read below this directory. If it is empty, seeding is refused, because every client
  /// that reaches the emulator may ask for it.
  std::filesystem::path seed_root = {};
  /// How long a client may make no progress within a request: it sends no bytes, does not complete the head, or moves
  /// less than 1 KiB of a body in this time. Then the emulator answers 408 and closes the connection. It goes by the
  /// machine's own clock. Lower it if a test is about this.
  std::chrono::milliseconds client_patience = std::chrono::minutes(1);
  /// How long the emulator remembers a change by its request's x-goog-gcs-idempotency-token, by the emulator's clock. A
  /// repeated request gets the first answer. 0 remembers nothing: set it to see what a client does without tokens.
  std::chrono::nanoseconds idempotency_window = std::chrono::minutes(5);
  /// How slow the service is. ShapingProfile("gcs") is like Google's service.
  Shaping shaping = {};
  /// How much the service takes before it answers 429. QuotasProfile("gcs") is like Google's service.
  Quotas quotas = {};
  /// The faults that are there from the start, and again after Reset().
  FaultPlan faults = {};
  /// Called with one line of text, without a newline, if a person should know something: for example, that the process
  /// has no descriptors left. It is called from any thread and must not throw. Set it where an emulator runs
  /// unattended.
  std::function<void(const std::string&)> log = {};
  /// More names by which clients reach the emulator: "gcs.my-company.com", or ".my-company.com" for all below it, or
  /// "*" for any. Other names of the public DNS are refused with 403, in a request's Host and Origin, so that pages of
  /// sites with such names do not reach the emulator. Addresses, names without a dot, and names as .localhost, .test
  /// and .internal always pass.
  std::vector<std::string> allowed_hosts = {};
  /// If it is not empty, requests to /_emulator/ need it, as "Authorization: Bearer TOKEN"; `GET /_emulator/health`
  /// does not. Set it if several people share an emulator.
  std::string admin_token = {};
  /// If set, the emulator serves HTTPS only.
  std::optional<TlsOptions> tls = {};
  /// If set, the emulator serves the identity endpoints. With AuthOptions::is_required, callers need credentials.
  std::optional<AuthOptions> auth = {};
};

/// Files that become objects.
struct SeedOptions {
  /// Made if it does not exist.
  std::string bucket = {};
  /// Every file below it is stored under its path relative to it. Symbolic links are left out.
  std::filesystem::path directory = {};
  /// Put before these paths without a separator: "images/", not "images".
  std::string prefix = {};
};

/// Google Cloud Storage in this process, in memory or in a directory, for tests and for work without a network.
///
/// It serves from the end of the constructor until Stop() or destruction. Thread-safe.
class Emulator {
 public:
  /// Throws std::system_error if the emulator cannot listen on the address. Throws std::invalid_argument if
  /// `virtual_buckets`, `journal_size`, `shaping`, `quotas`, `faults`, `tls` or `auth` is wrong. Throws
  /// std::runtime_error if `data_dir` cannot be used: another emulator uses it, another version wrote it, it has other
  /// files, or it is damaged.
  explicit Emulator(EmulatorOptions options = {});
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  /// "http://127.0.0.1:PORT", or "https://", for STORAGE_EMULATOR_HOST or a client's endpoint.
  [[nodiscard]] const std::string& endpoint() const;

  /// The source of all of its time.
  [[nodiscard]] Clock& clock();

  /// The last requests in order of arrival, those in flight too. It has every answer of which a client has received
  /// something.
  [[nodiscard]] std::vector<RequestRecord> journal() const;
  /// What was answered since the start or since Reset().
  [[nodiscard]] Counters counters() const;

  /// The faults that are planned, and those that fired.
  [[nodiscard]] Faults& faults();
  /// The retry tests, whose instructions are for requests that name a test.
  [[nodiscard]] RetryTestControl& retry_tests();

  /// Delays and quotas. They can be changed while the emulator runs.
  [[nodiscard]] ShapingControl& shaping();
  [[nodiscard]] QuotaControl& quotas();

  /// Returns to the state at the start: forgets buckets, upload sessions, retry tests, journal and counters, and
  /// changes of shaping, quotas and faults. The clock and open connections stay as they are. With `data_dir`, it
  /// empties that too, and throws std::runtime_error if it cannot be written.
  void Reset();

  /// Stores files as objects, and returns their number. Throws std::runtime_error if a file cannot be read or its path
  /// is not a valid object name, or if Stop() is called meanwhile. What was stored before that stays.
  std::size_t Seed(const SeedOptions& options);

  /// Closes every connection and waits for the threads. Nothing is served afterwards. May be called again.
  void Stop();

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

}  // namespace gcsflux::emulator
