#include "http/xml_error.h"

#include <array>
#include <optional>
#include <string_view>

#include "http/xml_writer.h"

namespace gcsflux::emulator {
namespace {

struct Wording {
  XmlErrorCode code;
  int status;
  std::string_view name;
  std::string_view message;
};

using Code = XmlErrorCode;

// In the order of the codes.
constexpr std::array kWordings = {
    Wording{Code::kAccessDenied, 403, "AccessDenied", "Access denied."},
    Wording{Code::kAuthenticationRequired, 401, "AuthenticationRequired", "Authentication required."},
    Wording{Code::kBadDigest, 400, "BadDigest",
            "The Content-MD5 or x-goog-hash you specified did not match what we received."},
    Wording{Code::kBucketAlreadyOwnedByYou, 409, "BucketAlreadyOwnedByYou",
            "Your previous request to create the named bucket succeeded and you already own it."},
    Wording{Code::kBucketNotEmpty, 409, "BucketNotEmpty", "The bucket you tried to delete is not empty."},
    Wording{Code::kCustomerEncryptionAlgorithmIsInvalid, 400, "CustomerEncryptionAlgorithmIsInvalid",
            "Missing an encryption algorithm, or the provided algorithm is not \"AES256.\""},
    Wording{Code::kCustomerEncryptionKeyFormatIsInvalid, 400, "CustomerEncryptionKeyFormatIsInvalid",
            "Missing an encryption key, or it is not Base64 encoded, or it does not meet the required length of the "
            "encryption algorithm."},
    Wording{Code::kCustomerEncryptionKeyIsIncorrect, 400, "CustomerEncryptionKeyIsIncorrect",
            "The provided encryption key is incorrect."},
    Wording{Code::kCustomerEncryptionKeySha256IsInvalid, 400, "CustomerEncryptionKeySha256IsInvalid",
            "Missing a SHA256 hash of the encryption key, or it is not Base64 encoded, or it does not match the "
            "encryption key."},
    Wording{Code::kEntityTooLarge, 400, "EntityTooLarge", "Your proposed upload is too large."},
    Wording{Code::kEntityTooSmall, 400, "EntityTooSmall",
            "Your proposed upload is smaller than the minimum allowed object size."},
    Wording{Code::kIncompleteBody, 400, "IncompleteBody",
            "You did not provide the number of bytes specified by the Content-Length HTTP header."},
    Wording{Code::kInternalError, 500, "InternalError", "We encountered an internal error. Please try again."},
    Wording{Code::kInvalidArgument, 400, "InvalidArgument", "Invalid argument."},
    Wording{Code::kInvalidBucketName, 400, "InvalidBucketName", "The specified bucket is not valid."},
    Wording{Code::kInvalidDigest, 400, "InvalidDigest", "The Content-MD5 or x-goog-hash you specified was invalid."},
    Wording{Code::kInvalidPart, 400, "InvalidPart",
            "One or more of the specified parts could not be found. The part may not have been uploaded, or the "
            "specified entity tag may not match the part's entity tag."},
    Wording{Code::kInvalidPartOrder, 400, "InvalidPartOrder",
            "The list of parts was not in ascending order. The parts list must be specified in order by part number."},
    Wording{Code::kInvalidPolicyDocument, 400, "InvalidPolicyDocument",
            "The content of the form does not meet the conditions specified in the policy document."},
    Wording{Code::kInvalidRange, 416, "InvalidRange", "The requested range cannot be satisfied."},
    Wording{Code::kInvalidStorageClass, 400, "InvalidStorageClass", "The storage class you specified is not valid."},
    Wording{Code::kInvalidUri, 400, "InvalidURI", "Couldn't parse the specified URI."},
    Wording{Code::kKeyTooLong, 400, "KeyTooLong", "Your key is too long."},
    Wording{Code::kMalformedXml, 400, "MalformedXML",
            "The XML you provided was not well-formed or did not validate against our published schema."},
    Wording{Code::kMethodNotAllowed, 405, "MethodNotAllowed",
            "The specified method is not allowed against this resource."},
    Wording{Code::kNoSuchBucket, 404, "NoSuchBucket", "The specified bucket does not exist."},
    Wording{Code::kNoSuchKey, 404, "NoSuchKey", "The specified key does not exist."},
    Wording{Code::kNoSuchUpload, 404, "NoSuchUpload",
            "The specified multipart upload does not exist. The upload ID may be invalid, or the upload may have been "
            "aborted or completed."},
    Wording{Code::kNotImplemented, 501, "NotImplemented",
            "A header or query you provided requested a function that is not implemented."},
    Wording{Code::kNotModified, 304, "NotModified",
            "The resource you requested has not been modified according to the condition you specified."},
    Wording{Code::kObjectUnderActiveHold, 403, "ObjectUnderActiveHold",
            "The object is under active hold and cannot be deleted, overwritten or archived until hold is removed."},
    Wording{Code::kPreconditionFailed, 412, "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold."},
    Wording{Code::kRequestTimeout, 408, "RequestTimeout",
            "The request timed out. Please try again using truncated exponential backoff."},
    Wording{Code::kResourceIsEncryptedWithCustomerEncryptionKey, 400, "ResourceIsEncryptedWithCustomerEncryptionKey",
            "The resource is encrypted with a customer-supplied encryption key."},
    Wording{Code::kResourceNotEncryptedWithCustomerEncryptionKey, 400, "ResourceNotEncryptedWithCustomerEncryptionKey",
            "The resource is not encrypted with a customer-supplied encryption key."},
    Wording{Code::kServiceUnavailable, 503, "ServiceUnavailable", "Service unavailable. Please try again."},
    Wording{Code::kSlowDown, 429, "SlowDown", "Please reduce your request rate."},
};

constexpr bool AreInOrder() {
  for (std::size_t i = 0; i < kWordings.size(); ++i) {
    if (kWordings[i].code != static_cast<Code>(i)) return false;
  }
  return true;
}
static_assert(AreInOrder());

// Some refusals have the same name in both APIs, except for the first letter's case.
std::optional<Code> CodeOfReason(std::string_view reason) {
  for (const Wording& wording : kWordings) {
    if (!reason.empty() && wording.name.substr(1) == reason.substr(1) && (wording.name[0] ^ reason[0]) == ' ') {
      return wording.code;
    }
  }
  return std::nullopt;
}

Code CodeOfStatus(int status) {
  switch (status) {
    case 304: return Code::kNotModified;
    case 401: return Code::kAuthenticationRequired;
    case 403: return Code::kAccessDenied;
    case 404: return Code::kNoSuchKey;
    case 405: return Code::kMethodNotAllowed;
    case 408: return Code::kRequestTimeout;
    case 412: return Code::kPreconditionFailed;
    case 413: return Code::kEntityTooLarge;
    case 416: return Code::kInvalidRange;
    case 429: return Code::kSlowDown;
    case 501: return Code::kNotImplemented;
    case 503: return Code::kServiceUnavailable;
    default: return status >= 500 ? Code::kInternalError : Code::kInvalidArgument;
  }
}

}  // namespace

XmlError ToXmlError(const Failure& failure, XmlErrorCode not_found) {
  if (failure.kind != FailureKind::kNotFound) return ToXmlError(ToApiError(failure));
  return {not_found, not_found == Code::kNoSuchKey ? failure.message : std::string()};
}

XmlError ToXmlError(const ApiError& error) {
  const Code code = CodeOfReason(error.reason).value_or(CodeOfStatus(error.status));
  const bool is_said_by_code = error.status == 412 || error.status == 429 || error.status >= 500;
  return {code, is_said_by_code ? std::string() : error.message};
}

std::string_view NameOf(XmlErrorCode code) { return kWordings.at(static_cast<std::size_t>(code)).name; }

std::string_view MessageOf(XmlErrorCode code) { return kWordings.at(static_cast<std::size_t>(code)).message; }

HttpResponse XmlErrorResponse(const XmlError& error) {
  const Wording& wording = kWordings.at(static_cast<std::size_t>(error.code));
  HttpResponse response{.status = wording.status};
  if (wording.status == 304) return response;  // HTTP allows no body
  XmlWriter xml;
  xml.Begin("Error");
  xml.Element("Code", wording.name);
  xml.Element("Message", wording.message);
  if (!error.details.empty()) xml.Element("Details", error.details);
  xml.End("Error");
  response.headers.Add("Content-Type", "application/xml; charset=UTF-8");
  response.body = xml.Take();
  return response;
}

}  // namespace gcsflux::emulator
