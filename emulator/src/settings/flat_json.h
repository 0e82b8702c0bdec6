#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gcsflux::emulator {

/// A member of a JSON object.
struct JsonMember {
  std::string name = {};
  std::string text = {};  ///< A number or a boolean as it is written, a string's content, "" for null.
  int line = 0;           ///< Of its name, from 1.
};

/// The members of an object that has no objects or arrays in it. Throws std::invalid_argument, which names the line and
/// where there is one the member: also where a name comes twice, which JSON leaves to chance.
std::vector<JsonMember> ParseFlatJson(std::string_view json);

}  // namespace gcsflux::emulator
