#include "uploads/commit_upload.h"

#include <string>
#include <utility>

#include "api/upload_hashes.h"

namespace gcsflux::emulator {

bool NeedsMd5(const ApiCall& call, const PendingObject& pending) {
  const std::string* hash = call.request.headers.Find("x-goog-hash");
  const bool says_md5 = pending.hashes.md5 || (hash != nullptr && hash->find("md5=") != std::string::npos);
  return says_md5 || call.fields.Includes("md5Hash");
}

ApiResult<ObjectPtr> CommitUpload(const ApiCall& call, PendingObject pending, BodyPtr body) {
  call.subject.object = pending.name;
  auto read = ReadHashHeader(call.request.headers.FindAll("x-goog-hash"), pending.hashes);
  if (!read) return tl::unexpected(read.error());
  if (auto checked = CheckHashes(pending.hashes, *body); !checked) return tl::unexpected(checked.error());
  if (pending.attributes.content_type.empty()) pending.attributes.content_type = "application/octet-stream";
  Outcome<ObjectPtr> stored = pending.bucket->InsertObject({.name = std::move(pending.name),
                                                            .attributes = std::move(pending.attributes),
                                                            .body = std::move(body),
                                                            .encryption = std::move(pending.encryption),
                                                            .may_replace = pending.may_replace,
                                                            .also = std::move(pending.also)},
                                                           pending.preconditions);
  if (!stored) return tl::unexpected(ToApiError(stored.error()));
  call.subject.committed_generation = (*stored)->generation;
  return *std::move(stored);
}

}  // namespace gcsflux::emulator
