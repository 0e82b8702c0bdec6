#pragma once

#include <string_view>

#include "base/parse_time.h"
#include "http/xml_error.h"
#include "store/objects/object.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// The headers with HTTP's own conditions: those on the object that is read, or on a copy's source.
struct ConditionHeaders {
  std::string_view if_match;
  std::string_view if_none_match;
  std::string_view if_modified_since;
  std::string_view if_unmodified_since;
};

inline constexpr ConditionHeaders kReadConditions{"if-match", "if-none-match", "if-modified-since",
                                                  "if-unmodified-since"};
inline constexpr ConditionHeaders kCopySourceConditions{
    "x-goog-copy-source-if-match", "x-goog-copy-source-if-none-match", "x-goog-copy-source-if-modified-since",
    "x-goog-copy-source-if-unmodified-since"};

/// kPreconditionFailed or kNotModified if the object does not meet them; RFC 9110, section 13.2.2.
XmlResult<void> CheckHttpConditions(const XmlCall& call, const ConditionHeaders& headers, const Object& object);

}  // namespace gcsflux::emulator
