#pragma once

#include <cstdint>
#include <string>
#include <vector>

// The part of gflags' interface that sdk/src/flags uses, with a registry of this library alone.
//
// Options of the C interface are the flags of the command line. libgflags has one registry for a process, and ends the
// process if a name is defined twice, as "seed" would be by a program that loads this library and has flags itself.
// So the sources of the flags are compiled a second time, with this header in the place of gflags' own.
namespace gflags {

struct CommandLineFlagInfo {
  std::string name = {};
  std::string type = {};  // "bool", "int32", "int64", "uint64", "double" or "string"
  std::string description = {};
  std::string current_value = {};
  std::string default_value = {};
  std::string filename = {};
  bool is_default = true;
};

bool GetCommandLineFlagInfo(const char* name, CommandLineFlagInfo* info);
// Empty if there is no such flag, such as gflags' own "flagfile".
CommandLineFlagInfo GetCommandLineFlagInfoOrDie(const char* name);
void GetAllFlags(std::vector<CommandLineFlagInfo>* flags);
// Empty if there is no such flag, or the value is not one of its type.
std::string SetCommandLineOption(const char* name, const char* value);
// Gives all flags their defaults. Not part of gflags.
void ResetFlags();

class OwnFlag {
 public:
  template <class T>
  OwnFlag(const char* name, const char* type, T* value, const char* description, const char* file);
};

}  // namespace gflags

#define GCSFLUX_OWN_FLAG(cpp_type, type, name, value, description) \
  static cpp_type FLAGS_##name = value;                            \
  static const gflags::OwnFlag registered_##name(#name, type, &FLAGS_##name, description, __FILE__)
#define DEFINE_bool(name, value, description) GCSFLUX_OWN_FLAG(bool, "bool", name, value, description)
#define DEFINE_int32(name, value, description) GCSFLUX_OWN_FLAG(std::int32_t, "int32", name, value, description)
#define DEFINE_int64(name, value, description) GCSFLUX_OWN_FLAG(std::int64_t, "int64", name, value, description)
#define DEFINE_uint64(name, value, description) GCSFLUX_OWN_FLAG(std::uint64_t, "uint64", name, value, description)
#define DEFINE_double(name, value, description) GCSFLUX_OWN_FLAG(double, "double", name, value, description)
#define DEFINE_string(name, value, description) GCSFLUX_OWN_FLAG(std::string, "string", name, value, description)
