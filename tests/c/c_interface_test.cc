// What programs in other languages call, by gcsflux.h alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "gcsflux.h"
#include "gcsflux/client.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A failed call's error, or empty texts for a success.
struct Failure {
  std::string code;
  std::string message;
  std::string remedy;
  std::string outcome;
  int http_status = 0;
};

Failure FailureOf(gcsflux_error* error) {
  if (error == nullptr) return {};
  Failure failure{gcsflux_error_code(error), gcsflux_error_message(error), gcsflux_error_remedy(error),
                  gcsflux_error_outcome(error), gcsflux_error_http_status(error)};
  gcsflux_error_free(error);
  return failure;
}

std::string CodeOf(gcsflux_error* error) { return FailureOf(error).code; }

constexpr gcsflux_write_options kOverwrite{GCSFLUX_OVERWRITE, 0, nullptr};

struct Names {
  std::vector<std::string> all = {};
  std::size_t most = 1'000'000;
  static int Take(void* context, const gcsflux_object* objects, std::size_t count) {
    auto* const names = static_cast<Names*>(context);
    for (std::size_t i = 0; i < count; ++i) names->all.emplace_back(objects[i].name);
    return names->all.size() >= names->most ? 1 : 0;
  }
};

class CInterfaceTest : public emulator::EmulatorTest {
 protected:
  CInterfaceTest() : client_(NewClient({{"project", "test"}})) { bucket(); }
  ~CInterfaceTest() override { gcsflux_client_free(client_); }

  gcsflux_client* NewClient(std::vector<gcsflux_option> options) {
    options.push_back({"endpoint", endpoint().c_str()});
    gcsflux_client* made = nullptr;
    EXPECT_EQ(FailureOf(gcsflux_client_new(options.data(), options.size(), &made)).message, "");
    return made;
  }
  std::string Uri(const std::string& name) { return "gs://" + bucket() + "/" + name; }
  void Store(const std::string& name, const std::string& content) {
    EXPECT_EQ(CodeOf(gcsflux_write(client_, Uri(name).c_str(), content.data(), content.size(), &kOverwrite, nullptr,
                                   nullptr)),
              "");
  }
  std::string Stored(const std::string& name) { return *client().ReadObject({bucket(), name}); }

  gcsflux_client* client_;
};

TEST_F(CInterfaceTest, TellsItsVersion) { EXPECT_STREQ(gcsflux_version(), "0.1.0"); }

TEST_F(CInterfaceTest, WritesAndReadsAnObject) {
  std::int64_t generation = 0;
  const gcsflux_write_options options{GCSFLUX_CREATE, 0, "text/plain"};
  ASSERT_EQ(CodeOf(gcsflux_write(client_, Uri("a").c_str(), "hello", 5, &options, nullptr, &generation)), "");
  std::string buffer(16, '\0');
  std::size_t read = 0;
  ASSERT_EQ(CodeOf(gcsflux_read(client_, Uri("a").c_str(), generation, buffer.data(), 16, nullptr, &read)), "");
  EXPECT_EQ(buffer.substr(0, read), "hello");
  EXPECT_EQ(client().GetObject({bucket(), "a"})->content_type, "text/plain");
}

TEST_F(CInterfaceTest, CreatesOnlyWhatIsNotThere) {
  Store("a", "old");
  const gcsflux_write_options create{GCSFLUX_CREATE, 0, nullptr};
  const Failure failure = FailureOf(gcsflux_write(client_, Uri("a").c_str(), "new", 3, &create, nullptr, nullptr));
  EXPECT_EQ(failure.code, "PRECONDITION_FAILED");
  EXPECT_EQ(failure.outcome, "not stored");
  EXPECT_EQ(Stored("a"), "old");
}

TEST_F(CInterfaceTest, ReplacesOnlyTheNamedGeneration) {
  Store("a", "old");
  const gcsflux_write_options wrong{GCSFLUX_REPLACE, 12345, nullptr};
  EXPECT_EQ(CodeOf(gcsflux_write(client_, Uri("a").c_str(), "new", 3, &wrong, nullptr, nullptr)),
            "PRECONDITION_FAILED");
  const gcsflux_write_options right{GCSFLUX_REPLACE, client().GetObject({bucket(), "a"})->generation, nullptr};
  EXPECT_EQ(CodeOf(gcsflux_write(client_, Uri("a").c_str(), "new", 3, &right, nullptr, nullptr)), "");
  EXPECT_EQ(Stored("a"), "new");
}

TEST_F(CInterfaceTest, RefusesAnUnknownWriteMode) {
  const gcsflux_write_options options{7, 0, nullptr};
  EXPECT_EQ(CodeOf(gcsflux_write(client_, Uri("a").c_str(), "x", 1, &options, nullptr, nullptr)), "INVALID_ARGUMENT");
}

TEST_F(CInterfaceTest, AnErrorHasCodeMessageRemedyAndStatus) {
  char buffer[1];
  const Failure failure = FailureOf(gcsflux_read(client_, Uri("gone").c_str(), 0, buffer, 1, nullptr, nullptr));
  EXPECT_EQ(failure.code, "NOT_FOUND");
  EXPECT_THAT(failure.message, HasSubstr(Uri("gone")));
  EXPECT_THAT(failure.message, HasSubstr(failure.remedy));
  EXPECT_THAT(failure.remedy, HasSubstr("check the name"));
  EXPECT_EQ(failure.http_status, 404);
}

TEST_F(CInterfaceTest, RefusesABufferThatIsTooSmall) {
  Store("a", "hello");
  char buffer[4];
  EXPECT_EQ(CodeOf(gcsflux_read(client_, Uri("a").c_str(), 0, buffer, 4, nullptr, nullptr)), "INVALID_ARGUMENT");
}

TEST_F(CInterfaceTest, RefusesABucketAsAnObject) {
  char buffer[4];
  const std::string uri = "gs://" + bucket();
  EXPECT_EQ(CodeOf(gcsflux_read(client_, uri.c_str(), 0, buffer, 4, nullptr, nullptr)), "INVALID_ARGUMENT");
}

TEST_F(CInterfaceTest, AReaderFillsManyRanges) {
  Store("a", "0123456789");
  gcsflux_reader* reader = nullptr;
  ASSERT_EQ(CodeOf(gcsflux_reader_open(client_, Uri("a").c_str(), 0, nullptr, &reader)), "");
  EXPECT_EQ(gcsflux_reader_size(reader), 10U);
  std::string first(3, '\0');
  std::string second(2, '\0');
  const gcsflux_range ranges[] = {{7, 3, first.data()}, {0, 2, second.data()}};
  EXPECT_EQ(CodeOf(gcsflux_reader_read(reader, ranges, 2)), "");
  EXPECT_EQ(first + second, "78901");
  const gcsflux_range behind{9, 2, second.data()};
  EXPECT_EQ(CodeOf(gcsflux_reader_read(reader, &behind, 1)), "OUT_OF_RANGE");
  gcsflux_reader_free(reader);
}

TEST_F(CInterfaceTest, AReaderKeepsItsGeneration) {
  Store("a", "old");
  gcsflux_reader* reader = nullptr;
  ASSERT_EQ(CodeOf(gcsflux_reader_open(client_, Uri("a").c_str(), 0, nullptr, &reader)), "");
  Store("a", "new");
  std::string bytes(3, '\0');
  const gcsflux_range range{0, 3, bytes.data()};
  EXPECT_EQ(CodeOf(gcsflux_reader_read(reader, &range, 1)), "ABORTED");
  gcsflux_reader_free(reader);
}

TEST_F(CInterfaceTest, AReaderReadsFromFrontToBack) {
  Store("a", std::string(100'000, 'x'));
  gcsflux_reader* reader = nullptr;
  ASSERT_EQ(CodeOf(gcsflux_reader_open(client_, Uri("a").c_str(), 0, nullptr, &reader)), "");
  std::string all;
  std::string buffer(30'000, '\0');
  std::size_t read = 1;
  while (read > 0) {
    ASSERT_EQ(CodeOf(gcsflux_reader_read_next(reader, buffer.data(), buffer.size(), &read)), "");
    all += buffer.substr(0, read);
  }
  EXPECT_EQ(all, std::string(100'000, 'x'));
  gcsflux_reader_free(reader);
}

TEST_F(CInterfaceTest, AWriterStreamsAndBecomesVisibleAtItsEnd) {
  gcsflux_writer* writer = nullptr;
  ASSERT_EQ(CodeOf(gcsflux_writer_open(client_, Uri("a").c_str(), &kOverwrite, nullptr, &writer)), "");
  ASSERT_EQ(CodeOf(gcsflux_writer_write(writer, "hello ", 6)), "");
  ASSERT_EQ(CodeOf(gcsflux_writer_write(writer, "world", 5)), "");
  EXPECT_FALSE(client().GetObject({bucket(), "a"}).ok());
  std::int64_t generation = 0;
  ASSERT_EQ(CodeOf(gcsflux_writer_close(writer, &generation)), "");
  EXPECT_EQ(client().GetObject({bucket(), "a"})->generation, generation);
  EXPECT_EQ(Stored("a"), "hello world");
  gcsflux_writer_free(writer);
}

TEST_F(CInterfaceTest, AWriterThatIsNotClosedStoresNothing) {
  gcsflux_writer* writer = nullptr;
  ASSERT_EQ(CodeOf(gcsflux_writer_open(client_, Uri("a").c_str(), &kOverwrite, nullptr, &writer)), "");
  ASSERT_EQ(CodeOf(gcsflux_writer_write(writer, "hello", 5)), "");
  gcsflux_writer_free(writer);
  EXPECT_THAT(client().ListObjects({bucket(), ""})->objects, IsEmpty());
}

TEST_F(CInterfaceTest, ListsAllObjectsInOrder) {
  for (const std::string name : {"d/b", "d/a", "c"}) Store(name, name);
  Names names;
  EXPECT_EQ(CodeOf(gcsflux_list(client_, Uri("").c_str(), Names::Take, &names, nullptr)), "");
  EXPECT_THAT(names.all, ElementsAre("c", "d/a", "d/b"));
}

TEST_F(CInterfaceTest, ListsOneLevel) {
  for (const std::string name : {"d/b", "d/a", "c", "e"}) Store(name, name);
  Names names;
  EXPECT_EQ(CodeOf(gcsflux_list_directory(client_, Uri("").c_str(), Names::Take, &names, nullptr)), "");
  EXPECT_THAT(names.all, ElementsAre("c", "d/", "e"));
}

TEST_F(CInterfaceTest, ACallbackEndsAListing) {
  for (const std::string name : {"a", "b"}) Store(name, name);
  Names names{.most = 1};
  EXPECT_EQ(CodeOf(gcsflux_list(client_, Uri("").c_str(), Names::Take, &names, nullptr)), "CANCELLED");
}

TEST_F(CInterfaceTest, ReadsAListedBatch) {
  std::vector<gcsflux_object> listed;
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back("n" + std::to_string(100 + i));
  for (const std::string& name : names) Store(name, "content of " + name);
  std::vector<std::string> buffers;
  std::vector<void*> pointers;
  for (const std::string& name : names) {
    gcsflux_object* object = nullptr;
    ASSERT_EQ(CodeOf(gcsflux_stat(client_, Uri(name).c_str(), 0, nullptr, &object)), "");
    listed.push_back(*object);
    listed.back().name = name.c_str();
    buffers.emplace_back(object->size, '\0');
    gcsflux_object_free(object);
  }
  for (std::string& buffer : buffers) pointers.push_back(buffer.data());
  ASSERT_EQ(
      FailureOf(gcsflux_read_objects(client_, bucket().c_str(), listed.data(), pointers.data(), listed.size(), nullptr))
          .message,
      "");
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(buffers[i], "content of " + names[i]);
}

TEST_F(CInterfaceTest, DeletesAGeneration) {
  Store("a", "x");
  const std::int64_t generation = client().GetObject({bucket(), "a"})->generation;
  EXPECT_EQ(CodeOf(gcsflux_delete(client_, Uri("a").c_str(), generation + 1, nullptr)), "NOT_FOUND");
  EXPECT_EQ(CodeOf(gcsflux_delete(client_, Uri("a").c_str(), generation, nullptr)), "");
  EXPECT_EQ(CodeOf(gcsflux_stat(client_, Uri("a").c_str(), 0, nullptr, nullptr)), "NOT_FOUND");
}

TEST_F(CInterfaceTest, OptionsAreTheFlags) {
  const gcsflux_option unknown{"max_concurency", "4"};
  gcsflux_client* made = nullptr;
  EXPECT_THAT(FailureOf(gcsflux_client_new(&unknown, 1, &made)).message, HasSubstr("max_concurrency"));
  const gcsflux_option out_of_range{"max_concurrency", "0"};
  EXPECT_EQ(CodeOf(gcsflux_client_new(&out_of_range, 1, &made)), "INVALID_ARGUMENT");
  const gcsflux_option of_gflags{"flagfile", "/etc/passwd"};
  EXPECT_EQ(CodeOf(gcsflux_client_new(&of_gflags, 1, &made)), "INVALID_ARGUMENT");
  const gcsflux_option without_value{"max_concurrency", nullptr};
  EXPECT_EQ(CodeOf(gcsflux_client_new(&without_value, 1, &made)), "INVALID_ARGUMENT");
  EXPECT_EQ(made, nullptr);
}

TEST_F(CInterfaceTest, OptionsOfOneClientAreNotThoseOfTheNext) {
  Store("a", "x");
  gcsflux_client* const impatient = NewClient({{"download_retry_max_attempts", "1"}});
  gcsflux_client* const patient = NewClient({});
  emulator().faults().Load(emulator::ParseFaultPlan(
      R"({"rules": [{"name": "down", "match": {"attempt": 1}, "action": {"type": "status", "status": 503}}]})"));
  char byte;
  EXPECT_EQ(CodeOf(gcsflux_read(impatient, Uri("a").c_str(), 0, &byte, 1, nullptr, nullptr)), "UNAVAILABLE");
  EXPECT_EQ(CodeOf(gcsflux_read(patient, Uri("a").c_str(), 0, &byte, 1, nullptr, nullptr)), "");
  EXPECT_EQ(emulator().faults().Fired("down"), 2U);
  gcsflux_client_free(impatient);
  gcsflux_client_free(patient);
}

TEST_F(CInterfaceTest, AStopEndsACall) {
  Store("a", "x");
  emulator().faults().Load(
      emulator::ParseFaultPlan(R"({"rules": [{"name": "hang", "action": {"type": "stall", "duration": "60s"}}]})"));
  gcsflux_stop* stop = nullptr;
  ASSERT_EQ(CodeOf(gcsflux_stop_new(&stop)), "");
  char byte;
  auto read = std::async(std::launch::async,
                         [&] { return CodeOf(gcsflux_read(client_, Uri("a").c_str(), 0, &byte, 1, stop, nullptr)); });
  while (emulator().faults().Fired("hang") == 0) std::this_thread::yield();
  gcsflux_stop_request(stop);
  EXPECT_EQ(read.get(), "CANCELLED");
  gcsflux_stop_free(stop);
}

TEST_F(CInterfaceTest, AClientWorksInAChild) {
  Store("a", "x");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    char byte = '\0';
    const bool is_read = gcsflux_read(client_, Uri("a").c_str(), 0, &byte, 1, nullptr, nullptr) == nullptr;
    _exit(is_read && byte == 'x' ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(CInterfaceTest, FreesNothing) {
  gcsflux_error_free(nullptr);
  gcsflux_stop_free(nullptr);
  gcsflux_client_free(nullptr);
  gcsflux_object_free(nullptr);
  gcsflux_reader_free(nullptr);
  gcsflux_writer_free(nullptr);
}

}  // namespace
}  // namespace gcsflux
