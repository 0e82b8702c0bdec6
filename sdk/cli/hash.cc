#include <gflags/gflags.h>

#include "cli/arguments/names.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/json_object.h"
#include "cli/terminal/output.h"
#include "gcsflux/download.h"

DECLARE_bool(json);

namespace gcsflux::cli {
namespace {

void PrintHash(std::uint32_t crc32c, const std::string& name) {
  PrintLine(FLAGS_json ? JsonObject().Add("name", name).Add("crc32c", Hex(crc32c)).text() : Hex(crc32c) + "  " + name);
}

Result<void> Hash(const Client& client, const std::vector<std::string>& arguments) {
  const std::stop_token stop = StopOnSignal();
  for (const std::string& argument : arguments) {
    if (!IsUri(argument)) {
      const auto crc32c = Crc32cOfFile(argument, stop);
      if (!crc32c) return crc32c.error();
      PrintHash(*crc32c, argument);
      continue;
    }
    const auto objects = ObjectsOf(client, {argument}, stop);
    if (!objects) return objects.error();
    for (const NamedObject& named : *objects) {
      const auto object =
          client.GetObject(named.object, {.generation = named.generation, .fields = "crc32c", .stop = stop});
      if (!object) return object.error();
      if (!object->crc32c) {
        return Error{ErrorCode::kUnverified,
                     UriOf(named) + ": the service gives no CRC32C; read the object to find it"};
      }
      PrintHash(*object->crc32c, UriOf(named));
    }
  }
  return {};
}

constexpr CommandFlag kHashFlags[] = {{"json"}};

}  // namespace

constinit const Command kHash = {
    .name = "hash",
    .arguments = "FILE|gs://BUCKET/OBJECT...",
    .summary = "Print the CRC32C of files and objects, to compare them.",
    .details = "In hexadecimal, as stat prints it. A file is read; of an object, the service's own is printed.\n",
    .flags = kHashFlags,
    .run = Hash,
};

}  // namespace gcsflux::cli
