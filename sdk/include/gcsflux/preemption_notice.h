#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux {

/// Where PreemptionNotice::Watch() listens, and when it counts.
struct PreemptionOptions {
  /// SIGTERM is a notice. Kubernetes, Slurm and a machine that shuts down send it. A process that ignores SIGTERM
  /// continues to ignore it.
  bool on_sigterm = true;
  /// `instance/preempted` of the metadata server is a notice too. Set it on Spot machines of Compute Engine, where it
  /// comes up to 30 seconds before the end, and before SIGTERM.
  bool on_metadata = false;
  /// The metadata server, as host or host:port. If empty, GCE_METADATA_HOST is used, or 169.254.169.254 if that is not
  /// set.
  std::string metadata_host = {};
  /// Interval between the answer to a request to the metadata server and the next request; more than 0. A request that
  /// gets no answer within 3 s is given up, and the next one follows.
  std::chrono::milliseconds poll_interval = std::chrono::seconds(1);
};

enum class PreemptionCause { kSigterm, kMetadata };

/// Tells a program that it will soon lose its machine, so that it can save a checkpoint and end.
///
/// `auto notice = PreemptionNotice::Watch(client); while (!notice->token().stop_requested()) Step();`
///
/// The first SIGTERM is the notice; a second one does what SIGTERM did before Watch(). Destruction ends the watch and
/// restores the earlier SIGTERM handler. Thread-safe; movable. In a child of fork() there is no notice. Do not destroy
/// it in a callback of its token: the destructor waits for that callback.
class PreemptionNotice {
 public:
  /// Starts watching, on a thread for each source. The client's connections and settings are used for the metadata
  /// server.
  ///
  /// Returns kInvalidArgument if:
  /// - neither source is set,
  /// - the host is neither this machine nor Google's metadata server,
  /// - the interval is not above 0, or
  /// - another PreemptionNotice watches SIGTERM.
  /// Sends one request to the metadata server, and returns kUnreachable or kBadResponse if no metadata server answers
  /// within 3 s.
  /// Returns kLocalIo if the system gives no thread or pipe.
  static Result<PreemptionNotice> Watch(const Client& client, const PreemptionOptions& options = {});

  PreemptionNotice(PreemptionNotice&&) noexcept;
  PreemptionNotice& operator=(PreemptionNotice&&) noexcept;
  ~PreemptionNotice();

  /// It is stopped when the notice comes.
  [[nodiscard]] std::stop_token token() const;
  /// Nothing as long as no notice has come.
  [[nodiscard]] std::optional<PreemptionCause> cause() const;

 private:
  struct Watches;
  explicit PreemptionNotice(std::shared_ptr<Watches> watches);
  std::shared_ptr<Watches> watches_;
};

}  // namespace gcsflux
