#include "support/fault_matrix.h"

#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/upload.h"
#include "support/result.h"

namespace gcsflux::testing {

using std::chrono::milliseconds;

NamedFaults operator+(NamedFaults faults, const NamedFaults& more) {
  faults.insert(faults.end(), more.begin(), more.end());
  return faults;
}

NamedFaults FailuresInPlaceOfAnswer() {
  NamedFaults faults;
  for (const std::uint64_t status : {408U, 429U, 500U, 502U, 503U, 504U}) {
    faults.push_back({"status " + std::to_string(status), {.type = "status", .status = status}});
  }
  faults.push_back({"reset", {.type = "reset"}});
  faults.push_back({"HTML", {.type = "htmlError", .status = 502}});
  return faults;
}

NamedFaults LostAnswer() { return {{"lost answer", {.type = "loseAnswer"}}}; }

NamedFaults LostAnswers() {
  return LostAnswer() + NamedFaults{{"answer cut at its first byte", {.type = "cut", .after_bytes = 0}},
                                    {"answer cut in its midst", {.type = "cut", .after_bytes = 50}},
                                    {"a length that is too long", {.type = "falseLength", .length_delta = 7}}};
}

namespace {

// Whether the connection ends before the start of the answer.
bool EndsBeforeAnswer(const emulator::FaultAction& action) {
  return action.type == "reset" || action.type == "loseAnswer";
}

}  // namespace

NamedFaults BrokenBodies(std::size_t size) {
  NamedFaults faults = LostAnswer();
  for (const std::uint64_t after : {std::size_t{0}, std::size_t{1}, size / 2, size - 1}) {
    faults.push_back({"cut after " + std::to_string(after), {.type = "cut", .after_bytes = after}});
    faults.push_back({"reset after " + std::to_string(after), {.type = "cut", .after_bytes = after, .resets = true}});
  }
  return faults;
}

const std::string& FaultMatrix::Content() {
  static const std::string content = [] {
    std::string bytes(3'000'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2'654'435'761U >> 24);
    return bytes;
  }();
  return content;
}

Client FaultMatrix::MakeClient() const {
  ClientOptions options = client_options_;
  options.endpoint = emulator_.endpoint();
  options.project = "p";
  options.retry = RetryPolicies::All({.initial_delay = milliseconds(1), .max_delay = milliseconds(4)});
  return *Client::Create(options);
}

void FaultMatrix::SetUpStore() {
  emulator_.Reset();
  client_ = MakeClient();
  ASSERT_TRUE(client_->InsertBucket(kBucket));
  ASSERT_TRUE(UploadObject(*client_, {kBucket, "object"}, AsBytes(Content())));
  ASSERT_TRUE(UploadObject(*client_, {kBucket, "small"}, AsBytes("bytes")));
  client_ = MakeClient();
}

void FaultMatrix::ForEach(const NamedFaults& faults, const emulator::FaultMatch& match,
                          const std::function<void()>& run, std::uint64_t count) {
  for (const NamedFault& fault : faults) {
    SCOPED_TRACE(fault.name);
    SetUpStore();
    emulator_.faults().Load(
        {.rules = {{.name = "it", .match = match, .action = fault.action, .limits = {.count = count}}}});
    run();
    EXPECT_EQ(emulator_.faults().Fired("it"), count);
    emulator_.faults().Clear();
    ExpectAttemptsArrivedOnce(EndsBeforeAnswer(fault.action) ? count : 0);
  }
}

// libcurl sends a GET again if its reused connection ends before the first byte of the answer. It does not tell the
// client, and reads nothing twice. It cannot do so after a status line.
void FaultMatrix::ExpectAttemptsArrivedOnce(std::uint64_t ended_connections) {
  std::uint64_t repeated_gets = 0;
  for (const auto& arrivals : emulator::CountArrivals(emulator_.journal())) {
    if (arrivals.method == "GET") {
      repeated_gets += arrivals.count - 1;
    } else {
      EXPECT_EQ(arrivals.count, 1U) << arrivals.operation << " " << arrivals.phase << ", attempt " << arrivals.attempt;
    }
  }
  EXPECT_LE(repeated_gets, ended_connections);
}

void FaultMatrix::ExpectStoredOnce(const std::string& name, const std::string& bytes) {
  const auto stored = client_->ReadObject({kBucket, name});
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_TRUE(*stored == bytes) << stored->size() << " bytes";
  EXPECT_EQ(emulator::FindCommits(emulator_.journal(), kBucket, name).size(), 1U);
}

void FaultMatrix::ExpectNeverStored(const std::string& name) {
  EXPECT_EQ(testing::ErrorOf(client_->GetObject({kBucket, name})).code, ErrorCode::kNotFound);
  EXPECT_TRUE(emulator::FindCommits(emulator_.journal(), kBucket, name).empty());
}

}  // namespace gcsflux::testing
