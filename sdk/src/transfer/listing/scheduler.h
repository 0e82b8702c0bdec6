#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transfer/listing/anchors.h"
#include "transfer/listing/call_allowance.h"
#include "transfer/listing/estimate.h"
#include "transfer/listing/name_shapes.h"
#include "transfer/listing/tiling.h"

namespace gcsflux::internal::listing {

struct SchedulerOptions {
  std::string prefix = {};
  std::string start_offset = {};  // names at or after it
  std::string end_offset = {};    // names before it; empty is no bound
  std::size_t max_concurrency = 48;
  double call_cap = 2;  // calls, as a multiple of a sequential listing's; max_concurrency is added
  std::size_t page_size = 5000;
  std::vector<std::string> split_points = {};  // of an earlier listing
};

/// One request of a page.
struct PageCall {
  std::uint64_t id = 0;
  std::string prefix = {};
  std::string delimiter = {};
  std::string start_offset = {};
  std::string end_offset = {};
  std::string page_token = {};
  // The tokens requested in a row, including this one, since a page brought new names. If a page names one of them as
  // the next, the listing would never end.
  std::vector<std::string> barren_tokens = {};
  std::size_t max_results = 0;
  std::string least_name = {};  // No name on the page of this token may come before it.
};

/// The answer to a PageCall. `names` and `prefixes` are in bytewise order.
struct PageView {
  std::span<const std::string_view> names = {};
  std::span<const std::string_view> prefixes = {};
  std::string_view next_page_token = {};
};

/// Decides which pages a parallel listing requests: work stealing over ranges of the key space.
///
/// It takes pages and returns calls. It knows no network and no threads, and only the times that it is given. The
/// tiling (tiling.h) makes the listing correct for any guess. The name shapes, the directories and the estimates make
/// it fast. The allowance limits the cost of wrong guesses. For one thread at a time.
class Scheduler {
 public:
  explicit Scheduler(SchedulerOptions options);

  /// The calls to begin now. With those in flight they never exceed max_concurrency (except for the first answers of a
  /// listing, see kChainPages). `seconds` is the time since the listing began.
  std::vector<PageCall> Begin(double seconds);
  /// The answer to a call. Returns the parts of its names to take, in order. Every name that stays in the bucket is
  /// taken once over all pages.
  std::vector<Taken> OnPage(std::uint64_t call, const PageView& page);

  /// All names are taken; calls in flight can add nothing.
  [[nodiscard]] bool is_done() const { return tiling_.open().empty(); }
  /// All names below it are taken; once is_done(), all names are. It only grows.
  [[nodiscard]] const std::string& frontier() const { return tiling_.open().front().lo; }
  [[nodiscard]] std::size_t calls() const { return calls_; }
  [[nodiscard]] std::size_t steals() const { return steals_; }
  [[nodiscard]] const Tiling& tiling() const { return tiling_; }
  /// At most `count` names that divide the listing into equal parts, for the next listing's options.
  [[nodiscard]] std::vector<std::string> SplitPoints(std::size_t count) const;

 private:
  enum class Kind { kRange, kChain, kShape, kDirectories };
  struct Asked {
    Kind kind = Kind::kRange;
    PageCall call = {};
    std::string from = {};  // the first key that its page covers
  };

  void BeginFirst(std::vector<PageCall>& calls);
  void BeginChain(std::vector<PageCall>& calls);
  void BeginRanges(std::vector<PageCall>& calls);
  void BeginDirectories(std::vector<PageCall>& calls, double seconds);
  void Steal(std::vector<PageCall>& calls, double seconds);
  void BeginRange(Range& range, std::vector<PageCall>& calls);
  std::uint64_t Send(Asked asked, std::vector<PageCall>& calls);
  void OnDirectories(const Asked& asked, const PageView& page);
  void Learn(const PageView& page);
  void GoOn(const Asked& asked, const PageView& page, const std::string& end, double expected);
  [[nodiscard]] std::size_t Waiting() const;
  [[nodiscard]] std::size_t Free() const;
  [[nodiscard]] std::size_t Extra(double seconds);

  const SchedulerOptions options_;
  Tiling tiling_;
  NameShapes shapes_;
  Anchors anchors_;
  Estimate estimate_;
  CallAllowance allowance_;
  std::map<std::uint64_t, Asked> in_flight_;
  std::optional<Continuation> chain_;  // to be requested
  std::string chain_at_;               // the key that it has reached
  std::size_t chain_pages_ = 0;
  std::size_t pages_ = 0;  // pages received, without the small one for the names' patterns
  std::size_t calls_ = 0;
  std::size_t steals_ = 0;
  std::size_t names_ = 0;  // taken
  bool has_begun_ = false;
  std::map<std::string, std::size_t> taken_;  // by the first name of each run, how many
};

}  // namespace gcsflux::internal::listing
