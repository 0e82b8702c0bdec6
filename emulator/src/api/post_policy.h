#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/time_source.h"
#include "http/api_error.h"

namespace gcsflux::emulator {

/// The fields of a form that a browser posts, by their names in lower case, without the file.
using FormFields = std::map<std::string, std::string>;

/// The field's value, or "".
std::string FieldOf(const FormFields& fields, const std::string& name);

/// Whether the form fulfils its policy document, https://cloud.google.com/storage/docs/authentication/signatures: each
/// condition holds, each field has one, and the document has not expired. 400 (invalidPolicyDocument) if not. `policy`
/// is in base64, as the form has it; `size` is the file's.
ApiResult<void> CheckPostPolicy(std::string_view policy, const FormFields& fields, std::uint64_t size, Time now);

}  // namespace gcsflux::emulator
