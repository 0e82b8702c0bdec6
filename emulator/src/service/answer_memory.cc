#include "service/answer_memory.h"

#include <utility>

namespace gcsflux::emulator {

AnswerMemory::Answer AnswerMemory::Find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
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
    const std::scoped_lock lock(mutex_);
    const Clock::Time now = clock_.Now();
    kept_.push_back({.at = now, .key = key, .bytes = 2 * key.size() + answer->body.size()});
    kept_bytes_ += kept_.back().bytes;
    entries_[key] = {std::move(answer), now};
    while (kept_.size() > kMost || kept_bytes_ > kMostBytes || now - kept_.front().at >= window()) {
      const auto oldest = entries_.find(kept_.front().key);
      // A newer answer may be kept under the same key.
      const bool is_it =
          oldest != entries_.end() && oldest->second.answer != nullptr && oldest->second.kept_at == kept_.front().at;
      if (is_it) entries_.erase(oldest);
      kept_bytes_ -= kept_.front().bytes;
      kept_.pop_front();
    }
  }
  settled_.notify_all();
}

void AnswerMemory::GiveUp(const std::string& key) {
  {
    const std::scoped_lock lock(mutex_);
    entries_.erase(key);
  }
  settled_.notify_all();
}

void AnswerMemory::Clear() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(entries_, [](const auto& entry) { return entry.second.answer != nullptr; });
  kept_.clear();
  kept_bytes_ = 0;
}

}  // namespace gcsflux::emulator
