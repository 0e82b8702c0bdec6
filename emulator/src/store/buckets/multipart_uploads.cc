#include "store/buckets/multipart_uploads.h"

#include <array>
#include <chrono>
#include <cstdio>

namespace gcsflux::emulator {
namespace {

// The prefix that `name` is folded into, or nothing.
std::optional<std::string> FoldedPrefix(const std::string& name, const UploadQuery& query) {
  if (query.delimiter.empty()) return std::nullopt;
  const std::size_t found = name.find(query.delimiter, query.prefix.size());
  if (found == std::string::npos) return std::nullopt;
  return name.substr(0, found + query.delimiter.size());
}

bool IsBehindMarkers(const UploadName& name, const UploadQuery& query) {
  if (name.object != query.key_marker) return name.object > query.key_marker;
  return !query.upload_id_marker.empty() && name.id > query.upload_id_marker;
}

}  // namespace

tl::expected<void, MultipartFailure> MultipartUpload::PutPart(int number, BodyPtr body) {
  (void)body->md5();  // computed here, and not under the lock when the upload is completed
  Outcome<BodyPtr> kept = KeepBody(log_.log, std::move(body));
  if (!kept) return tl::unexpected(MultipartFailure::kUnavailable);
  UploadPart replaced{number, clock_(),
                      *std::move(kept)};  // destroyed after the lock is released: freeing a body may take a while
  NameLocks::Hold hold;
  if (log_) {
    hold = part_numbers_.Lock({std::to_string(number)});
    if (auto written = RecordPart(replaced); !written) return written;
  }
  const std::scoped_lock lock(mutex_);
  if (auto open = CheckOpenLocked(); !open) return open;
  std::swap(parts_[number], replaced);
  return {};
}

tl::expected<void, MultipartFailure> MultipartUpload::RecordPart(const UploadPart& part) {
  {
    const std::scoped_lock lock(mutex_);
    if (auto open = CheckOpenLocked(); !open) return open;
  }
  if (!log_.log->Commit({log_.Put(upload_.id, part)})) return tl::unexpected(MultipartFailure::kUnavailable);
  return {};
}

void MultipartUpload::Adopt(UploadPart part) {
  const std::scoped_lock lock(mutex_);
  const int number = part.number;
  parts_.insert_or_assign(number, std::move(part));
}

UploadSnapshot MultipartUpload::Capture() const {
  UploadSnapshot snapshot{.upload = upload_};
  const std::scoped_lock lock(mutex_);
  for (const auto& [number, part] : parts_) snapshot.parts.push_back(part);
  return snapshot;
}

PartPage MultipartUpload::ListParts(int after, std::size_t max_parts) const {
  PartPage page;
  const std::scoped_lock lock(mutex_);
  for (auto at = parts_.upper_bound(after); at != parts_.end(); ++at) {
    if (page.parts.size() == max_parts) {
      page.is_truncated = true;
      break;
    }
    page.parts.push_back(at->second);
  }
  return page;
}

tl::expected<BodyPtr, MultipartFailure> MultipartUpload::BeginComplete(std::span<const PartReference> parts) {
  std::vector<BodyPtr> bodies;
  {
    const std::scoped_lock lock(mutex_);
    if (auto open = CheckOpenLocked(); !open) return tl::unexpected(open.error());
    auto selected = SelectLocked(parts);
    if (!selected) return tl::unexpected(selected.error());
    bodies = *std::move(selected);
    state_ = State::kCompleting;
  }
  return ConcatenateBodies(bodies);
}

void MultipartUpload::EndComplete(bool is_stored) {
  std::map<int, UploadPart> freed;  // destroyed after the lock is released
  const std::scoped_lock lock(mutex_);
  state_ = is_stored ? State::kOver : State::kOpen;
  if (is_stored) freed.swap(parts_);
}

tl::expected<void, MultipartFailure> MultipartUpload::Abort() {
  {
    const std::scoped_lock lock(mutex_);
    if (auto open = CheckOpenLocked(); !open) return open;
    state_ = State::kCompleting;  // until it is written that there is none
  }
  const bool is_written = !log_ || log_.log->Commit(EndRecord()).has_value();
  EndComplete(is_written);
  if (!is_written) return tl::unexpected(MultipartFailure::kUnavailable);
  return {};
}

tl::expected<void, MultipartFailure> MultipartUpload::CheckOpenLocked() const {
  if (state_ == State::kOpen) return {};
  return tl::unexpected(state_ == State::kOver ? MultipartFailure::kNoSuchUpload : MultipartFailure::kBeingCompleted);
}

tl::expected<std::vector<BodyPtr>, MultipartFailure> MultipartUpload::SelectLocked(
    std::span<const PartReference> parts) const {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i - 1].number >= parts[i].number) return tl::unexpected(MultipartFailure::kInvalidPartOrder);
  }
  std::vector<BodyPtr> bodies;
  for (const PartReference& wanted : parts) {
    const auto found = parts_.find(wanted.number);
    if (found == parts_.end() || wanted.md5 != found->second.body->md5()) {
      return tl::unexpected(MultipartFailure::kInvalidPart);
    }
    bodies.push_back(found->second.body);
  }
  for (std::size_t i = 0; i + 1 < bodies.size(); ++i) {
    if (bodies[i]->size() < kMinPartSize) return tl::unexpected(MultipartFailure::kTooSmall);
  }
  return bodies;
}

Outcome<std::string> MultipartUploads::Start(const std::string& object, ObjectAttributes attributes,
                                             ObjectEncryption encryption) {
  const Time now = clock_();
  UploadRecord upload{.object = object,
                      .id = NewId(now),
                      .initiated = now,
                      .attributes = std::move(attributes),
                      .encryption = std::move(encryption)};
  if (log_) {
    const auto written = log_.log->Commit({log_.Put(upload)});
    if (!written) return tl::unexpected(written.error());
  }
  std::string id = upload.id;
  Adopt(std::move(upload));
  return id;
}

std::string MultipartUploads::NewId(Time initiated) {
  const auto since_epoch = initiated.time_since_epoch();
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
  const std::scoped_lock lock(mutex_);
  std::array<char, 33> id{};
  std::snprintf(id.data(), id.size(), "%016llx%016llx", static_cast<unsigned long long>(microseconds),
                static_cast<unsigned long long>(random_()));
  return id.data();
}

std::shared_ptr<MultipartUpload> MultipartUploads::Adopt(UploadRecord upload) {
  UploadName name{upload.object, upload.id};
  auto adopted = std::make_shared<MultipartUpload>(std::move(upload), clock_, log_);
  const std::scoped_lock lock(mutex_);
  uploads_.emplace(std::move(name), adopted);
  return adopted;
}

std::shared_ptr<MultipartUpload> MultipartUploads::Find(const UploadName& name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = uploads_.find(name);
  return found != uploads_.end() ? found->second : nullptr;
}

void MultipartUploads::Remove(const UploadName& name) {
  std::shared_ptr<MultipartUpload> removed;  // destroyed after the lock is released: freeing its parts may take a while
  const std::scoped_lock lock(mutex_);
  const auto found = uploads_.find(name);
  if (found == uploads_.end()) return;
  removed = std::move(found->second);
  uploads_.erase(found);
}

std::vector<UploadSnapshot> MultipartUploads::Capture() const {
  std::vector<std::shared_ptr<MultipartUpload>> uploads;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [name, upload] : uploads_) uploads.push_back(upload);
  }
  std::vector<UploadSnapshot> snapshots;
  snapshots.reserve(uploads.size());
  for (const auto& upload : uploads) snapshots.push_back(upload->Capture());
  return snapshots;
}

UploadPage MultipartUploads::List(const UploadQuery& query) const {
  UploadPage page;
  UploadName last;
  const std::scoped_lock lock(mutex_);
  for (auto at = uploads_.lower_bound({std::max(query.prefix, query.key_marker), ""}); at != uploads_.end(); ++at) {
    const UploadName& name = at->first;
    if (!name.object.starts_with(query.prefix)) break;
    if (!IsBehindMarkers(name, query)) continue;
    std::optional<std::string> folded = FoldedPrefix(name.object, query);
    // A marker may be a prefix with which the previous page ended.
    if (folded && (*folded == query.key_marker || *folded == last.object)) continue;
    if (page.uploads.size() + page.prefixes.size() == query.max_uploads) {
      page.next = std::move(last);
      break;
    }
    if (folded) {
      last = UploadName{*folded, ""};
      page.prefixes.push_back(*std::move(folded));
    } else {
      last = name;
      page.uploads.emplace_back(name, at->second);
    }
  }
  return page;
}

}  // namespace gcsflux::emulator
