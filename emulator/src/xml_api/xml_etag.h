#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/bytes/body.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// The quoted MD5, in hexadecimal digits: of a part, and of an object that was not joined from others.
std::string Md5Etag(const Body& body);

/// The object's entity tag in the XML API: its quoted MD5. If it has none, a tag of its generation.
std::string XmlEtag(const Object& object);

/// The MD5 in a part's entity tag, quoted or not. Nothing if it is not such a tag.
std::optional<Md5Digest> ParseMd5Etag(std::string_view etag);

}  // namespace gcsflux::emulator
