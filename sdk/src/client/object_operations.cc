// Client's methods on objects, reads of their bytes excepted: object_read.cc.
#include <utility>

#include "base/crc32c.h"
#include "base/object_name.h"
#include "client/answers.h"
#include "client/check_options.h"
#include "client/delete_exchange.h"
#include "client/make_call.h"
#include "gcsflux/client.h"
#include "wire/insert_requests.h"
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

Result<ObjectMetadata> Client::InsertObject(const ObjectName& object, std::span<const std::byte> data,
                                            const InsertObjectOptions& options) const {
  if (auto checked = CheckObject(object); !checked) return checked.error();
  if (auto checked = internal::CheckBytes(object, data); !checked) return checked.error();
  const auto call = MakeCall(*core_, Operation::kInsertObject, object, options);
  if (auto checked = CheckOptions(*core_, options); !checked) return InCall(call, checked.error());
  const std::uint32_t crc32c = internal::ExtendCrc32c(0, data);
  const auto request = internal::InsertObjectRequest(core_->endpoint(), object, data, crc32c, options);
  auto stored = ParseAnswer(call, core_->Exchange(call, request), internal::ParseObject);
  if (stored && stored->crc32c && *stored->crc32c != crc32c) {
    return InCall(call, {ErrorCode::kCorrupted, "the service stored other bytes (crc32c)"});
  }
  return stored;
}

Result<ObjectMetadata> Client::GetObject(const ObjectName& object, const GetObjectOptions& options) const {
  if (auto checked = CheckObject(object); !checked) return checked.error();
  const auto call = MakeCall(*core_, Operation::kGetObject, object, options);
  if (auto checked = CheckOptions(*core_, options); !checked) return InCall(call, checked.error());
  const auto request = internal::GetObjectRequest(core_->endpoint(), object, options);
  return ParseAnswer(call, core_->Exchange(call, request), internal::ParseObject);
}

Result<ObjectPage> Client::ListObjects(const std::string& bucket, const ListObjectsOptions& options) const {
  if (auto checked = CheckBucketName(bucket); !checked) return checked.error();
  const auto call = MakeCall(*core_, Operation::kListObjects, {bucket, options.prefix}, options);
  if (options.max_results < 1) {
    return InCall(call, {ErrorCode::kInvalidArgument, "ListObjectsOptions::max_results must be at least 1"});
  }
  const auto request = internal::ListObjectsRequest(core_->endpoint(), bucket, options);
  const auto answer = core_->Exchange(call, request);
  if (!answer) return answer.error();
  const bool has_sizes = options.fields.empty() || options.fields.find("size") != std::string::npos;
  auto page = internal::ParseObjectPage(answer->body, has_sizes);
  if (!page) return InCall(call, page.error());
  return page;
}

Result<ObjectMetadata> Client::PatchObject(const ObjectName& object, const ObjectChanges& changes,
                                           const PatchObjectOptions& options) const {
  const auto call = MakeCall(*core_, Operation::kPatchObject, object, options);
  if (auto checked = CheckObject(object); !checked) return checked.error();
  if (auto checked = internal::CheckChanges(changes); !checked) return InCall(call, checked.error());
  const auto request = internal::PatchObjectRequest(core_->endpoint(), object, changes, options);
  return ParseAnswer(call, core_->Exchange(call, request), internal::ParseObject);
}

Result<ObjectMetadata> Client::UpdateObject(const ObjectName& object, const ObjectAttributes& attributes,
                                            const UpdateObjectOptions& options) const {
  const auto call = MakeCall(*core_, Operation::kUpdateObject, object, options);
  if (auto checked = CheckObject(object); !checked) return checked.error();
  if (auto checked = internal::CheckAttributes(attributes); !checked) return InCall(call, checked.error());
  const auto request = internal::UpdateObjectRequest(core_->endpoint(), object, attributes, options);
  return ParseAnswer(call, core_->Exchange(call, request), internal::ParseObject);
}

Result<void> Client::DeleteObject(const ObjectName& object, const DeleteObjectOptions& options) const {
  if (auto checked = CheckObject(object); !checked) return checked;
  const auto call = MakeCall(*core_, Operation::kDeleteObject, object, options);
  return ExchangeDelete(*core_, call, internal::DeleteObjectRequest(core_->endpoint(), object, options));
}

}  // namespace gcsflux
