#pragma once

#include <string>
#include <string_view>

#include "api/access_control_list.h"
#include "http/xml_error.h"
#include "http/xml_writer.h"

namespace gcsflux::emulator {

// Access control lists in the XML API: https://cloud.google.com/storage/docs/xml-api/reference-headers#acl

/// The service's own form, or that of S3, which it speaks to clients of S3.
enum class AclForm { kGoogle, kS3 };

void WriteAcl(XmlWriter& xml, AclForm form, const std::string& owner, const AccessControlList& acl);

/// In either form. kMalformedXml if it is none, kInvalidArgument if an entry cannot be.
XmlResult<AccessControlList> ReadAcl(std::string_view xml, AclKind kind);

}  // namespace gcsflux::emulator
