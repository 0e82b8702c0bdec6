// Loads Python's state_dict() of each of libtorch's own modules, and saves it for Python.
//   builtin_modules_tool list          prints for each module a line of JSON: how Python makes it, and the names of
//                                      its parameters in the order in which optimizers number them
//   builtin_modules_tool load FROM TO  loads FROM/N.pt into the Nth module, and saves it as TO/N.pt

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "formats/local_file.h"
#include "gcsflux/torch/state_dict.h"
#include "torch/builtin_modules.h"
#include "torch/state_dict_writer.h"

namespace gcsflux {
namespace {

using testing::BuiltinModule;

void List() {
  for (const BuiltinModule& builtin : testing::BuiltinModules()) {
    const auto parameters = builtin.make()->named_parameters().keys();
    std::cout << nlohmann::json{{"python", builtin.python}, {"parameters", parameters}} << '\n';
  }
}

void Load(const BuiltinModule& builtin, const std::string& from, const std::string& to) {
  const auto module = builtin.make();
  const auto file = ValueOrThrow(StoredCheckpoint::Open(ValueOrThrow(formats_tests::OpenLocalFile(from))));
  LoadModule(*module, file);
  StateDictWriter writer;
  auto state = writer.OfModule(*module);
  WriteTorchFile(std::move(writer).Gather(std::move(state)), ValueOrThrow(formats_tests::CreateLocalFile(to)));
}

// Returns the number of modules that Python's state did not fit.
int LoadAll(const std::string& from, const std::string& to) {
  int failures = 0;
  int number = 0;
  for (const BuiltinModule& builtin : testing::BuiltinModules()) {
    const std::string name = "/" + std::to_string(number++) + ".pt";
    try {
      Load(builtin, from + name, to + name);
    } catch (const std::exception& failure) {
      std::cerr << builtin.python << ": " << failure.what() << '\n';
      ++failures;
    }
  }
  return failures;
}

}  // namespace
}  // namespace gcsflux

int main(int count, char** arguments) {
  const std::string_view command = count > 1 ? arguments[1] : "";
  if (command == "list" && count == 2) return gcsflux::List(), 0;
  if (command == "load" && count == 4) return gcsflux::LoadAll(arguments[2], arguments[3]) == 0 ? 0 : 1;
  std::cerr << "usage: builtin_modules_tool list | load FROM TO\n";
  return 2;
}
