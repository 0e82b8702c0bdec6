#include "service/answer_memory.h"

namespace gcsflux::emulator {

AnswerMemory::Answer AnswerMemory::Find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end() || IsOver(found->second, clock_.Now())) return nullptr;
  return found->second.answer;
}

AnswerMemory::Claim AnswerMemory::Take(const std::string& key, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  settled_.wait_for(lock, stop_.get_token(), patience, [&] {
    const auto found = entries_.find(key);
    return found == entries_.end() || found->second.answer != nullptr;
  });
  const auto [entry, is_new] = entries_.try_emplace(key);
  if (is_new) return {.is_granted = true};
  if (!IsOver(entry->second, clock_.Now())) return {.answer = entry->second.answer};
  entry->second = {};
  return {.is_granted = true};
}

void AnswerMemory::Keep(const std::string& key, Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    const Clock::Time now = clock_.Now();
    entries_[key] = {std::move(answer), now};
    kept_.emplace_back(now, key);
    while (kept_.size() > kMost || now - kept_.front().first >= window()) {
      const auto oldest = entries_.find(kept_.front().second);
      // A newer answer may be kept under the same key.
      const bool is_it =
          oldest != entries_.end() && oldest->second.answer != nullptr && oldest->second.kept_at == kept_.front().first;
      if (is_it) entries_.erase(oldest);
      kept_.pop_front();
    }
  }
  settled_.notify_all();
}

void AnswerMemory::GiveUp(const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    entries_.erase(key);
  }
  settled_.notify_all();
}

void AnswerMemory::Clear() {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const auto& entry) { return entry.second.answer != nullptr; });
  kept_.clear();
}

}  // namespace gcsflux::emulator
