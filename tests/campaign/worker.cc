#include "campaign/worker.h"

#include <algorithm>
#include <array>

#include "campaign/fault_mix.h"
#include "campaign/operations.h"

namespace gcsflux::campaign {
namespace {

// Characters of names: all that URLs, headers and JSON treat specially.
constexpr std::array kFlavours = {"plain",      "a blank",   "per%2Fcent", "\u00fcml\u00e4ut \u96ea",
                                  "?a=b&c#d+e", "quote\"\\", "x/y/../z"};

bool MayPass(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kTruncated || code == ErrorCode::kRateLimited;
}

}  // namespace

bool ProcessLimit::Take() {
  if (--left_ >= 0) return true;
  ++left_;
  return false;
}

Tally& Tally::operator+=(const Tally& more) {
  done += more.done;
  cancelled += more.cancelled;
  failed += more.failed;
  return *this;
}

Worker::Worker(const Common& common, int number, std::uint64_t seed)
    : common_(common),
      number_(number),
      deck_chance_(seed),
      chance_(seed),
      prefix_("t" + std::to_string(number) + "/"),
      next_seed_(chance_.Number()) {
  for (std::size_t i = 0; i < kSlots; ++i) slots_.push_back(NewSlot());
}

Step Worker::NextStep() {
  if (shuffled_.empty()) {  // so that each happens about as often as intended
    for (const Operation& operation : MakeDeck()) shuffled_.emplace_back(operation.name);
  }
  std::swap(shuffled_[deck_chance_.Below(shuffled_.size())], shuffled_.back());
  Step step{.worker = number_, .operation = std::move(shuffled_.back()), .seed = deck_chance_.Number()};
  shuffled_.pop_back();
  return step;
}

void Worker::Run(const Step& step) {
  static const auto& operations = *new std::map<std::string, void (*)(Worker&)>([] {
    std::map<std::string, void (*)(Worker&)> by_name;
    for (const Operation& operation : MakeDeck()) by_name[operation.name] = operation.run;
    return by_name;
  }());
  const auto operation = operations.find(step.operation);
  if (operation == operations.end()) throw Violation("there is no operation '" + step.operation + "'");
  chance_ = Chance(step.seed);
  operation_ = step.operation;
  operation->second(*this);
}

std::vector<Slot> Worker::AllSlots() const {
  std::vector<Slot> all = slots_;
  all.insert(all.end(), retired_.begin(), retired_.end());
  return all;
}

Slot* Worker::StoredSlot() {
  const std::size_t first = chance_.Below(slots_.size());
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[(first + i) % slots_.size()];
    if (slot.is_there()) return &slot;
  }
  return nullptr;
}

const Slot& Worker::StoredObject() {
  const Slot* const own = chance_.OneIn(2) ? StoredSlot() : nullptr;
  return own != nullptr ? *own : chance_.OneOf(common_.objects);
}

Version Worker::NewVersion(std::size_t most) {
  constexpr std::array<std::size_t, 6> kSizes = {1, 2, 100, 8'000, 8'000, 100'000};
  const std::size_t size = chance_.OneIn(5) ? chance_.Below(most + 1)
                                            : chance_.Below(chance_.OneOf(std::vector(kSizes.begin(), kSizes.end())));
  return {.content = {{{++next_seed_, std::min(size, most)}}}, .tag = NewTag()};
}

std::string Worker::NewTag() { return prefix_ + std::to_string(++next_seed_); }

Slot Worker::NewSlot() {
  const int number = next_name_++;
  std::string name =
      prefix_ + std::to_string(number) + " " + kFlavours[static_cast<std::size_t>(number) % kFlavours.size()];
  if (number % 2 == 0) name += kCheckedSuffix;
  return {.object = {common_.bucket, name}};
}

bool Worker::Check(const Error* error, const RandomStop& stop, const MayFail& may) {
  Tally& tally = tallies_[operation_];
  if (error == nullptr) {
    ++tally.done;
    return true;
  }
  const ErrorCode code = error->code;
  const bool is_cancelled = code == ErrorCode::kCancelled && stop.is_stopped();
  const bool is_explained = is_cancelled || (may.at_once && MayPass(code)) ||
                            code == ErrorCode::kUnauthenticated ||  // refused twice in a row
                            std::find(may.with.begin(), may.with.end(), code) != may.with.end();
  if (!is_explained) throw Violation("it failed with " + std::string(ErrorCodeName(code)) + ": " + error->message);
  ++(is_cancelled ? tally.cancelled : tally.failed);
  return false;
}

void Worker::Conclude(Slot& slot, State tried, const Result<ObjectMetadata>& result, const RandomStop& stop,
                      const MayFail& may) {
  MayFail also = may;
  also.with.push_back(ErrorCode::kBadResponse);     // of metadata that was read back, and that falseLength truncated
  also.with.push_back(ErrorCode::kOutcomeUnknown);  // the old content was too young to be distinguished from a rival's
  if (!Check(result, stop, also)) return LookAt(slot, std::move(tried), result.error(), may.leaves_nothing);
  CheckMetadata(*result, *tried);
  tried->generation = result->generation;
  tried->metageneration = result->metageneration;
  slot.may_be = {std::move(tried)};
  if (chance_.OneIn(4)) Find(client(), slot);
}

void Worker::ConcludeDeletion(Slot& slot, const Result<void>& result, const RandomStop& stop) {
  if (!Check(result, stop)) return LookAt(slot, {}, result.error(), false);
  slot.may_be = {State()};
  if (chance_.OneIn(2)) Find(client(), slot);
}

// It failed: either it has taken effect nevertheless, or it has not.
void Worker::LookAt(Slot& slot, State tried, const Error& error, bool leaves_nothing) {
  const bool is_final = error.code == ErrorCode::kCorrupted || error.code == ErrorCode::kSessionLost;
  const bool had_no_effect = leaves_nothing && is_final;
  if (!had_no_effect) slot.may_be.push_back(std::move(tried));
  const std::size_t found = Find(client(), slot);
  const bool is_open = error.code == ErrorCode::kCancelled || error.code == ErrorCode::kOutcomeUnknown;
  const bool may_still_come = is_open && found == 0;
  if (!may_still_come) {
    slot.may_be = {slot.may_be[found]};
    return;
  }
  Retire(slot);
}

void Worker::Retire(Slot& slot) {
  retired_.push_back(std::move(slot));
  slot = NewSlot();
}

}  // namespace gcsflux::campaign
