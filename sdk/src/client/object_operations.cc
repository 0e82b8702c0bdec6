// Client's methods on objects, except reads of their bytes: object_read.cc.
#include <utility>

#include "base/crc32c.h"
#include "base/object_name.h"
#include "client/operation_calls.h"
#include "client/stored_object.h"
#include "gcsflux/client.h"
#include "wire/insert_requests.h"
#include "wire/listed_names.h"
#include "wire/metadata_json.h"
#include "wire/object_requests.h"
#include "wire/object_resource.h"

namespace gcsflux {

using internal::CheckBucketName;
using internal::CheckObject;
using internal::CheckOptions;
using internal::InCall;
using internal::MakeCall;
using internal::Operation;
using internal::ParseAnswer;
using internal::ParseObjectAnswer;

namespace {

// A name that was not asked for could be deleted, or taken apart as if it began with the prefix.
Result<void> CheckIsAsked(ObjectListing& page, const ObjectName& listed, const ListOptions& options) {
  for (ObjectMetadata& object : page.objects) {
    if (object.bucket.empty()) object.bucket = listed.bucket;
    if (object.bucket != listed.bucket) {
      return Error{ErrorCode::kBadResponse, "the service lists " +
                                                internal::ShownName(ToUri({object.bucket, object.name})) +
                                                ", which is of another bucket"};
    }
    if (auto checked = internal::CheckIsUnder(object.name, listed.name); !checked) return checked;
    if (auto checked = internal::CheckIsIn(object.name, options.start_offset, options.end_offset); !checked) {
      return checked;
    }
  }
  for (const std::string& prefix : page.prefixes) {
    if (auto checked = internal::CheckIsUnder(prefix, listed.name); !checked) return checked;
  }
  return {};
}

Result<void> CheckHasNoKey(const ObjectOptions& options) {
  if (!options.encryption_key) return {};
  return Error{ErrorCode::kInvalidArgument, "ObjectOptions::encryption_key is only for GetObject"};
}

// Sends a request for an object's metadata or their change, if `checked` does not refuse it.
template <class MakeRequest>
Result<ObjectMetadata> ExchangeMetadata(const ClientCore& core, const internal::Call& call, const ObjectName& object,
                                        const ObjectOptions& options, const Result<void>& checked,
                                        MakeRequest make_request) {
  if (auto named = CheckObject(object); !named) return named.error();
  if (!checked) return InCall(call, checked.error());
  return ParseObjectAnswer(call, core.Exchange(call, make_request()), internal::AskedBy(object, options));
}

}  // namespace

Result<ObjectMetadata> Client::InsertObject(const ObjectName& object, std::span<const std::byte> data,
                                            const InsertObjectOptions& options) const {
  if (auto checked = CheckObject(object); !checked) return checked.error();
  if (auto checked = internal::CheckBytes(object, data); !checked) return checked.error();
  const auto call = MakeCall(core(), Operation::kInsertObject, object, options);
  if (auto checked = CheckOptions(core(), options); !checked) return InCall(call, checked.error());
  const std::uint32_t crc32c = internal::ExtendCrc32c(0, data);
  const auto request = internal::InsertObjectRequest(core().endpoint(), object, data, crc32c, options);
  auto stored = ParseObjectAnswer(call, core().Exchange(call, request), {object});
  if (!stored) return stored;
  auto checked = internal::CheckStored(core(), *stored, {data.size(), crc32c}, options.call, options.stop);
  if (!checked) return InCall(call, checked.error());
  return checked;
}

Result<ObjectMetadata> Client::GetObject(const ObjectName& object, const ObjectOptions& options) const {
  const auto call = MakeCall(core(), Operation::kGetObject, object, options);
  return ExchangeMetadata(core(), call, object, options, CheckOptions(core(), options),
                          [&] { return internal::GetObjectRequest(core().endpoint(), object, options); });
}

Result<ObjectListing> Client::ListObjects(const ObjectName& prefix, const ListOptions& options) const {
  if (auto checked = CheckBucketName(prefix.bucket); !checked) return checked.error();
  const auto call = MakeCall(core(), Operation::kListObjects, prefix, options);
  if (options.max_results < 1) {
    return InCall(call, {ErrorCode::kInvalidArgument, "ListOptions::max_results must be at least 1"});
  }
  const auto request = internal::ListObjectsRequest(core().endpoint(), prefix, options);
  const auto answer = core().Exchange(call, request);
  if (!answer) return answer.error();
  auto page = internal::ParseObjectPage(answer->body, internal::AsksForSize(options.fields));
  if (!page) return InCall(call, page.error());
  if (auto checked = CheckIsAsked(*page, prefix, options); !checked) return InCall(call, checked.error());
  return page;
}

Result<ObjectMetadata> Client::PatchObject(const ObjectName& object, const ObjectChanges& changes,
                                           const ObjectOptions& options) const {
  const auto call = MakeCall(core(), Operation::kPatchObject, object, options);
  auto checked = internal::CheckChanges(changes);
  if (checked) checked = CheckHasNoKey(options);
  return ExchangeMetadata(core(), call, object, options, checked,
                          [&] { return internal::PatchObjectRequest(core().endpoint(), object, changes, options); });
}

Result<ObjectMetadata> Client::UpdateObject(const ObjectName& object, const ObjectAttributes& attributes,
                                            const ObjectOptions& options) const {
  const auto call = MakeCall(core(), Operation::kUpdateObject, object, options);
  auto checked = internal::CheckAttributes(attributes);
  if (checked) checked = CheckHasNoKey(options);
  return ExchangeMetadata(core(), call, object, options, checked, [&] {
    return internal::UpdateObjectRequest(core().endpoint(), object, attributes, options);
  });
}

Result<void> Client::DeleteObject(const ObjectName& object, const ObjectOptions& options) const {
  if (auto checked = CheckObject(object); !checked) return checked;
  const auto call = MakeCall(core(), Operation::kDeleteObject, object, options);
  if (auto checked = CheckHasNoKey(options); !checked) return InCall(call, checked.error());
  return ExchangeDelete(core(), call, internal::DeleteObjectRequest(core().endpoint(), object, options));
}

}  // namespace gcsflux
