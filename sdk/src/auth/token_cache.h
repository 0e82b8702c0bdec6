#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "auth/access_token.h"
#include "auth/token_source.h"
#include "base/process/mutex.h"
#include "base/process/per_process.h"
#include "gcsflux/result.h"
#include "loop/wait_list.h"

namespace gcsflux::internal {

/// The token that all calls of a client share. One caller at a time fetches the next token: before the old one expires,
/// while the others still use it, or while all wait for it. A child process uses the parent's token, and fetches the
/// next one itself. Thread-safe.
class TokenCache {
 public:
  using TokenPtr = std::shared_ptr<const AccessToken>;

  /// `credential` is its kind for events: a text that is never destroyed.
  explicit TokenCache(std::unique_ptr<const TokenSource> source, std::string_view credential = "")
      : source_(std::move(source)), credential_(credential), states_(&State::Of) {}

  /// A valid token. Callers that wait for another caller's fetch get its error too, except kCancelled.
  Result<TokenPtr> Get(const TokenContext& context);

  /// Replaces a token that was refused (401): by a newer one if there is one, otherwise by a new fetch. Call it only if
  /// is_renewable().
  Result<TokenPtr> Replace(const TokenPtr& refused, const TokenContext& context);

  [[nodiscard]] bool is_renewable() const { return source_->is_renewable(); }

 private:
  struct State {
    static std::unique_ptr<State> Of(const State* of_parent);

    LeafMutex mutex;
    TokenPtr token GUARDED_BY(mutex) = nullptr;  // Null before the first one, and after it was refused.
    bool is_fetching GUARDED_BY(mutex) = false;
    std::uint64_t fetches GUARDED_BY(mutex) = 0;               // Fetches that have ended.
    std::optional<Error> last_failure GUARDED_BY(mutex) = {};  // The error of the last fetch.
    AccessToken::Time next_fetch_ahead GUARDED_BY(mutex) = {};
    WaitList fetched;
  };
  using Lock = MutexLock<LeafMutex>;
  Result<TokenPtr> Await(State& state, Lock& lock, const TokenContext& context) REQUIRES(state.mutex, lock);
  TokenPtr FetchAhead(State& state, Lock& lock, TokenContext context) REQUIRES(state.mutex, lock);
  Result<TokenPtr> Fetch(State& state, Lock& lock, const TokenContext& context) REQUIRES(state.mutex, lock);
  [[nodiscard]] Result<AccessToken> FetchObserved(const TokenContext& context) const;

  const std::unique_ptr<const TokenSource> source_;
  const std::string_view credential_;
  const PerProcess<State> states_;
};

}  // namespace gcsflux::internal
