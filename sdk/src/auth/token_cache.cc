#include "auth/token_cache.h"

namespace gcsflux::internal {

// No thread of the parent was writing the token when the child was made: see LeafMutex.
std::unique_ptr<TokenCache::State> TokenCache::State::Of(const State* of_parent) NO_THREAD_SAFETY_ANALYSIS {
  auto state = std::make_unique<State>();
  if (of_parent != nullptr) state->token = of_parent->token;
  return state;
}

Result<TokenCache::TokenPtr> TokenCache::Get(const TokenContext& context) {
  State& state = states_.Get();
  Lock lock(state.mutex);
  const auto now = context.timing.SystemNow();
  const TokenState age = state.token ? StateAt(*state.token, now) : TokenState::kExpired;
  if (age == TokenState::kExpired) return Await(state, lock, context);
  if (age == TokenState::kAgeing && !state.is_fetching && now >= state.next_fetch_ahead)
    return FetchAhead(state, lock, context);
  return state.token;
}

Result<TokenCache::TokenPtr> TokenCache::Replace(const TokenPtr& refused, const TokenContext& context) {
  State& state = states_.Get();
  Lock lock(state.mutex);
  if (state.token && state.token->text == refused->text) state.token = nullptr;
  return Await(state, lock, context);
}

// Fetches a token, or waits for the caller that does.
Result<TokenCache::TokenPtr> TokenCache::Await(State& state, Lock& lock, const TokenContext& context) {
  while (true) {
    if (state.token && StateAt(*state.token, context.timing.SystemNow()) != TokenState::kExpired) return state.token;
    if (!state.is_fetching) return Fetch(state, lock, context);
    const auto awaited = state.fetches;
    if (!state.fetched.Wait(lock, context.stop, [&]() REQUIRES(state.mutex) { return state.fetches != awaited; })) {
      return Error{ErrorCode::kCancelled, "cancelled while waiting for a token"};
    }
    // If another caller was cancelled, one of the waiting callers fetches instead.
    if (state.last_failure && state.last_failure->code != ErrorCode::kCancelled) return *state.last_failure;
  }
}

// One attempt. The old token is still valid, so a failure is not an error.
TokenCache::TokenPtr TokenCache::FetchAhead(State& state, Lock& lock, TokenContext context) {
  constexpr std::chrono::seconds kBetween(30);
  state.next_fetch_ahead = context.timing.SystemNow() + kBetween;
  context.retry.max_attempts = 1;
  const TokenPtr old = state.token;
  const auto fetched = Fetch(state, lock, context);
  state.last_failure.reset();  // If the old token has expired meanwhile, waiting callers retry more than once.
  return fetched ? *fetched : old;
}

Result<TokenCache::TokenPtr> TokenCache::Fetch(State& state, Lock& lock, const TokenContext& context) {
  state.is_fetching = true;
  lock.unlock();
  auto fetched = FetchObserved(context);
  lock.lock();
  state.is_fetching = false;
  ++state.fetches;
  state.last_failure = fetched ? std::nullopt : std::optional(fetched.error());
  state.fetched.NotifyAll();
  if (!fetched) return fetched.error();
  state.token = std::make_shared<const AccessToken>(*std::move(fetched));
  return state.token;
}

Result<AccessToken> TokenCache::FetchObserved(const TokenContext& context) const {
  const auto start = context.timing.Now();
  auto fetched = source_->Fetch(context);
  if (context.observer == nullptr || !source_->is_renewable()) return fetched;
  context.observer->Report({.kind = EventKind::kToken,
                            .error = fetched ? nullptr : &fetched.error(),
                            .duration = context.timing.Now() - start,
                            .what = credential_});
  return fetched;
}

}  // namespace gcsflux::internal
