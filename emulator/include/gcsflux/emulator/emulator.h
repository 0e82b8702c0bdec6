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

/// The most requests that a journal may keep: about 5 GiB of them.
inline constexpr std::size_t kMaxJournalSize = 10'000'000;

struct EmulatorOptions {
  /// Address to listen on. Anything but loopback exposes an unauthenticated store to the network.
  std::string host = "127.0.0.1";
  /// 0 takes any free port: see Emulator::endpoint().
  std::uint16_t port = 0;
  /// Buckets that are there from the beginning, with any number of computed objects. Names must differ.
  std::vector<VirtualBucket> virtual_buckets = {};
  /// The project of those who make or list buckets and name none; empty refuses them with 400, as GCS does. Every
  /// project sees the same buckets.
  std::string project = "emulator";
  /// How long new buckets without a policy of their own say that they could restore what is deleted: 0, or 7 to 90
  /// days. It is shown only. Set it where a client looks at it.
  std::chrono::seconds default_soft_delete = std::chrono::seconds(0);
  /// How many requests the journal keeps; 0 keeps none. Raise it where a test looks at more of them at once; one takes
  /// about 0.5 KiB. At most kMaxJournalSize.
  std::size_t journal_size = 10'000;
  /// Below this directory `POST /_emulator/seed` may read. Empty refuses it: whoever reaches the emulator may ask.
  std::filesystem::path seed_root = {};
  /// A client that stands still for so long in mid-request, sends no whole head in it, or moves less than 1 KiB of a
  /// body in it, is answered 408 and cut off. By the machine's own clock. Lower it where a test looks at just that.
  std::chrono::milliseconds client_patience = std::chrono::minutes(1);
  /// How long a change is remembered by its request's x-goog-gcs-idempotency-token, by the emulator's clock: a repeated
  /// request is given the first answer. 0 remembers nothing: set it to see what a client does without.
  std::chrono::nanoseconds idempotency_window = std::chrono::minutes(5);
  /// How slow it is: ShapingProfile("gcs") for what Google's service is like.
  Shaping shaping = {};
  /// How much it takes before it answers 429: likewise QuotasProfile("gcs").
  Quotas quotas = {};
  /// What goes wrong from the beginning, and again after Reset().
  FaultPlan faults = {};
  /// Called with a line, without its end, when a person should know something, such as that the process has no
  /// descriptors left. From any thread; must not throw. Set it where an emulator runs unattended.
  std::function<void(const std::string&)> log = {};
  /// Serves HTTPS, and nothing else, where it is set.
  std::optional<TlsOptions> tls = {};
  /// Serves the endpoints of identities, and asks everybody who they are, where it is set.
  std::optional<AuthOptions> auth = {};
};

/// Files that become objects.
struct SeedOptions {
  /// Made where it is not there.
  std::string bucket = {};
  /// Every file below it is stored under its path from there; symbolic links are left out.
  std::filesystem::path directory = {};
  /// Put before these paths as it is: "images/" rather than "images".
  std::string prefix = {};
};

/// Google Cloud Storage in this process, in memory, for tests and for work without a network.
///
/// It serves as soon as the constructor returns and until Stop() or destruction. Thread-safe.
class Emulator {
 public:
  /// Throws std::system_error where the address cannot be listened on, std::invalid_argument where `virtual_buckets`,
  /// `journal_size`, `shaping`, `quotas`, `faults`, `tls` or `auth` is wrong.
  explicit Emulator(EmulatorOptions options = {});
  ~Emulator();
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;

  /// "http://127.0.0.1:PORT", or "https://", for STORAGE_EMULATOR_HOST or a client's endpoint.
  [[nodiscard]] const std::string& endpoint() const;

  /// Where all of its time comes from.
  [[nodiscard]] Clock& clock();

  /// The last requests in order of arrival, those in flight too. What a client has received of an answer is in here.
  [[nodiscard]] std::vector<RequestRecord> journal() const;
  /// What was answered since the start or Reset().
  [[nodiscard]] Counters counters() const;

  /// What is to go wrong, and what did.
  [[nodiscard]] Faults& faults();
  /// What requests that take part in a retry test meet.
  [[nodiscard]] RetryTestControl& retry_tests();

  /// What delays requests, and what refuses them, to be changed while it runs.
  [[nodiscard]] ShapingControl& shaping();
  [[nodiscard]] QuotaControl& quotas();

  /// Forgets buckets, upload sessions, retry tests, journal and counters, and changes of shaping, quotas and faults:
  /// what is left is what an emulator starts with. The clock and open connections stay as they are.
  void Reset();

  /// Stores files as objects, and returns their number. Throws std::runtime_error where a file cannot be read or its
  /// path is no object's name; what was stored before stays.
  std::size_t Seed(const SeedOptions& options);

  /// Ends every connection and waits for the threads; nothing is served afterwards. May be called again.
  void Stop();

 private:
  class Running;
  std::unique_ptr<Running> running_;
};

}  // namespace gcsflux::emulator
