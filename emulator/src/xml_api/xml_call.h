#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/caller.h"
#include "http/http_message.h"
#include "http/target.h"
#include "http/xml_error.h"
#include "operations/request_subject.h"
#include "store/buckets/preconditions.h"
#include "store/objects/object.h"
#include "store/uploads/pending_object.h"
#include "xml_api/xml_router.h"

namespace gcsflux::emulator {

/// One request of the XML API, with everything that all operations read in the same way.
struct XmlCall {
  const HttpRequest& request;
  RequestBody& body;
  RequestSubject& subject;
  XmlRoute route;
  QueryParameters query;
  std::string base_url;  ///< "http://HOST:PORT", the client's name for the emulator.
  Caller caller;
};

/// The header's value, or "".
std::string HeaderValue(const XmlCall& call, std::string_view lower_case_name);

/// kInvalidArgument if the parameter or the header is there and not a whole number.
XmlResult<std::optional<std::int64_t>> Int64Parameter(const XmlCall& call, std::string_view name);
XmlResult<std::optional<std::int64_t>> Int64Header(const XmlCall& call, std::string_view lower_case_name);

/// A parameter that limits a page: `limit` if it is not set, and at most that. kInvalidArgument below `least`.
XmlResult<std::size_t> ReadLimit(const XmlCall& call, std::string_view name, std::int64_t least, std::int64_t limit);

/// `generation`, or S3's name for it, `versionId`. kInvalidArgument if it is not a whole number, or if both are there
/// and differ.
XmlResult<std::optional<std::int64_t>> ReadGeneration(const QueryParameters& query);

/// x-goog-if-generation-match and x-goog-if-metageneration-match.
XmlResult<Preconditions> ReadPreconditions(const XmlCall& call);
/// The same for a bucket, which has a metageneration only: kInvalidArgument if there is a generation.
XmlResult<Preconditions> ReadBucketPreconditions(const XmlCall& call);
/// kInvalidArgument if there is one: `what` has none. To ignore one would break a promise.
XmlResult<void> RefusePreconditions(const XmlCall& call, std::string_view what);

/// kNotImplemented if a change has another condition than those.
XmlResult<void> CheckConditionNames(const HttpHeaders& headers);

/// The error for a failed precondition, with the headers that set it.
XmlError ToObjectError(const XmlCall& call, const Failure& failure);

/// Content-Type and its siblings, x-goog-storage-class, x-goog-custom-time, x-goog-meta-*.
XmlResult<ObjectAttributes> ReadAttributes(const XmlCall& call);

/// The JSON API's name for the list that x-goog-acl names, or "": "public-read" is publicRead.
std::string PredefinedAclName(const XmlCall& call);

/// Settles who may use a new object: by x-goog-acl, and the caller is its owner.
XmlResult<void> SettleXmlAcl(const XmlCall& call, const BucketInfo& bucket, ObjectAttributes& attributes);

/// A customer-supplied key, or x-goog-encryption-kms-key-name.
XmlResult<ObjectEncryption> ReadEncryption(const XmlCall& call);

/// x-goog-hash and Content-MD5.
XmlResult<ExpectedHashes> ReadExpectedHashes(const XmlCall& call);

/// kKeyTooLong or kInvalidUri if no object may have the route's name.
XmlResult<void> CheckName(const XmlCall& call);

}  // namespace gcsflux::emulator
