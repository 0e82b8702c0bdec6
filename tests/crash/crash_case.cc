#include "crash/crash_case.h"

#include <signal.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>

#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "support/child_program.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::crash {
namespace {

constexpr auto kSelf = "/proc/self/exe";
constexpr int kHasFailed = 3;  // a child's status

std::filesystem::path BesideThis(const char* name) { return std::filesystem::read_symlink(kSelf).parent_path() / name; }

// The program gcsflux with the effects' functions before its own.
testing::ChildProgram StartCommand(const CrashCase& operation, const Place& place, std::vector<std::string> variables) {
  variables.push_back("STORAGE_EMULATOR_HOST=" + place.endpoint);
  return {BesideThis("gcsflux"), operation.command(place), std::move(variables)};
}

testing::ChildProgram StartSelf(const CrashCase& operation, const Place& place, std::vector<std::string> variables) {
  return {kSelf,
          {"--act", std::string(operation.name), place.endpoint, place.bucket, place.prefix, place.directory},
          std::move(variables)};
}

}  // namespace

const std::vector<CrashCase>& CrashCases() {
  static const auto& cases = *new std::vector<CrashCase>([] {
    std::vector<CrashCase> all;
    for (const auto& some : {UploadCases(), DownloadCases(), CheckpointCases(), DatasetCases(), CommandCases()}) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }());
  return cases;
}

const CrashCase* FindCase(std::string_view name) {
  const auto found = std::ranges::find(CrashCases(), name, &CrashCase::name);
  return found == CrashCases().end() ? nullptr : &*found;
}

Client MakeClient(const std::string& endpoint) {
  return Must(Client::Create(
      {.endpoint = endpoint,
       .project = "crash",
       .retry = RetryPolicies::All(
           {.initial_delay = std::chrono::milliseconds(1), .max_delay = std::chrono::milliseconds(20), .budget = 10}),
       .hedge_budget = 0}));  // A second read would be a request by chance.
}

ChildEnd ActInChild(const CrashCase& operation, const Place& place, int die_at, const std::string& effects) {
  std::vector<std::string> variables;
  if (die_at > 0) variables.push_back("GCSFLUX_DIE_AT=" + std::to_string(die_at));
  if (!effects.empty()) variables.push_back("GCSFLUX_EFFECTS=" + effects);
  const bool is_command = operation.command != nullptr;
  if (is_command) variables.push_back("LD_PRELOAD=" + BesideThis("libcrash_effects.so").string());
  auto child = is_command ? StartCommand(operation, place, std::move(variables))
                          : StartSelf(operation, place, std::move(variables));
  ChildEnd end{.errors = child.ReadErrors()};
  const int status = child.Wait();
  end.is_killed = status == -SIGKILL;
  end.has_failed = is_command ? status > 0 : status == kHasFailed;
  end.is_broken = status != 0 && !end.is_killed && !end.has_failed;
  return end;
}

void ActToTheEnd(const CrashCase& operation, const Place& place) {
  if (operation.command == nullptr) return operation.act(place);
  testing::ChildProgram child = StartCommand(operation, place, {});
  const std::string errors = child.ReadErrors();
  if (child.Wait() != 0) throw Failed("gcsflux fails: " + errors);
}

std::optional<int> ActAsChild(int argc, char** argv) {
  constexpr int kArguments = 7;
  if (argc != kArguments || std::strcmp(argv[1], "--act") != 0) return std::nullopt;
  const CrashCase* const operation = FindCase(argv[2]);
  if (operation == nullptr) return 2;
  try {
    const std::string endpoint = argv[3];
    operation->act({.client = MakeClient(endpoint),
                    .endpoint = endpoint,
                    .bucket = argv[4],
                    .prefix = argv[5],
                    .directory = argv[6]});
  } catch (const Failed& failure) {
    std::cerr << failure.what() << "\n";
    return kHasFailed;
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << "\n";
    return 1;
  }
  return 0;
}

bool HasCommand() {
  return std::filesystem::exists(BesideThis("gcsflux")) && std::filesystem::exists(BesideThis("libcrash_effects.so"));
}

void ExpectNothingLeft(const Client& client, const std::string& bucket) {
  Surely([&] { return CleanComposites(client, bucket, {.older_than = -std::chrono::hours(1)}); });
  for (const char* prefix : {"gcsflux-uploads/", "dataflux-composed-objects/"}) {
    const auto left = Surely([&] { return ListPrefix(client, {bucket, prefix}); });
    Expect(left.objects.empty(), "clean leaves objects under " + std::string(prefix));
  }
  Expect(Surely([&] { return ListMultipartUploads(client, {bucket, ""}); }).empty(), "clean leaves uploads");
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string BytesOf(const Place& place, std::string_view name, std::size_t size) {
  std::uint64_t state = std::hash<std::string>()(place.prefix + std::string(name));
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<char>(state >> 56);
  }
  return bytes;
}

}  // namespace gcsflux::crash
