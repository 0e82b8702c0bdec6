#include "identity_api/machine.h"

#include <optional>
#include <stdexcept>

#include "settings/flat_json.h"

namespace gcsflux::emulator {

bool ParseMachine(std::string_view json) {
  std::optional<bool> is_preempted;
  for (const JsonMember& member : ParseFlatJson(json)) {
    if (member.name != "preempted") throw std::invalid_argument("unknown field " + member.name);
    if (member.text == "true") is_preempted = true;
    if (member.text == "false") is_preempted = false;
  }
  if (!is_preempted) throw std::invalid_argument("preempted must be true or false");
  return *is_preempted;
}

std::string RenderMachine(const Machine& machine) {
  return machine.is_preempted() ? R"({"preempted":true})" : R"({"preempted":false})";
}

}  // namespace gcsflux::emulator
