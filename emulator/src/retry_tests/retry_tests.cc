#include "retry_tests/retry_tests.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "operations/known_operations.h"

namespace gcsflux::emulator {
namespace {

std::string MakeId(std::mt19937_64& random) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id(32, '0');
  for (char& digit : id) digit = kDigits[random() % kDigits.size()];
  return id;
}

void Check(const RetryInstructions& instructions) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("retry test: " + what); };
  if (instructions.empty()) refuse("there are no instructions");
  for (const auto& [method, texts] : instructions) {
    if (!IsRetryMethod(method)) refuse("'" + method + "' is not a method that can be tested");
    if (texts.empty()) refuse(method + " has no instructions");
    for (const std::string& text : texts) {
      if (ParseRetryInstruction(text)) continue;
      refuse(std::string("'").append(text).append("' of ").append(method).append(" is not an instruction"));
    }
  }
}

}  // namespace

RetryTest RetryTests::Make(const RetryInstructions& instructions) {
  Check(instructions);
  const std::scoped_lock lock(mutex_);
  Queues queues;
  for (const auto& [method, texts] : instructions) {
    std::deque<Queued>& queue = queues.by_method[method];
    for (const std::string& text : texts) {
      queue.push_back({text, {.instruction = *ParseRetryInstruction(text), .number = ++last_number_}});
    }
  }
  const auto [at, is_new] = tests_.emplace(MakeId(random_), std::move(queues));
  count_ = tests_.size();
  return Describe(at->first, at->second);
}

RetryTest RetryTests::Describe(const std::string& id, const Queues& queues) {
  RetryTest test{.id = id, .is_completed = queues.is_completed};
  for (const auto& [method, queue] : queues.by_method) {
    std::vector<std::string>& texts = test.instructions[method];
    for (const Queued& queued : queue) texts.push_back(queued.text);
  }
  return test;
}

std::optional<RetryTest> RetryTests::Find(std::string_view id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = tests_.find(id);
  if (found == tests_.end()) return std::nullopt;
  return Describe(found->first, found->second);
}

std::vector<RetryTest> RetryTests::List() const {
  const std::scoped_lock lock(mutex_);
  std::vector<RetryTest> all;
  for (const auto& [id, queues] : tests_) all.push_back(Describe(id, queues));
  return all;
}

bool RetryTests::Delete(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  const auto found = tests_.find(id);
  if (found == tests_.end()) return false;
  tests_.erase(found);
  count_ = tests_.size();
  return true;
}

void RetryTests::Clear() {
  const std::scoped_lock lock(mutex_);
  tests_.clear();
  count_ = 0;
}

const std::deque<RetryTests::Queued>* RetryTests::FindQueueLocked(std::string_view id, std::string_view method) const {
  const auto test = tests_.find(id);
  if (test == tests_.end()) return nullptr;
  const auto queue = test->second.by_method.find(method);
  return queue == test->second.by_method.end() ? nullptr : &queue->second;
}

std::optional<RetryTests::Head> RetryTests::Peek(std::string_view id, std::string_view method) const {
  const std::scoped_lock lock(mutex_);
  const std::deque<Queued>* queue = FindQueueLocked(id, method);
  if (queue == nullptr || queue->empty()) return std::nullopt;
  return queue->front().head;
}

bool RetryTests::Take(std::string_view id, std::string_view method, const Head& head) {
  const std::scoped_lock lock(mutex_);
  const std::deque<Queued>* queue = FindQueueLocked(id, method);
  if (queue == nullptr || queue->empty() || queue->front().head.number != head.number) return false;
  Queues& queues = tests_.find(id)->second;
  queues.by_method.find(method)->second.pop_front();
  queues.is_completed = std::all_of(queues.by_method.begin(), queues.by_method.end(),
                                    [](const auto& of_method) { return of_method.second.empty(); });
  return true;
}

}  // namespace gcsflux::emulator
