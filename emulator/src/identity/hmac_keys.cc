#include "identity/hmac_keys.h"

#include <random>
#include <utility>

namespace gcsflux::emulator {
namespace {

std::string RandomText(std::string_view alphabet, std::size_t size) {
  std::random_device random;
  std::uniform_int_distribution<std::size_t> at(0, alphabet.size() - 1);
  std::string text;
  while (text.size() < size) text += alphabet[at(random)];
  return text;
}

constexpr std::string_view kOfId = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::string_view kOfSecret = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

tl::unexpected<Failure> NoSuchKey() { return Fail(FailureKind::kNotFound, "Access ID not found in project."); }

}  // namespace

void HmacKeys::Adopt(HmacKey key) {
  const std::scoped_lock lock(mutex_);
  keys_.insert_or_assign(key.access_id, std::move(key));
}

Outcome<HmacKey> HmacKeys::Create(std::string project, std::string service_account) {
  // The lengths and the beginning are those of a service account's keys.
  HmacKey key{.access_id = "GOOG1E" + RandomText(kOfId, 55),
              .secret = RandomText(kOfSecret, 40),
              .project = std::move(project),
              .service_account = std::move(service_account)};
  key.created = key.updated = clock_();
  const std::scoped_lock lock(mutex_);
  return PutLocked(std::move(key));
}

Outcome<HmacKey> HmacKeys::Get(std::string_view project, std::string_view access_id) const {
  const std::scoped_lock lock(mutex_);
  const HmacKey* key = FindLocked(project, access_id);
  if (key == nullptr) return NoSuchKey();
  return *key;
}

std::optional<HmacKey> HmacKeys::FindActive(std::string_view access_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = keys_.find(access_id);
  if (found == keys_.end() || found->second.state != "ACTIVE") return std::nullopt;
  return found->second;
}

HmacKeyPage HmacKeys::List(const HmacKeyQuery& query) const {
  HmacKeyPage page;
  const std::scoped_lock lock(mutex_);
  for (auto at = keys_.upper_bound(query.after); at != keys_.end(); ++at) {
    const HmacKey& key = at->second;
    const bool is_asked = key.project == query.project &&
                          (query.service_account.empty() || key.service_account == query.service_account) &&
                          (query.shows_deleted || key.state != "DELETED");
    if (!is_asked) continue;
    if (page.keys.size() == query.max_results) {
      page.next = page.keys.back().access_id;
      break;
    }
    page.keys.push_back(key);
  }
  return page;
}

Outcome<HmacKey> HmacKeys::SetState(std::string_view project, std::string_view access_id, const std::string& state,
                                    std::optional<std::int64_t> changes) {
  const Time now = clock_();
  const std::scoped_lock lock(mutex_);
  const HmacKey* found = FindLocked(project, access_id);
  if (found == nullptr) return NoSuchKey();
  if (changes && *changes != found->changes) {
    return Fail(FailureKind::kPreconditionFailed, "The key's etag is not the present one.");
  }
  if (found->state == "DELETED") return Fail(FailureKind::kInvalid, "A deleted key cannot be changed.");
  return ChangeLocked(*found, state, now);
}

Outcome<void> HmacKeys::Delete(std::string_view project, std::string_view access_id) {
  const Time now = clock_();
  const std::scoped_lock lock(mutex_);
  const HmacKey* found = FindLocked(project, access_id);
  if (found == nullptr || found->state == "DELETED") return NoSuchKey();
  if (found->state == "ACTIVE") {
    return Fail(FailureKind::kInvalid, "Cannot delete keys in 'ACTIVE' state.");
  }
  if (auto changed = ChangeLocked(*found, "DELETED", now); !changed) return tl::unexpected(changed.error());
  return {};
}

Outcome<void> HmacKeys::Clear() {
  const std::scoped_lock lock(mutex_);
  if (records_.clear && !keys_.empty()) {
    if (auto cleared = records_.clear(); !cleared) return cleared;
  }
  keys_.clear();
  return {};
}

Outcome<HmacKey> HmacKeys::PutLocked(HmacKey key) {
  if (records_.put) {
    if (auto written = records_.put(key); !written) return tl::unexpected(written.error());
  }
  keys_.insert_or_assign(key.access_id, key);
  return key;
}

Outcome<HmacKey> HmacKeys::ChangeLocked(HmacKey key, const std::string& state, Time now) {
  key.state = state;
  key.updated = now;
  key.changes += 1;
  return PutLocked(std::move(key));
}

const HmacKey* HmacKeys::FindLocked(std::string_view project, std::string_view access_id) const {
  const auto found = keys_.find(access_id);
  return found != keys_.end() && found->second.project == project ? &found->second : nullptr;
}

}  // namespace gcsflux::emulator
