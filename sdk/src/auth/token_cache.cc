#include "auth/token_cache.h"

namespace gcsflux::internal {

Result<TokenCache::TokenPtr> TokenCache::Get(const TokenContext& context) {
  Lock lock(mutex_);
  const auto now = context.timing.SystemNow();
  const TokenState state = token_ ? StateAt(*token_, now) : TokenState::kExpired;
  if (state == TokenState::kExpired) return Await(lock, context);
  if (state == TokenState::kAgeing && !is_fetching_ && now >= next_fetch_ahead_) return FetchAhead(lock, context);
  return token_;
}

Result<TokenCache::TokenPtr> TokenCache::Replace(const TokenPtr& refused, const TokenContext& context) {
  Lock lock(mutex_);
  if (token_ && token_->text == refused->text) token_ = nullptr;
  return Await(lock, context);
}

// Fetches a token, or waits for the caller who does.
Result<TokenCache::TokenPtr> TokenCache::Await(Lock& lock, const TokenContext& context) {
  while (true) {
    if (token_ && StateAt(*token_, context.timing.SystemNow()) != TokenState::kExpired) return token_;
    if (!is_fetching_) return Fetch(lock, context);
    const auto awaited = fetches_;
    if (!fetched_.wait(lock, context.stop, [&] { return fetches_ != awaited; })) {
      return Error{ErrorCode::kCancelled, "cancelled while waiting for a token"};
    }
    // Another's cancellation is not ours: one of those who waited fetches in its place.
    if (last_failure_ && last_failure_->code != ErrorCode::kCancelled) return *last_failure_;
  }
}

// One attempt; the old token is still good, so that a failure is none.
TokenCache::TokenPtr TokenCache::FetchAhead(Lock& lock, TokenContext context) {
  constexpr std::chrono::seconds kBetween(30);
  next_fetch_ahead_ = context.timing.SystemNow() + kBetween;
  context.retry.max_attempts = 1;
  const TokenPtr old = token_;
  const auto fetched = Fetch(lock, context);
  last_failure_.reset();  // Who waits for it because the old one has ended meanwhile tries longer than once.
  return fetched ? *fetched : old;
}

Result<TokenCache::TokenPtr> TokenCache::Fetch(Lock& lock, const TokenContext& context) {
  is_fetching_ = true;
  lock.unlock();
  auto fetched = FetchObserved(context);
  lock.lock();
  is_fetching_ = false;
  ++fetches_;
  last_failure_ = fetched ? std::nullopt : std::optional(fetched.error());
  fetched_.notify_all();
  if (!fetched) return fetched.error();
  token_ = std::make_shared<const AccessToken>(*std::move(fetched));
  return token_;
}

Result<AccessToken> TokenCache::FetchObserved(const TokenContext& context) const {
  const auto start = context.timing.Now();
  auto fetched = source_->Fetch(context);
  if (context.observer == nullptr || !source_->is_renewable()) return fetched;
  context.observer->TokenFetched({.credential = credential_,
                                  .failure = fetched ? nullptr : &fetched.error(),
                                  .took = context.timing.Now() - start});
  return fetched;
}

}  // namespace gcsflux::internal
