#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/failure.h"
#include "http/api_error.h"
#include "http/http_message.h"

namespace gcsflux::emulator {

/// The errors of the XML API that the emulator knows: https://cloud.google.com/storage/docs/xml-api/reference-status
enum class XmlErrorCode {
  kAccessDenied,
  kAuthenticationRequired,
  kBadDigest,
  kBucketAlreadyOwnedByYou,
  kBucketNotEmpty,
  kCustomerEncryptionAlgorithmIsInvalid,
  kCustomerEncryptionKeyFormatIsInvalid,
  kCustomerEncryptionKeyIsIncorrect,
  kCustomerEncryptionKeySha256IsInvalid,
  kEntityTooLarge,
  kEntityTooSmall,
  kIncompleteBody,
  kInternalError,
  kInvalidArgument,
  kInvalidBucketName,
  kInvalidDigest,
  kInvalidPart,
  kInvalidPartOrder,
  kInvalidPolicyDocument,
  kInvalidRange,
  kInvalidStorageClass,
  kInvalidUri,
  kKeyTooLong,
  kMalformedXml,
  kMethodNotAllowed,
  kNoSuchBucket,
  kNoSuchKey,
  kNoSuchUpload,
  kNotImplemented,
  kNotModified,
  kObjectUnderActiveHold,
  kPreconditionFailed,
  kRequestTimeout,
  kResourceIsEncryptedWithCustomerEncryptionKey,
  kResourceNotEncryptedWithCustomerEncryptionKey,
  kServiceUnavailable,
  kSlowDown,
};

/// A refusal in the words of the XML API.
struct XmlError {
  XmlErrorCode code = XmlErrorCode::kInternalError;
  std::string details = {};  ///< Shown if it is not empty.
};

template <class T>
using XmlResult = tl::expected<T, XmlError>;

inline tl::unexpected<XmlError> XmlFail(XmlErrorCode code, std::string details = {}) {
  return tl::unexpected<XmlError>(XmlError{code, std::move(details)});
}

/// `not_found` says what kNotFound did not find.
XmlError ToXmlError(const Failure& failure, XmlErrorCode not_found);

/// For a refusal before an API is asked: the caller's identity, or its quota.
XmlError ToXmlError(const ApiError& error);

/// The code and the message of an error that is part of an answer.
std::string_view NameOf(XmlErrorCode code);
std::string_view MessageOf(XmlErrorCode code);

/// <?xml version='1.0' encoding='UTF-8'?><Error><Code/><Message/><Details/></Error>
HttpResponse XmlErrorResponse(const XmlError& error);

}  // namespace gcsflux::emulator
