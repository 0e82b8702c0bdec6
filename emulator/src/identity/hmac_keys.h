#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "base/time_source.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/authentication/hmackeys
struct HmacKey {
  std::string access_id = {};
  std::string secret = {};
  std::string project = {};
  std::string service_account = {};
  std::string state = "ACTIVE";  ///< Or INACTIVE, or DELETED.
  Time created = {};
  Time updated = {};
  std::int64_t changes = 1;  ///< One more with each change.
};

struct HmacKeyQuery {
  std::string project = {};
  std::string service_account = {};  ///< "" is any.
  bool shows_deleted = false;
  std::size_t max_results = 250;
  std::string after = {};  ///< Keys whose ids are greater.
};

struct HmacKeyPage {
  std::vector<HmacKey> keys = {};
  std::optional<std::string> next = {};  ///< Set if there are more: the last id on the page.
};

/// Writes keys down, so that they survive the process. Without these functions they are in memory only.
struct HmacKeyRecords {
  std::function<Outcome<void>(const HmacKey& key)> put = {};  ///< A new state, before it is shown.
  std::function<Outcome<void>()> clear = {};                  ///< No key is left.
};

/// The keys of all projects' service accounts. A deleted key is still shown. Thread-safe.
class HmacKeys {
 public:
  explicit HmacKeys(TimeSource clock, HmacKeyRecords records = {})
      : clock_(std::move(clock)), records_(std::move(records)) {}

  /// A key of an earlier process, which is written down already.
  void Adopt(HmacKey key);
  /// This, and what changes keys, fails with kUnavailable if the change cannot be written down.
  Outcome<HmacKey> Create(std::string project, std::string service_account);
  [[nodiscard]] Outcome<HmacKey> Get(std::string_view project, std::string_view access_id) const;
  /// The key that signs requests, of any project. Nothing if there is none, or it is not active.
  [[nodiscard]] std::optional<HmacKey> FindActive(std::string_view access_id) const;
  [[nodiscard]] HmacKeyPage List(const HmacKeyQuery& query) const;
  /// ACTIVE or INACTIVE. If `changes` is set, it must be the key's.
  Outcome<HmacKey> SetState(std::string_view project, std::string_view access_id, const std::string& state,
                            std::optional<std::int64_t> changes);
  /// Only an inactive key can be deleted.
  Outcome<void> Delete(std::string_view project, std::string_view access_id);
  Outcome<void> Clear();

 private:
  [[nodiscard]] const HmacKey* FindLocked(std::string_view project, std::string_view access_id) const;
  Outcome<HmacKey> PutLocked(HmacKey key);
  // The present state of the key becomes this one.
  Outcome<HmacKey> ChangeLocked(HmacKey key, const std::string& state, Time now);

  const TimeSource clock_;
  const HmacKeyRecords records_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, HmacKey, std::less<>> keys_;
};

}  // namespace gcsflux::emulator
