#include "transfer/listing/scheduler.h"

#include <algorithm>
#include <utility>

#include "transfer/listing/code_points.h"
#include "transfer/listing/key_line.h"

namespace gcsflux::internal::listing {
namespace {

constexpr std::size_t kShapeNames = 100;  // show the patterns of names long before the first full page is there
constexpr std::size_t kMaxDirectories = 1000;
// This many pages of a sequential listing are always requested, so that a small bucket, where a guess costs as much as
// it saves, is never slower than with a sequential listing.
constexpr std::size_t kChainPages = 4;
// A call for fewer names takes longer than it saves. If calls are scarce, half a page earns the next call.
constexpr double kMinStolenNames = 700;
constexpr double kMinStolenNamesWhenScarce = 2500;

std::string Successor(std::string_view name) {
  std::string key(name);
  key += '\0';
  return key;
}

std::optional<Evidence> EvidenceOf(const PageView& page) {
  const auto& names = page.names;
  if (names.size() < 3) return {};
  return Evidence{std::string(names.front()), std::string(names[names.size() / 2]), std::string(names.back()),
                  names.size()};
}

std::string Begin(const SchedulerOptions& options) { return std::max(options.prefix, options.start_offset); }

std::string End(const SchedulerOptions& options) { return EarlierEnd(EndOfPrefix(options.prefix), options.end_offset); }

}  // namespace

Scheduler::Scheduler(SchedulerOptions options)
    : options_(std::move(options)),
      tiling_(listing::Begin(options_), End(options_), options_.split_points),
      anchors_(options_.prefix, options_.max_concurrency),
      estimate_(shapes_, anchors_, options_.page_size),
      allowance_(options_.max_concurrency, options_.call_cap, options_.page_size) {}

std::vector<PageCall> Scheduler::Begin(double seconds) {
  std::vector<PageCall> calls;
  if (is_done()) return calls;
  if (!std::exchange(has_begun_, true)) BeginFirst(calls);
  BeginChain(calls);
  BeginRanges(calls);
  // If a bucket has less than a page, guesses never pay.
  if (pages_ == 0) return calls;
  BeginDirectories(calls, seconds);
  Steal(calls, seconds);
  return calls;
}

void Scheduler::BeginFirst(std::vector<PageCall>& calls) {
  Range& first = tiling_.open().front();
  const std::string from = first.lo;
  first.call =
      Send({.kind = Kind::kChain, .call = {.start_offset = from, .end_offset = first.hi}, .from = from}, calls);
  chain_pages_ = 1;
  if (tiling_.open().size() > 1 || options_.max_concurrency < 3) return;
  Send({.kind = Kind::kShape,
        .call = {.start_offset = from, .end_offset = first.hi, .max_results = kShapeNames},
        .from = from},
       calls);
  const std::string root = anchors_.TakeQuestion();
  Send({.kind = Kind::kDirectories, .call = {.prefix = root, .delimiter = "/", .max_results = kMaxDirectories}}, calls);
}

void Scheduler::BeginChain(std::vector<PageCall>& calls) {
  if (!chain_) return;
  const Continuation next = *std::exchange(chain_, {});
  Range& first = tiling_.open().front();
  if (first.lo != chain_at_) return;  // another range is ahead of it
  const std::uint64_t id = Send({.kind = Kind::kChain,
                                 .call = {.start_offset = next.start_offset,
                                          .end_offset = next.end_offset,
                                          .page_token = next.page_token,
                                          .barren_tokens = next.barren_tokens},
                                 .from = chain_at_},
                                calls);
  ++chain_pages_;
  if (!first.call) first.call = id;
}

void Scheduler::BeginRanges(std::vector<PageCall>& calls) {
  std::vector<Range*> waiting;
  for (Range& range : tiling_.open()) {
    if (!range.call) waiting.push_back(&range);
  }
  if (waiting.empty()) return;
  // The first of all comes first, for callers that take names in order and for small buckets; then those that take
  // longest.
  std::stable_sort(waiting.begin() + (waiting.front() == &tiling_.open().front() ? 1 : 0), waiting.end(),
                   [](const Range* a, const Range* b) { return a->estimate > b->estimate; });
  for (std::size_t i = 0; i < waiting.size() && Free() > 0; ++i) BeginRange(*waiting[i], calls);
}

void Scheduler::BeginRange(Range& range, std::vector<PageCall>& calls) {
  PageCall call{.start_offset = range.lo, .end_offset = range.hi};
  if (range.next && range.next->end_offset == range.hi) {
    call.start_offset = range.next->start_offset;
    call.end_offset = range.next->end_offset;
    call.page_token = range.next->page_token;
    call.barren_tokens = range.next->barren_tokens;
  } else if (range.lo.size() > kMaxNameBytes) {
    call.start_offset.pop_back();  // it is returned again; no name fits between it and the next
  }
  const std::string from = range.lo;
  range.call = Send({.kind = Kind::kRange, .call = std::move(call), .from = from}, calls);
}

void Scheduler::BeginDirectories(std::vector<PageCall>& calls, double seconds) {
  while (anchors_.has_question() && Free() > 0 && Extra(seconds) > 0) {
    allowance_.Spend(1);
    Send({.kind = Kind::kDirectories,
          .call = {.prefix = anchors_.TakeQuestion(), .delimiter = "/", .max_results = kMaxDirectories}},
         calls);
  }
}

void Scheduler::Steal(std::vector<PageCall>& calls, double seconds) {
  struct Victim {
    std::list<Range>::iterator range;
    double names;
    std::size_t parts = 0;
    [[nodiscard]] double Share() const { return names / static_cast<double>(parts + 1); }
  };
  const std::size_t extra = Extra(seconds);
  const double least = extra >= options_.max_concurrency ? kMinStolenNames : kMinStolenNamesWhenScarce;
  const std::size_t thieves = std::min(Free(), extra);
  if (thieves == 0) return;
  const auto page = static_cast<double>(options_.page_size);
  std::vector<Victim> victims;
  for (auto range = tiling_.open().begin(); range != tiling_.open().end(); ++range) {
    if (range->call && range->evidence && range->estimate - page > 2 * least) {
      victims.push_back({range, range->estimate - page});
    }
  }
  if (victims.empty()) return;
  for (std::size_t i = 0; i < thieves; ++i) {
    const auto most = std::max_element(victims.begin(), victims.end(),
                                       [](const Victim& a, const Victim& b) { return a.Share() < b.Share(); });
    if (most->names / static_cast<double>(most->parts + 2) < least) break;
    ++most->parts;
  }
  for (const Victim& victim : victims) {
    if (victim.parts == 0) continue;
    const std::vector<std::string> cuts = estimate_.Cuts(*victim.range, victim.parts);
    std::vector<Range*> made;
    tiling_.Split(victim.range, cuts, made);
    if (made.empty()) continue;
    const double share = victim.names / static_cast<double>(made.size() + 1);
    victim.range->estimate = page + share;
    for (Range* range : made) {
      range->estimate = share;
      BeginRange(*range, calls);
    }
    steals_ += made.size();
    allowance_.Spend(made.size());
  }
}

std::uint64_t Scheduler::Send(Asked asked, std::vector<PageCall>& calls) {
  PageCall& call = asked.call;
  call.id = ++calls_;
  if (call.max_results == 0) call.max_results = options_.page_size;
  if (asked.kind != Kind::kDirectories) call.prefix = options_.prefix;
  if (!call.page_token.empty()) call.least_name = asked.from;
  calls.push_back(call);
  in_flight_.emplace(calls_, std::move(asked));
  return calls_;
}

std::vector<Taken> Scheduler::OnPage(std::uint64_t id, const PageView& page) {
  const auto found = in_flight_.extract(id);
  if (found.empty()) return {};
  const Asked& asked = found.mapped();
  if (asked.kind == Kind::kDirectories) {
    OnDirectories(asked, page);
    return {};
  }
  double expected = 0;
  for (Range& range : tiling_.open()) {
    if (range.call != id) continue;
    range.call.reset();
    expected = range.estimate;
  }
  Learn(page);
  if (asked.kind != Kind::kShape) ++pages_;
  const bool is_last = page.next_page_token.empty();
  const std::string end = is_last              ? asked.call.end_offset
                          : page.names.empty() ? asked.from
                                               : std::max(asked.from, Successor(page.names.back()));
  std::vector<Taken> taken;
  // An empty page with a token says nothing about any key (and an empty end would mean no bound).
  if (is_last || end != asked.from) taken = tiling_.Absorb(asked.from, end, page.names, EvidenceOf(page));
  for (const Taken& run : taken) {
    names_ += run.end - run.begin;
    taken_[std::string(page.names[run.begin])] = run.end - run.begin;
  }
  if (!is_last) GoOn(asked, page, end, expected);
  return taken;
}

void Scheduler::OnDirectories(const Asked& asked, const PageView& page) {
  std::vector<std::string> directories(page.prefixes.begin(), page.prefixes.end());
  shapes_.Learn(page.prefixes);
  shapes_.Learn(page.names);
  anchors_.OnAnswer(asked.call.prefix, page.next_page_token.empty(), std::move(directories));
}

void Scheduler::Learn(const PageView& page) {
  if (options_.max_concurrency > 1) shapes_.Learn(page.names);  // one worker never guesses
}

// After a page that is not the last: the range that begins at its end continues with its token, if its end is the same.
void Scheduler::GoOn(const Asked& asked, const PageView& page, const std::string& end, double expected) {
  Continuation next{.start_offset = asked.call.start_offset,
                    .end_offset = asked.call.end_offset,
                    .page_token = std::string(page.next_page_token)};
  if (end == asked.from) {
    next.barren_tokens = asked.call.barren_tokens;
    next.barren_tokens.push_back(next.page_token);
  }
  if (asked.kind == Kind::kChain && chain_pages_ < kChainPages) {
    chain_ = next;
    chain_at_ = end;
  }
  std::size_t open_directories = 0;
  for (const Range& range : tiling_.open()) open_directories += anchors_.Inside(range.lo, range.hi).size();
  estimate_.SetMeanDirectory(names_, anchors_.all().size() - open_directories);
  for (Range& range : tiling_.open()) {
    if (range.lo != end) continue;
    if (asked.kind != Kind::kShape) range.next = std::move(next);
    const bool is_surprise = expected > 0 && expected <= static_cast<double>(page.names.size());
    range.surprises = is_surprise ? range.surprises + 1 : 0;
    if (range.evidence) range.estimate = estimate_.Remaining(range);
    return;
  }
}

std::size_t Scheduler::Waiting() const {
  const auto& open = tiling_.open();
  return static_cast<std::size_t>(std::count_if(open.begin(), open.end(), [](const Range& r) { return !r.call; }));
}

std::size_t Scheduler::Free() const {
  return options_.max_concurrency > in_flight_.size() ? options_.max_concurrency - in_flight_.size() : 0;
}

std::size_t Scheduler::Extra(double seconds) { return allowance_.At(seconds, calls_ + Waiting(), names_); }

std::vector<std::string> Scheduler::SplitPoints(std::size_t count) const {
  std::vector<std::string> points;
  const std::size_t share = std::max<std::size_t>(1, names_ / (count + 1));
  std::size_t before = 0;
  for (const auto& [first, names] : taken_) {
    if (before >= share * (points.size() + 1) && points.size() < count) points.push_back(first);
    before += names;
  }
  return points;
}

}  // namespace gcsflux::internal::listing
