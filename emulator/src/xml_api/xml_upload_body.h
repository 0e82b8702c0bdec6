#pragma once

#include <string>

#include "store/bytes/body.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// The bytes of an object or of a part. kIncompleteBody or kRequestTimeout if they broke off, kBadDigest if the
/// request's hashes are those of other bytes.
XmlResult<BodyPtr> ReceiveCheckedBody(const XmlCall& call);

/// A body that is XML itself. kEntityTooLarge above a size that none of them needs.
XmlResult<std::string> ReceiveXml(const XmlCall& call);

}  // namespace gcsflux::emulator
