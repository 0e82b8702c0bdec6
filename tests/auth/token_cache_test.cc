// One token for many callers: which one fetches, which ones wait, and what they receive.
#include "auth/token_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <latch>
#include <thread>

#include "auth/token_service.h"
#include "support/result.h"

namespace gcsflux::internal {
namespace {

using std::chrono::seconds;

// Issues "1", "2" and so on, each for 1000 seconds, unless a test changes that.
class Source : public TokenSource {
 public:
  using Hook = std::function<std::optional<Error>(int fetch, const TokenContext&)>;
  explicit Source(std::atomic<int>& fetches, Hook hook) : fetches_(fetches), hook_(std::move(hook)) {}

  Result<AccessToken> Fetch(const TokenContext& context) const override {
    const int fetch = ++fetches_;
    const auto now = context.timing.SystemNow();
    if (const auto error = hook_ ? hook_(fetch, context) : std::nullopt) return *error;
    return AccessToken{std::to_string(fetch), now, now + seconds(1000)};
  }

 private:
  std::atomic<int>& fetches_;
  const Hook hook_;
};

class TokenCacheTest : public ::testing::Test {
 protected:
  std::unique_ptr<TokenCache> Make(Source::Hook hook = nullptr) {
    return std::make_unique<TokenCache>(std::make_unique<Source>(fetches_, std::move(hook)));
  }
  [[nodiscard]] TokenContext Context(std::stop_token stop = {}) { return {service_, timing_, {}, std::move(stop)}; }
  std::string Get(TokenCache& cache) {
    const auto token = cache.Get(Context());
    return token ? (*token)->text : "error: " + token.error().message;
  }

  testing::TokenService service_{[](const HttpRequest&) { return HttpResponse{.status = 500}; }};
  testing::DrivenTiming timing_;
  std::atomic<int> fetches_ = 0;
};

TEST_F(TokenCacheTest, KeepsATokenUntilShortlyBeforeItExpires) {
  const auto cache = Make();
  EXPECT_EQ(Get(*cache), "1");
  timing_.Advance(seconds(774));
  EXPECT_EQ(Get(*cache), "1");
  timing_.Advance(seconds(1));
  EXPECT_EQ(Get(*cache), "2");
  EXPECT_EQ(fetches_, 2);
}

TEST_F(TokenCacheTest, ServesTheOldTokenWhileOneCallerFetchesTheNext) {
  std::latch is_fetching(1);
  std::latch may_end(1);
  const auto cache = Make([&](int fetch, const TokenContext&) -> std::optional<Error> {
    if (fetch == 2) {
      is_fetching.count_down();
      may_end.wait();
    }
    return std::nullopt;
  });
  EXPECT_EQ(Get(*cache), "1");
  timing_.Advance(seconds(800));
  std::string of_fetcher;
  std::jthread fetcher([&] { of_fetcher = Get(*cache); });
  is_fetching.wait();
  EXPECT_EQ(Get(*cache), "1") << "this call does not wait";
  timing_.Advance(seconds(60));
  EXPECT_EQ(Get(*cache), "1") << "after any time";
  EXPECT_EQ(fetches_, 2) << "no other call fetches";
  may_end.count_down();
  fetcher.join();
  EXPECT_EQ(of_fetcher, "2");
  EXPECT_EQ(Get(*cache), "2");
}

TEST_F(TokenCacheTest, IgnoresAFailedRenewalBeforeTheTokenExpires) {
  const auto cache = Make([&](int fetch, const TokenContext& context) -> std::optional<Error> {
    if (fetch == 1 || fetch == 4) return std::nullopt;
    EXPECT_EQ(context.retry.max_attempts, 1) << "no call waits for retries while the old token is good";
    return Error{ErrorCode::kTokenUnavailable, "503"};
  });
  EXPECT_EQ(Get(*cache), "1");
  timing_.Advance(seconds(800));
  EXPECT_EQ(Get(*cache), "1");
  EXPECT_EQ(Get(*cache), "1");
  EXPECT_EQ(fetches_, 2) << "not at every call";
  timing_.Advance(seconds(30));
  EXPECT_EQ(Get(*cache), "1");
  EXPECT_EQ(fetches_, 3);
  timing_.Advance(seconds(30));
  EXPECT_EQ(Get(*cache), "4");
}

TEST_F(TokenCacheTest, FailsIfTheOldTokenHasExpired) {
  const auto cache = Make([&](int fetch, const TokenContext&) -> std::optional<Error> {
    return fetch == 1 ? std::nullopt : std::optional(Error{ErrorCode::kUnauthenticated, "revoked"});
  });
  EXPECT_EQ(Get(*cache), "1");
  timing_.Advance(seconds(1000));
  EXPECT_EQ(Get(*cache), "error: revoked");
}

// Counts the calls that read the date: a cache reads it under its lock, before it waits.
class WatchedTiming : public testing::DrivenTiming {
 public:
  [[nodiscard]] std::chrono::system_clock::time_point SystemNow() const override {
    if (calls_left_ > 0 && --calls_left_ == 0) reached_.count_down();
    return DrivenTiming::SystemNow();
  }
  void Watch(int calls) { calls_left_ = calls; }
  void AwaitCalls() { reached_.wait(); }

 private:
  mutable std::atomic<int> calls_left_ = 0;
  mutable std::latch reached_{1};
};

TEST_F(TokenCacheTest, RetriesIfTheTokenExpiresDuringAFailedRenewal) {
  WatchedTiming timing;
  std::latch is_fetching(1);
  std::latch may_end(1);
  const auto cache = Make([&](int fetch, const TokenContext&) -> std::optional<Error> {
    if (fetch != 2) return std::nullopt;
    is_fetching.count_down();
    may_end.wait();
    return Error{ErrorCode::kTokenUnavailable, "503"};
  });
  const TokenContext context{service_, timing, {}, {}};
  ASSERT_TRUE(cache->Get(context).ok());
  timing.Advance(seconds(800));
  std::jthread ahead([&] { EXPECT_TRUE(cache->Get(context).ok()); });
  is_fetching.wait();
  timing.Advance(seconds(300));
  timing.Watch(2);
  Result<TokenCache::TokenPtr> waited = Error{};
  std::jthread waiter([&] { waited = cache->Get(context); });
  timing.AwaitCalls();
  may_end.count_down();
  waiter.join();
  ASSERT_TRUE(waited.ok()) << waited.error().message;
  EXPECT_EQ((*waited)->text, "3");
}

// Runs `count` callers. The first is held in its fetch until the others wait or have returned.
template <class Call>
std::vector<std::string> RunTogether(int count, std::latch& is_fetching, std::latch& may_end, Call call) {
  std::vector<std::string> got(static_cast<std::size_t>(count));
  std::vector<std::jthread> threads;
  std::latch started(count - 1);
  threads.emplace_back([&] { got[0] = call(); });
  is_fetching.wait();
  for (std::size_t i = 1; i < got.size(); ++i) {
    threads.emplace_back([&, i] {
      started.count_down();
      got[i] = call();
    });
  }
  started.wait();
  may_end.count_down();
  threads.clear();
  return got;
}

TEST_F(TokenCacheTest, FetchesOnceForManyCallersWithoutAToken) {
  std::latch is_fetching(1);
  std::latch may_end(1);
  const auto cache = Make([&](int, const TokenContext&) -> std::optional<Error> {
    is_fetching.count_down();
    may_end.wait();
    return std::nullopt;
  });
  const auto got = RunTogether(32, is_fetching, may_end, [&] { return Get(*cache); });
  EXPECT_EQ(got, std::vector<std::string>(32, "1"));
  EXPECT_EQ(fetches_, 1);
}

TEST_F(TokenCacheTest, ReplacesARefusedTokenOnceForManyCallers) {
  const auto cache = Make();
  const auto refused = *cache->Get(Context());
  std::vector<std::jthread> threads;
  threads.reserve(16);
  std::atomic<int> with_second = 0;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      const auto token = cache->Replace(refused, Context());
      with_second += token.ok() && (*token)->text == "2";
    });
  }
  threads.clear();
  EXPECT_EQ(with_second, 16);
  EXPECT_EQ(fetches_, 2);
}

TEST_F(TokenCacheTest, CancelsAWaitingCallerWithoutTheFetch) {
  std::latch is_fetching(1);
  std::latch may_end(1);
  const auto cache = Make([&](int, const TokenContext&) -> std::optional<Error> {
    is_fetching.count_down();
    may_end.wait();
    return std::nullopt;
  });
  std::jthread fetcher([&] { EXPECT_EQ(Get(*cache), "1"); });
  is_fetching.wait();
  std::stop_source stop;
  Result<TokenCache::TokenPtr> waited = Error{};
  std::jthread waiter([&] { waited = cache->Get(Context(stop.get_token())); });
  stop.request_stop();
  waiter.join();
  EXPECT_EQ(testing::ErrorOf(waited).code, ErrorCode::kCancelled);
  may_end.count_down();
}

TEST_F(TokenCacheTest, FetchesForOthersIfTheFetchingCallerStops) {
  std::latch is_fetching(1);
  std::latch may_end(1);
  const auto cache = Make([&](int fetch, const TokenContext&) -> std::optional<Error> {
    if (fetch > 1) return std::nullopt;
    is_fetching.count_down();
    may_end.wait();
    return Error{ErrorCode::kCancelled, "cancelled"};
  });
  auto got = RunTogether(8, is_fetching, may_end, [&] { return Get(*cache); });
  EXPECT_EQ(got[0], "error: cancelled");
  got.erase(got.begin());
  EXPECT_EQ(got, std::vector<std::string>(7, "2"));
  EXPECT_EQ(fetches_, 2);
}

}  // namespace
}  // namespace gcsflux::internal
