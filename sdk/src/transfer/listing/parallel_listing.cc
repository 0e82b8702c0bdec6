#include "transfer/listing/parallel_listing.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "base/call_user_code.h"
#include "base/composite_prefix.h"
#include "base/object_name.h"
#include "client/client_core.h"
#include "client/operation_calls.h"
#include "transfer/listing/code_points.h"
#include "wire/listed_names.h"

namespace gcsflux::internal::listing {
namespace {

constexpr std::size_t kPageSize = 5000;
// As many pages as the first guesses cost: for fewer objects guesses do not pay.
constexpr std::uint64_t kSequentialLimit = 4 * kPageSize;
constexpr std::size_t kSplitPoints = 255;

// If objects are left out, it is unknown how many names give so many objects.
std::optional<std::uint64_t> MostNames(const ParallelListOptions& options) {
  return options.storage_classes.empty() ? options.limit : std::nullopt;
}

std::size_t MaxConcurrency(const ParallelListOptions& options) {
  if (MostNames(options).value_or(kSequentialLimit + 1) <= kSequentialLimit) return 1;
  return static_cast<std::size_t>(options.max_concurrency);
}

SchedulerOptions MakeSchedulerOptions(const std::string& prefix, const ParallelListOptions& options) {
  const std::uint64_t limit = std::max<std::uint64_t>(1, MostNames(options).value_or(kPageSize));
  return {.prefix = prefix,
          .start_offset = options.start_offset,
          .end_offset = options.end_offset,
          .max_concurrency = MaxConcurrency(options),
          .call_cap = options.call_cap,
          .page_size = static_cast<std::size_t>(std::min<std::uint64_t>(limit, kPageSize)),
          .split_points = MaxConcurrency(options) > 1 ? options.split_points : std::vector<std::string>()};
}

// Takes the text of a page. Its memory is taken when the page comes, not while it is waited for.
class PageText : public BodyReceiver {
 public:
  explicit PageText(ListedPageParser& parser) : parser_(parser) {}

  Result<bool> OnHeaders(const HttpResponse& response) override {
    if (response.status >= 300) return false;
    if (!text_) text_ = parser_.TakeText();
    text_->clear();
    ReserveHeld(*text_, response.headers);
    return true;
  }

  Result<void> OnBody(std::span<const std::byte> data) override { return AppendHeld(*text_, data); }

  std::string Take() { return std::move(text_).value_or(std::string()); }

 private:
  ListedPageParser& parser_;
  std::optional<std::string> text_;
};

Result<ListedPage> ListPage(const Client& client, const ObjectName& prefix, const ListOptions& options,
                            ListedPageParser& parser) {
  if (auto checked = CheckBucketName(prefix.bucket); !checked) return checked.error();
  const ClientCore& core = CoreOf(client);
  const auto call = MakeCall(core, Operation::kListObjects, prefix, options);
  const HttpRequest request = ListedPageRequest(core.endpoint(), prefix, options);
  const std::string invocation_id = core.NewInvocationId();
  PageText text(parser);
  const auto answer = core.Retry(call, [&](Attempts& attempts) {
    return core.Send({.request = request, .invocation_id = invocation_id, .attempts = attempts, .receiver = &text});
  });
  if (!answer) return answer.error();
  auto page = parser.Parse(text.Take());
  if (!page) return InCall(call, page.error());
  return page;
}

Result<void> CheckOrder(std::span<const std::string_view> names) {
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (auto checked = CheckIsBehind(names[i], names[i - 1]); !checked) return checked;
  }
  return {};
}

// Rejects pages that would repeat without end, or that contradict earlier ones.
Result<void> CheckPage(const PageCall& call, std::span<const std::string_view> names,
                       std::span<const std::string_view> prefixes, const std::string& next_page_token) {
  const auto& barren = call.barren_tokens;
  if (std::find(barren.begin(), barren.end(), next_page_token) != barren.end()) {
    return Error{ErrorCode::kBadResponse, "the service names a page as the next one that it has shown before"};
  }
  const bool is_endless = names.empty() && !next_page_token.empty() && barren.size() + 1 >= kMostBarrenPages;
  if (is_endless) return EndlessListing();
  if (!names.empty() && names.front() < call.least_name) {
    const bool is_behind_a_name = call.least_name.back() == '\0';
    return CheckIsBehind(names.front(), call.least_name.substr(0, call.least_name.size() - (is_behind_a_name ? 1 : 0)));
  }
  for (const auto& of_page : {names, prefixes}) {
    if (auto checked = CheckOrder(of_page); !checked) return checked;
    if (of_page.empty()) continue;
    // In order, all others are between these two.
    if (auto checked = CheckIsUnder(of_page.front(), call.prefix); !checked) return checked;
    if (auto checked = CheckIsUnder(of_page.back(), call.prefix); !checked) return checked;
  }
  return {};
}

bool CostsRetrieval(const std::string& storage_class) {
  return storage_class == "NEARLINE" || storage_class == "COLDLINE" || storage_class == "ARCHIVE";
}

}  // namespace

ParallelListing::ParallelListing(const Client& client, ObjectName prefix, DeliveryOrder order, const ListingSink& sink,
                                 const ParallelListOptions& options)
    : client_(client),
      prefix_(std::move(prefix)),
      sink_(sink),
      options_(options),
      max_concurrency_(MaxConcurrency(options)),
      counters_before_(client.counters()),
      storage_classes_(options.storage_classes.begin(), options.storage_classes.end()),
      skips_composites_(options.skip_composites && !prefix_.name.starts_with(kCompositePrefix) &&
                        !prefix_.name.starts_with(kUploadPrefix)),
      scheduler_(MakeSchedulerOptions(prefix_.name, options)),
      delivery_(order),
      slots_(std::make_unique<RequestSlots>(CoreOf(client).loops(), max_concurrency_)) {}

Result<Listing> ParallelListing::Run() {
  const std::stop_callback pass_on(options_.stop, [this] { stop_.request_stop(); });
  {
    const MutexLock lock(mutex_);
    BeginCalls();
  }
  const Result<void> delivered = Deliver();
  if (!owner_.IsCurrent()) return owner_.Refuse(("the listing of " + ToUri(prefix_)).c_str());
  End();
  if (!delivered) return delivered.error();
  return Report();
}

// Delivers until everything is delivered, or a call has failed.
Result<void> ParallelListing::Deliver() {
  while (!options_.limit || listing_.object_count < *options_.limit) {
    Delivery::Batch batch;
    {
      MutexLock lock(mutex_);
      // Without a loop, this thread makes the calls.
      while (!slots_->is_usable() && MayCall() && delivery_.ready() == 0 && !scheduler_.is_done()) {
        const PageCall call = NextCall();
        lock.unlock();
        MakeCall(call);
        lock.lock();
      }
      const auto has_news = [this]()
                                REQUIRES(mutex_) { return delivery_.ready() > 0 || scheduler_.is_done() || error_; };
      has_news_.wait(lock, stop_.get_token(), has_news);
      if (error_) return *error_;
      if (options_.stop.stop_requested()) {
        return Error{ErrorCode::kCancelled, "LIST " + ToUri(prefix_) + ": cancelled after " +
                                                std::to_string(listing_.object_count) + " objects"};
      }
      if (delivery_.ready() == 0) return {};
      batch = delivery_.Take();
      if (delivery_.ready() + 1 == max_ready_) OfferCalls();  // There is room again.
    }
    auto taken = DeliverBatch(std::move(batch));
    if (!taken || !owner_.IsCurrent()) return taken;
  }
  return {};
}

Result<void> ParallelListing::DeliverBatch(Delivery::Batch batch) {
  Filter(batch);
  if (options_.limit && batch.size() > *options_.limit - listing_.object_count) {
    batch.resize(static_cast<std::size_t>(*options_.limit - listing_.object_count));
  }
  if (batch.empty()) return {};
  Count(batch);
  return CallUserCode("sink", [&] { return sink_(std::move(batch)); });
}

void ParallelListing::Count(const Delivery::Batch& batch) {
  listing_.object_count += batch.size();
  for (auto first = batch.begin(); first != batch.end();) {
    const InternedName of = first->storage_class;
    const auto last = std::find_if(first, batch.end(), [of](const ListedObject& o) { return o.storage_class != of; });
    listing_.storage_classes[of.name()] += static_cast<std::uint64_t>(last - first);
    first = last;
  }
}

void ParallelListing::Filter(Delivery::Batch& batch) const {
  if (skips_composites_) {
    const auto from = [&](std::string_view name) {
      return std::lower_bound(batch.begin(), batch.end(), name,
                              [](const ListedObject& object, std::string_view key) { return object.name < key; });
    };
    for (const std::string_view prefix : {kUploadPrefix, kCompositePrefix}) {
      const auto end = from(EndOfPrefix(prefix));
      batch.erase(from(prefix), end);
    }
  }
  if (!storage_classes_.empty()) {
    std::erase_if(batch, [this](const ListedObject& object) {
      const auto asked = std::find(storage_classes_.begin(), storage_classes_.end(), object.storage_class);
      return asked == storage_classes_.end();
    });
  }
  if (options_.include_directory_markers) return;
  std::erase_if(batch, [](const ListedObject& object) { return object.name.ends_with('/'); });
}

void ParallelListing::BeginCalls() {
  if (is_over_) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  for (PageCall& call : scheduler_.Begin(seconds)) calls_.push_back(std::move(call));
  if (!calls_.empty()) OfferCalls();
}

// The slots are destroyed before this object.
void ParallelListing::OfferCalls() { slots_->Offer({std::shared_ptr<void>(), this}); }

bool ParallelListing::MayCall() const {
  return !calls_.empty() && delivery_.ready() < max_ready_ && !error_ && !stop_.stop_requested();
}

PageCall ParallelListing::NextCall() {
  PageCall call = std::move(calls_.front());
  calls_.pop_front();
  ++made_;
  return call;
}

std::function<void()> ParallelListing::Take() {
  const MutexLock lock(mutex_);
  if (!MayCall()) return nullptr;
  return [this, call = NextCall()] { MakeCall(call); };
}

void ParallelListing::MakeCall(const PageCall& call) {
  auto page = Ask(call);
  const Result<void> done = page ? OnPage(call, *std::move(page)) : page.error();
  if (done || stop_.stop_requested()) return;
  const MutexLock lock(mutex_);
  Fail(done.error());
}

Result<ListedPage> ParallelListing::Ask(const PageCall& call) {
  const bool is_plain = call.start_offset == call.prefix;  // the usual form of a listing: the prefix implies the start
  return ListPage(client_, {prefix_.bucket, call.prefix},
                  {.delimiter = call.delimiter,
                   .start_offset = is_plain ? std::string() : call.start_offset,
                   .end_offset = call.end_offset,
                   .max_results = static_cast<int>(call.max_results),
                   .page_token = call.page_token,
                   .call = options_.call,
                   .stop = stop_.get_token()},
                  parser_);
}

Result<void> ParallelListing::OnPage(const PageCall& call, ListedPage page) {
  std::vector<std::string_view> names;
  names.reserve(page.objects.size());
  for (const ListedObject& object : page.objects) names.push_back(object.name);
  const std::vector<std::string_view> prefixes(page.prefixes.begin(), page.prefixes.end());
  if (auto checked = CheckPage(call, names, prefixes, page.next_page_token); !checked) {
    return Error{checked.error().code, "LIST " + ToUri(prefix_) + ": " + checked.error().message};
  }
  const PageView view{.names = names, .prefixes = prefixes, .next_page_token = page.next_page_token};
  const MutexLock lock(mutex_);
  if (!is_over_) Accept(call, std::move(page.objects), view);
  return {};
}

void ParallelListing::Accept(const PageCall& call, Delivery::Batch objects, const PageView& page) {
  const std::vector<Taken> taken = scheduler_.OnPage(call.id, page);
  for (const Taken& run : taken) {
    if (run.begin == 0 && run.end == objects.size()) {
      delivery_.Add(std::move(objects));
      break;
    }
    const auto at = [&](std::size_t index) {
      return std::make_move_iterator(objects.begin() + static_cast<std::ptrdiff_t>(index));
    };
    delivery_.Add(Delivery::Batch(at(run.begin), at(run.end)));
  }
  if (scheduler_.is_done()) {
    delivery_.ReleaseAll();
  } else {
    delivery_.Release(scheduler_.frontier());
    BeginCalls();
  }
  has_news_.notify_one();
}

void ParallelListing::Fail(Error error) {
  if (scheduler_.is_done()) return;  // a guess that is not needed any more
  if (!error_) error_ = std::move(error);
  has_news_.notify_one();
}

// Calls in flight can add nothing any more.
void ParallelListing::End() {
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
  }
  stop_.request_stop();
  const std::size_t started = slots_->is_usable() ? slots_->limit() : 0;
  if (const auto shortage = slots_->shortage(); shortage && started < max_concurrency_) {
    CoreOf(client_).observer().Report({.kind = EventKind::kThreadShortage,
                                       .error = &*shortage,
                                       .what = slots_->is_usable() ? "connections" : "threads",
                                       .wanted = max_concurrency_,
                                       .started = started});
  }
  slots_.reset();
}

Listing ParallelListing::Report() const {
  const MutexLock lock(mutex_);
  Listing report = listing_;
  const Counters now = client_.counters();
  report.prefix = prefix_;
  report.calls = made_;
  report.steals = scheduler_.steals();
  report.retries = now.retries - counters_before_.retries;
  report.throttled = now.throttled - counters_before_.throttled;
  report.elapsed = std::chrono::steady_clock::now() - begin_;
  report.split_points = scheduler_.SplitPoints(kSplitPoints);
  std::uint64_t costly = 0;
  for (const auto& [storage_class, objects] : report.storage_classes) {
    if (CostsRetrieval(storage_class)) costly += objects;
  }
  if (costly > 0) {
    report.warning = std::to_string(costly) + " of " + std::to_string(report.object_count) + " objects under " +
                     ToUri(prefix_) + " are NEARLINE, COLDLINE or ARCHIVE: reading them costs retrieval fees";
  }
  return report;
}

}  // namespace gcsflux::internal::listing
