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
  int line = 0;           ///< The line of its name, from 1.
};

/// The members of an object that contains no objects or arrays. Throws std::invalid_argument, which names the line and,
/// if there is one, the member. A repeated name is an error too: JSON does not say which one counts.
std::vector<JsonMember> ParseFlatJson(std::string_view json);

}  // namespace gcsflux::emulator
