#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux {

struct PreemptionOptions {
  /// SIGTERM is a notice. Kubernetes, Slurm and a machine that shuts down send it. A process that ignores SIGTERM goes
  /// on ignoring it.
  bool on_sigterm = true;
  /// `instance/preempted` of the metadata server is a notice too. Set it on Spot machines of Compute Engine, where it
  /// comes up to 30 seconds before the end, and before SIGTERM.
  bool on_metadata = false;
  /// The metadata server, as host or host:port. Empty takes GCE_METADATA_HOST, then 169.254.169.254.
  std::string metadata_host = {};
  /// Between two questions to the metadata server; more than 0.
  std::chrono::milliseconds poll_interval = std::chrono::seconds(1);
};

enum class PreemptionCause { kSigterm, kMetadata };

/// Tells a program that it is about to lose its machine: time to save a checkpoint and to end.
///
/// `auto notice = PreemptionNotice::Watch(client); while (!notice->token().stop_requested()) Step();`
///
/// The first SIGTERM is the notice; a second one does what SIGTERM did before Watch(). Destruction ends the watch and
/// gives SIGTERM back. Thread-safe; movable. In a child of fork() it tells nothing. Do not destroy it in a callback of
/// its token: the destructor waits for that callback.
class PreemptionNotice {
 public:
  /// Starts watching, on a thread for each source. The client's connections and settings are used for the metadata
  /// server.
  ///
  /// kInvalidArgument: neither source is asked for, the host is neither this machine nor Google's metadata server, the
  /// interval is not above 0, or another PreemptionNotice watches SIGTERM. kUnreachable, kBadResponse: no metadata
  /// server answers; it is asked once here. kLocalIo: no thread or pipe.
  static Result<PreemptionNotice> Watch(const Client& client, const PreemptionOptions& options = {});

  PreemptionNotice(PreemptionNotice&&) noexcept;
  PreemptionNotice& operator=(PreemptionNotice&&) noexcept;
  ~PreemptionNotice();

  /// Asks to stop once the notice has come.
  [[nodiscard]] std::stop_token token() const;
  /// Nothing as long as no notice has come.
  [[nodiscard]] std::optional<PreemptionCause> cause() const;

 private:
  struct Watches;
  explicit PreemptionNotice(std::shared_ptr<Watches> watches);
  std::shared_ptr<Watches> watches_;
};

}  // namespace gcsflux
