#include "cli/command_fixture.h"

#include <algorithm>
#include <fstream>
#include <future>
#include <iterator>

#include "gcsflux/listing.h"

namespace gcsflux::cli {

namespace fs = std::filesystem;

void CommandTest::SetUp() { ASSERT_TRUE(client_.InsertBucket("bkt").ok()); }

testing::ChildProgram CommandTest::Start(const std::vector<std::string>& arguments) const {
  // In the directory itself, so that relative paths are below it.
  std::vector<std::string> words = {"--chdir=" + directory_.path().string(), GCSFLUX_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return testing::ChildProgram("/usr/bin/env", words, Environment());
}

std::vector<std::string> CommandTest::Environment() const {
  return {"STORAGE_EMULATOR_HOST=" + emulator_.endpoint(), "XDG_STATE_HOME=" + PathOf(".state")};
}

Outcome CommandTest::RunOnTerminal(const std::vector<std::string>& arguments, const std::string& redirection,
                                   const std::string& typed) const {
  std::string command = GCSFLUX_PROGRAM;
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  command += " " + redirection;
  const std::string chdir = "--chdir=" + directory_.path().string();
  std::vector<std::string> words = {chdir, "script", "--quiet", "--return", "--command", command, "/dev/null"};
  if (!typed.empty()) {
    const std::vector<std::string> typing = {chdir, "sh", "-c", R"(line=$1; shift; echo "$line" | "$@")", "sh", typed};
    words.erase(words.begin());
    words.insert(words.begin(), typing.begin(), typing.end());
  }
  testing::ChildProgram program("/usr/bin/env", words, Environment());
  return Finish(program);
}

Outcome CommandTest::Run(const std::vector<std::string>& arguments) const {
  testing::ChildProgram program = Start(arguments);
  return Finish(program);
}

Outcome CommandTest::RunHeld(const std::vector<std::string>& arguments, const emulator::FaultMatch& match,
                             std::size_t held) {
  emulator_.faults().Load({.rules = {{.name = "held",
                                      .match = match,
                                      .action = {.type = "stall", .duration = std::chrono::hours(1)},
                                      .limits = {.count = held}}}});
  emulator_.clock().Freeze();
  testing::ChildProgram program = Start(arguments);
  emulator_.clock().AwaitWaiters(held);
  emulator_.clock().Advance(std::chrono::hours(2));
  Outcome outcome = Finish(program);
  EXPECT_EQ(emulator_.faults().Fired("held"), held);
  emulator_.faults().Clear();
  return outcome;
}

Outcome CommandTest::Interrupt(const std::vector<std::string>& arguments, int signal, std::size_t stalled) {
  testing::ChildProgram program = Start(arguments);
  emulator_.clock().AwaitWaiters(stalled);
  program.Signal(signal);
  Outcome outcome;
  outcome.status = program.Wait();
  outcome.err = program.ReadErrors();
  EXPECT_EQ(emulator_.faults().Fired("fault"), 1U);
  emulator_.faults().Clear();
  return outcome;
}

Outcome CommandTest::Finish(testing::ChildProgram& program) {
  auto out = std::async(std::launch::async, [&] { return program.ReadOutput(); });
  Outcome outcome;
  outcome.err = program.ReadErrors();
  outcome.out = out.get();
  outcome.status = program.Wait();
  return outcome;
}

void CommandTest::WriteFile(const std::string& name, const std::string& bytes) const {
  fs::create_directories(fs::path(PathOf(name)).parent_path());
  std::ofstream(PathOf(name), std::ios::binary) << bytes;
}

std::string CommandTest::ReadFile(const std::string& name) const {
  std::ifstream file(PathOf(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> CommandTest::Files(const std::string& name) const {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(PathOf(name))) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), PathOf(name)));
  }
  std::sort(files.begin(), files.end());
  return files;
}

void CommandTest::Store(const std::string& name, const std::string& bytes) {
  const auto stored = client_.InsertObject({"bkt", name}, AsBytes(bytes));
  ASSERT_TRUE(stored.ok()) << stored.error().message;
}

std::string CommandTest::Stored(const std::string& name) {
  const auto bytes = client_.ReadObject({"bkt", name});
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  return bytes ? *bytes : std::string();
}

std::vector<std::string> CommandTest::Objects() {
  std::vector<std::string> names;
  const auto listing = ListPrefix(client_, {"bkt"});
  EXPECT_TRUE(listing.ok());
  if (!listing) return names;
  for (const ObjectMetadata& object : listing->objects) names.push_back(object.name);
  return names;
}

std::uint64_t CommandTest::Requests(const std::string& operation) const {
  std::uint64_t requests = 0;
  for (const auto& count : emulator_.counters().operations) {
    if (count.operation == operation) requests += count.requests;
  }
  return requests;
}

void CommandTest::Load(const emulator::FaultMatch& match, const emulator::FaultAction& action) {
  emulator_.faults().Load({.rules = {{.name = "fault", .match = match, .action = action, .limits = {.count = 1}}}});
}

}  // namespace gcsflux::cli
