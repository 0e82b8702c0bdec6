#pragma once

#include <string>

#include "store/bytes/body.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// The bytes of an object or of a part. kIncompleteBody or kRequestTimeout where they broke off, kBadDigest where they
/// are not those that the request's hashes are of.
XmlResult<BodyPtr> ReceiveCheckedBody(const XmlCall& call);

/// A body that is XML itself. kEntityTooLarge above a size that none of them needs.
XmlResult<std::string> ReceiveXml(const XmlCall& call);

}  // namespace gcsflux::emulator
