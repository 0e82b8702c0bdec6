#include "gcsflux/preemption_notice.h"

#include <atomic>
#include <string_view>
#include <thread>
#include <utility>

#include "auth/credential_urls.h"
#include "auth/find_credentials.h"
#include "base/either_stop.h"
#include "base/process/environment.h"
#include "base/process/no_time_limit.h"
#include "base/process/owner_process.h"
#include "base/process/start_thread.h"
#include "base/stop_after.h"
#include "client/client_core.h"
#include "preemption/sigterm_watch.h"

namespace gcsflux {
namespace {

using internal::HttpRequest;
using internal::Transport;

Error WrongPreemption(const std::string& message) {
  return {ErrorCode::kInvalidArgument, "PreemptionNotice: " + message};
}

Result<std::string> MetadataHost(const PreemptionOptions& options) {
  if (options.metadata_host.empty()) return internal::FindMetadataHost(internal::ProcessEnv);
  if (internal::IsMetadataHost(options.metadata_host)) return options.metadata_host;
  return WrongPreemption("'" + options.metadata_host +
                         "' is neither this machine nor Google's metadata server (169.254.169.254)");
}

Result<void> CheckPreemption(const PreemptionOptions& options) {
  if (!options.on_sigterm && !options.on_metadata) return WrongPreemption("neither on_sigterm nor on_metadata is set");
  if (options.poll_interval.count() <= 0) return WrongPreemption("poll_interval is not above 0");
  return {};
}

// The answer, without the line end that some servers add.
std::string_view WithoutLineEnd(std::string_view body) {
  while (body.ends_with('\n') || body.ends_with('\r')) body.remove_suffix(1);
  return body;
}

// https://cloud.google.com/compute/docs/instances/create-use-preemptible#detecting_if_an_instance_was_preempted
Result<bool> AskIfPreempted(Transport& transport, const std::string& host, const std::stop_token& stop) {
  // The server is in this machine's network or does not exist, so a longer wait gains nothing.
  constexpr std::chrono::milliseconds kConnectTimeout(1000);
  constexpr std::chrono::milliseconds kAnswerTimeout(3000);
  const HttpRequest request{.url = "http://" + host + "/computeMetadata/v1/instance/preempted",
                            .headers = {{"Metadata-Flavor", "Google"}},
                            .bypass_proxy = true,
                            .connect_timeout = kConnectTimeout};
  const internal::StopAfter limit(kAnswerTimeout);
  const internal::EitherStop either(stop, limit.token());
  const auto response = transport.Perform(request, nullptr, either.token());
  if (!response && limit.token().stop_requested() && !stop.stop_requested()) {
    return Error{ErrorCode::kUnreachable, "the metadata server at " + host + " gave no answer within " +
                                              std::to_string(kAnswerTimeout.count()) + " ms; check GCE_METADATA_HOST"};
  }
  if (!response) return response.error();
  const std::string_view answer = WithoutLineEnd(response->body);
  const bool is_answer = response->status == 200 && (answer == "TRUE" || answer == "FALSE");
  if (is_answer && internal::FindHeader(response->headers, "metadata-flavor") == "Google") return answer == "TRUE";
  return Error{ErrorCode::kBadResponse, "no metadata server answers at " + host + " (status " +
                                            std::to_string(response->status) +
                                            "); set GCE_METADATA_HOST, or leave "
                                            "on_metadata out if this is no machine of Compute Engine"};
}

}  // namespace

struct PreemptionNotice::Watches {
  void Tell(PreemptionCause with) {
    int none = kNone;
    if (cause.compare_exchange_strong(none, static_cast<int>(with))) stop.request_stop();
  }

  // Returns when the notice has come. If a request fails, it is repeated, because the server has answered before.
  void Poll(const ClientCore& core, const std::string& host, std::chrono::milliseconds interval,
            const std::stop_token& ended) {
    while (core.timing().Wait(internal::InNanoseconds(interval), ended)) {
      const auto is_preempted = AskIfPreempted(core.TokenContextFor(ended).transport, host, ended);
      if (is_preempted && *is_preempted) return Tell(PreemptionCause::kMetadata);
    }
  }

  static constexpr int kNone = -1;
  std::atomic<int> cause = kNone;
  std::stop_source stop;
  // They use the members above, and end before them.
  std::unique_ptr<internal::SigtermWatch> sigterm;
  std::jthread poll;
};

Result<PreemptionNotice> PreemptionNotice::Watch(const Client& client, const PreemptionOptions& options) {
  if (auto checked = CheckPreemption(options); !checked) return checked.error();
  auto watches = internal::OwnedByProcess(std::make_unique<Watches>());
  if (options.on_sigterm) {
    auto sigterm = internal::SigtermWatch::Start([self = watches.get()] { self->Tell(PreemptionCause::kSigterm); });
    if (!sigterm) return sigterm.error();
    watches->sigterm = *std::move(sigterm);
  }
  if (!options.on_metadata) return PreemptionNotice(std::move(watches));
  const auto host = MetadataHost(options);
  if (!host) return host.error();
  const auto is_preempted = AskIfPreempted(CoreOf(client).TokenContextFor({}).transport, *host, {});
  if (!is_preempted) return is_preempted.error();
  if (*is_preempted) {
    watches->Tell(PreemptionCause::kMetadata);
    return PreemptionNotice(std::move(watches));
  }
  auto poll =
      internal::StartThread([self = watches.get(), client, host = *host, interval = options.poll_interval](
                                const std::stop_token& ended) { self->Poll(CoreOf(client), host, interval, ended); });
  if (!poll) return poll.error();
  watches->poll = *std::move(poll);
  return PreemptionNotice(std::move(watches));
}

PreemptionNotice::PreemptionNotice(std::shared_ptr<Watches> watches) : watches_(std::move(watches)) {}
PreemptionNotice::PreemptionNotice(PreemptionNotice&&) noexcept = default;
PreemptionNotice& PreemptionNotice::operator=(PreemptionNotice&&) noexcept = default;
PreemptionNotice::~PreemptionNotice() = default;

std::stop_token PreemptionNotice::token() const { return watches_ ? watches_->stop.get_token() : std::stop_token(); }

std::optional<PreemptionCause> PreemptionNotice::cause() const {
  const int cause = watches_ ? watches_->cause.load() : Watches::kNone;
  return cause == Watches::kNone ? std::nullopt : std::optional(static_cast<PreemptionCause>(cause));
}

}  // namespace gcsflux
