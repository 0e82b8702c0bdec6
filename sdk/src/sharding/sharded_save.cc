#include "sharding/sharded_save.h"

#include <algorithm>
#include <utility>

#include "base/either_stop.h"
#include "base/stop_after.h"
#include "checkpoints/run_identity.h"
#include "checkpoints/stop_requests.h"
#include "formats/bytes/format_error.h"
#include "sharding/announcement.h"
#include "sharding/ranks/caught.h"
#include "sharding/ranks/work_of_ranks.h"
#include "sharding/shard_file.h"

namespace gcsflux::internal {
namespace {

Result<void> CheckBytes(const PartToSave& one) {
  const auto count = ElementCount(one.part.OwnShape());
  if (count && *count * ElementBytes(one.part.dtype) == one.bytes.size()) return {};
  return Error{ErrorCode::kInvalidArgument, "tensor " + Shown(one.part.name) + " has " +
                                                std::to_string(one.bytes.size()) +
                                                " bytes, which is not what its slice and type ask for"};
}

/// The most files of earlier steps that a rank names. If there would be more, it sends all its slices. Each file costs
/// a request, and the whole file is kept.
constexpr std::size_t kMostOlderFiles = 16;

// A slice of a tensor by its place, as CommittedTensors knows it.
std::string SliceName(std::string name, const std::vector<std::int64_t>& offsets) {
  for (const std::int64_t offset : offsets) name += " " + std::to_string(offset);
  return name;
}
std::string SliceName(const TensorPart& part) {
  return SliceName(part.name, part.OwnShape() == part.shape ? std::vector<std::int64_t>() : part.offsets);
}

std::size_t IndexOf(const StepFile& file, std::vector<StepFile>& files) {
  const auto found = std::ranges::find(files, file);
  const auto index = static_cast<std::size_t>(found - files.begin());
  if (found == files.end()) files.push_back(file);
  return index;
}

std::vector<PartToSave> Chosen(const SaveOrder& order, std::span<const PartToSave> parts) {
  std::vector<PartToSave> chosen;
  for (const PlannedRows& rows : order.rows) {
    const PartToSave& one = parts[rows.part];
    const FileRange place = BytesOfRows(one.part, rows);
    chosen.push_back({RowsOfPart(one.part, rows), one.bytes.subspan(static_cast<std::size_t>(place.begin),
                                                                    static_cast<std::size_t>(place.size()))});
  }
  return chosen;
}

}  // namespace

Result<SavedStep> ShardedSave::Run(const CheckpointManifest& about, std::span<const PartToSave> parts,
                                   std::string_view values, CommitMode mode, const std::stop_token& stop) {
  const StopAfter broken(stop, PatienceAfterStop(options_.deadline));
  const CollectiveLimits limits{.deadline = options_.deadline, .stop = broken.token()};
  const auto announcements = Announce(about.step, parts, mode, limits);
  if (!announcements) return announcements.error();
  const auto order = Order(about, mode, *announcements, stop, limits);
  if (!order) return DropNames(), order.error();
  const auto report = Write(*order, parts, values, stop, broken.token());
  if (!report) return DropNames(), report.error();
  const auto reports = group_.Gather(FormatReport(*report), limits);
  if (!reports) return DropNames(), reports.error();
  Result<SavedStep> saved = Error{ErrorCode::kCancelled, "the manifest was not sent"};  // On rank 0.
  const WorkOfRank0 commit = [&](std::atomic<std::uint64_t>& moved) { saved = Commit(about, *reports, mode, moved); };
  const auto committed = WorkOnRank0(group_, options_.deadline, steps_, commit, stop);
  const auto with_outcome = [&](Error error) {  // Only rank 0 knows what became of the manifest.
    const WriteOutcome known = saved ? WriteOutcome::kStored : saved.error().outcome;
    error.outcome = group_.rank() == 0 ? known : WriteOutcome::kUnknown;
    return error;
  };
  if (!committed) return DropNames(), with_outcome(committed.error());
  Keep(saved, stop);
  DropNames();
  const auto told = group_.Broadcast(saved ? FormatSaved(*saved) : FormatFailure(saved.error()), limits);
  if (!told) return with_outcome(told.error());
  auto result = ParseSaved(*told);
  // Without memory for it, the next step compares with what is known of an earlier one.
  if (result) std::ignore = Caught([&] { return Learn(*report), true; });
  return result;
}

Error ShardedSave::Refuse(std::int64_t step, const Error& why, const std::stop_token& stop) {
  const StopAfter broken(stop, PatienceAfterStop(options_.deadline));
  const CollectiveLimits limits{.deadline = options_.deadline, .stop = broken.token()};
  const auto announcements = group_.Gather(FormatRefusal(MakeRunIdentity().host, why), limits);
  if (!announcements) return announcements.error();
  const auto order = Order({.step = step}, CommitMode::kCreate, *announcements, stop, limits);
  DropNames();
  return order ? why : order.error();  // No rank gets an order.
}

Result<std::vector<std::string>> ShardedSave::Announce(std::int64_t step, std::span<const PartToSave> parts,
                                                       CommitMode mode, const CollectiveLimits& limits) {
  const std::string host = MakeRunIdentity().host;
  auto message = Caught([&] {
    std::vector<TensorPart> announced;
    for (const PartToSave& one : parts) announced.push_back(one.part);
    return FormatAnnouncement({.host = host, .uri = steps_.uri(), .step = step, .mode = mode}, announced);
  });
  return group_.Gather(message ? *std::move(message) : FormatRefusal(host, message.error()), limits);
}

// What this rank must write, or why nothing is saved.
Result<SaveOrder> ShardedSave::Order(const CheckpointManifest& about, CommitMode mode,
                                     std::span<const std::string> announcements, const std::stop_token& stop,
                                     const CollectiveLimits& limits) {
  std::vector<std::string> orders;
  const WorkOfRank0 plan = [&](std::atomic<std::uint64_t>&) {
    auto planned = PlanOrders(about, mode, announcements);
    orders =
        planned ? *std::move(planned) : std::vector<std::string>(announcements.size(), FormatFailure(planned.error()));
  };
  if (auto done = WorkOnRank0(group_, options_.deadline, steps_, plan, stop); !done) return done.error();
  const auto message = group_.Scatter(std::move(orders), limits);
  return message ? ParseOrder(*message) : message.error();
}

Result<std::vector<std::string>> ShardedSave::PlanOrders(const CheckpointManifest& about, CommitMode mode,
                                                         std::span<const std::string> announcements) {
  auto plan = PlanSave(announcements);
  if (!plan) return plan.error();
  if (!writer_) {
    auto started = StepWriter::Start(store_, options_.take_over);
    if (!started) return started.error();
    writer_.emplace(*std::move(started));
  }
  if (auto checked = writer_->CheckStep(about, mode); !checked) return checked.error();
  const std::vector<StepFile> kept = FilesToName();
  std::vector<std::string> orders;
  for (std::size_t rank = 0; rank < plan->ranks.size(); ++rank) {
    SaveOrder order{.rows = std::move(plan->ranks[rank]), .kept = kept};
    if (rank == 0 || !order.rows.empty()) {  // A step has a file, even if it has no tensors.
      auto name = writer_->ReserveName(about.step, ShardName(static_cast<int>(rank)));
      if (!name) return name.error();
      names_.push_back(*name);
      order.name = *std::move(name);
    }
    orders.push_back(FormatOrder(order));
  }
  return orders;
}

// The files of the last step, if the new one may name them. Ranks do not remove steps while they save.
std::vector<StepFile> ShardedSave::FilesToName() const {
  const auto& files = saved_.files;
  const std::size_t most = kMostOlderFiles * static_cast<std::size_t>(group_.world_size());
  if (!options_.skip_unchanged || files.empty() || files.size() > most) return {};
  return steps_.HasFiles(files).ok() ? files : std::vector<StepFile>();
}

// Where the same bytes of these slices are stored. Null for those that must be written.
std::vector<const StoredPlace*> ShardedSave::FindStored(const SaveOrder& order, const std::vector<PartToSave>& chosen) {
  if (!options_.skip_unchanged) return std::vector<const StoredPlace*>(chosen.size(), nullptr);
  for (const auto& [part, bytes] : chosen) {
    slices_.push_back({.name = SliceName(part), .dtype = part.dtype, .shape = part.OwnShape(), .bytes = bytes});
  }
  std::vector<const StoredPlace*> places = saved_.tensors.FindEqual(slices_);
  for (const StoredPlace*& place : places) {
    if (place != nullptr && std::ranges::find(order.kept, place->file) == order.kept.end()) place = nullptr;
  }
  return places;
}

// The step is committed.
void ShardedSave::Learn(const ShardReport& report) {
  if (!options_.skip_unchanged) return;
  CheckpointManifest own{.files = report.files, .tensors = report.tensors};
  for (StepTensor& tensor : own.tensors) {
    tensor.name = SliceName(std::move(tensor.name), tensor.offsets);
  }
  saved_.tensors.Learn(slices_, own);
}

Result<ShardReport> ShardedSave::Write(const SaveOrder& order, std::span<const PartToSave> parts,
                                       std::string_view values, const std::stop_token& stop,
                                       const std::stop_token& broken) {
  ShardReport report;
  std::vector<StepFile> own;  // The file that this rank writes.
  const WorkOfRank work = [&](std::atomic<std::uint64_t>& moved, const std::stop_token& asked) -> Result<void> {
    for (const PartToSave& one : parts) {
      if (auto checked = CheckBytes(one); !checked) return checked;
    }
    if (order.name.empty()) return {};
    const std::vector<PartToSave> chosen = Chosen(order, parts);
    const std::vector<const StoredPlace*> places = FindStored(order, chosen);
    std::vector<PartToSave> changed;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (places[i] == nullptr) changed.push_back(chosen[i]);
    }
    UploadOptions options = options_.file;
    const EitherStop either(asked, options.stop);
    options.stop = either.token();
    options.on_progress = [&, callers = options.on_progress](const Progress& progress) {
      moved = progress.bytes;
      if (callers) callers(progress);
    };
    const CheckpointWriter write = [&](const ByteSink& sink) {
      return WriteShard(changed, values, sink, report.tensors);
    };
    if (group_.rank() == 0 || !changed.empty()) {
      auto file = WriteStepFile(steps_, order.name, write, options);
      if (!file) return file.error();
      own = report.files = {*std::move(file)};
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (places[i] == nullptr) continue;
      StepTensor& tensor = report.tensors.emplace_back(places[i]->tensor);
      tensor.name = chosen[i].part.name;
      tensor.file = IndexOf(places[i]->file, report.files);
    }
    return {};
  };
  auto written = WorkOnAllRanks(group_, options_.deadline, work, stop);
  if (written) return report;
  DeleteFiles(own, broken);
  return written.error();
}

// Files that stay are in no manifest: the next save with rules removes them. Limits its time, because the caller waits
// for the error.
void ShardedSave::DeleteFiles(const std::vector<StepFile>& files, const std::stop_token& broken) {
  const StopAfter limit(PatienceAfterStop(options_.deadline));
  const EitherStop either(limit.token(), broken);
  const StopRequests requests(steps_, either.token());
  for (const StepFile& file : files) static_cast<void>(steps_.Delete(file.name, file.generation).ok());
}

Result<SavedStep> ShardedSave::Commit(const CheckpointManifest& about, std::span<const std::string> reports,
                                      CommitMode mode, std::atomic<std::uint64_t>& moved) {
  CheckpointManifest manifest = about;
  manifest.files.clear();
  manifest.tensors.clear();
  for (const std::string& bytes : reports) {
    auto report = ParseReport(bytes);
    if (!report) return report.error();
    std::vector<std::size_t> indices;
    for (const StepFile& file : report->files) indices.push_back(IndexOf(file, manifest.files));
    for (StepTensor& tensor : report->tensors) {
      tensor.file = indices.at(tensor.file);
      manifest.tensors.push_back(std::move(tensor));
    }
  }
  // Each rank's file must exist with this generation, size and CRC32C.
  if (auto checked = steps_.HasFiles(manifest.files); !checked) return checked.error();
  ++moved;  // The next phase has its own deadline.
  auto stored = writer_->Commit(std::move(manifest), mode);
  if (!stored) return stored.error();
  ++moved;
  saved_.files = stored->manifest.files;
  return SavedStep{.step = StepOf(*stored)};
}

// The step exists, so a failure of the removal does not make the save fail. If a rank ends meanwhile, the save fails,
// because the others can no longer be told.
void ShardedSave::Keep(Result<SavedStep>& saved, const std::stop_token& stop) {
  std::optional<Result<RemovalReport>> kept;
  const WorkOfRank0 keep = [&](std::atomic<std::uint64_t>&) {
    if (saved && options_.keep) kept = writer_->Keep(*options_.keep);
  };
  const auto done = WorkOnRank0(group_, options_.deadline, steps_, keep, stop);
  if (!kept) return;
  const auto why = [&](const Error& error) {
    return !done && error.code == ErrorCode::kCancelled ? done.error() : error;
  };
  if (!kept->ok()) {
    saved->keep_error = why(kept->error());
    return;
  }
  saved->kept = **std::move(kept);
  for (Step& one : saved->kept.not_removed) one.problem = why(*one.problem);
  if (saved->kept.leftovers) saved->kept.leftovers = why(*saved->kept.leftovers);
}

void ShardedSave::DropNames() {
  for (const std::string& name : names_) writer_->DropName(name);
  names_.clear();
}

}  // namespace gcsflux::internal
