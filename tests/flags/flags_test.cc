// Every option has its flag: the flag's value arrives in the option, and invalid values are refused with the flag's
// name.
#include "gcsflux/flags.h"

#include <gflags/gflags.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "support/fails_with.h"
#include "support/result.h"

namespace gcsflux {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

// A new member makes these fail to compile: add a flag for it, and a row in the table below.
constexpr auto kClientMembers = [](const ClientOptions& options) {
  const auto& [endpoint, credentials, exchange_signed_tokens, quota_project, project, retry, pace_throttled,
               idempotency, hedge_budget, hedge_stall_factor, hedge_min_stall, require_checksum, connect_timeout,
               stall_timeout, max_idle_connections, io_threads, max_undelivered_bytes, extra_headers, user_agent_prefix,
               ca_file, client_certificate_file, client_key_file, proxy, no_proxy, event_listener] = options;
  return &event_listener == &options.event_listener && &endpoint == &options.endpoint;
};
constexpr auto kRetryMembers = [](const RetryOptions& options) {
  const auto& [initial_delay, multiplier, max_delay, jitter, deadline, max_attempts, budget] = options;
  return &initial_delay == &options.initial_delay && &budget == &options.budget;
};

struct Case {
  std::string flag;
  std::string value;
  std::function<bool(const ClientOptions&)> arrived;
};

std::vector<Case> RetryCases(const std::string& kind, const RetryOptions RetryPolicies::*policy) {
  const auto arrived = [policy](auto check) {
    return [policy, check](const ClientOptions& options) { return check(options.retry.*policy); };
  };
  return {
      {kind + "_retry_initial_delay_s", "1.5", arrived([](auto& r) { return r.initial_delay == milliseconds(1500); })},
      {kind + "_retry_multiplier", "1.2", arrived([](auto& r) { return r.multiplier == 1.2; })},
      {kind + "_retry_max_delay_s", "45", arrived([](auto& r) { return r.max_delay == seconds(45); })},
      {kind + "_retry_jitter", "0", arrived([](auto& r) { return r.jitter == 0; })},
      {kind + "_retry_deadline_s", "300", arrived([](auto& r) { return r.deadline == seconds(300); })},
      {kind + "_retry_max_attempts", "7", arrived([](auto& r) { return r.max_attempts == 7; })},
      {kind + "_retry_budget", "0.5", arrived([](auto& r) { return r.budget == 0.5; })},
  };
}

std::vector<Case> Cases() {
  using O = const ClientOptions&;
  const std::string trace = ::testing::TempDir() + "flags_test_trace.json";
  std::vector<Case> cases = {
      {"endpoint", "http://127.0.0.1:1", [](O o) { return o.endpoint == "http://127.0.0.1:1"; }},
      {"credentials", "anonymous", [](O o) { return o.credentials.has_value(); }},
      {"exchange_signed_tokens", "true", [](O o) { return o.exchange_signed_tokens; }},
      {"quota_project", "payer", [](O o) { return o.quota_project == "payer"; }},
      {"project", "mine", [](O o) { return o.project == "mine"; }},
      {"pace_throttled", "false", [](O o) { return !o.pace_throttled; }},
      {"idempotency", "always", [](O o) { return o.idempotency == IdempotencyPolicy::kAlwaysRetry; }},
      {"idempotency", "token", [](O o) { return o.idempotency == IdempotencyPolicy::kToken; }},
      {"hedge_budget", "0", [](O o) { return o.hedge_budget == 0; }},
      {"hedge_stall_factor", "5", [](O o) { return o.hedge_stall_factor == 5; }},
      {"hedge_min_stall_s", "0.25", [](O o) { return o.hedge_min_stall == milliseconds(250); }},
      {"require_checksum", "true", [](O o) { return o.require_checksum; }},
      {"connect_timeout_s", "0.5", [](O o) { return o.connect_timeout == milliseconds(500); }},
      {"stall_timeout_s", "7", [](O o) { return o.stall_timeout == seconds(7); }},
      {"max_idle_connections", "9", [](O o) { return o.max_idle_connections == 9; }},
      {"io_threads", "3", [](O o) { return o.io_threads == 3; }},
      {"max_undelivered_bytes", "1048576", [](O o) { return o.max_undelivered_bytes == 1 << 20; }},
      {"extra_headers", "X-A: 1, 2| X-B:x:y|X-C:",
       [](O o) {
         return o.extra_headers ==
                std::vector<std::pair<std::string, std::string>>{{"X-A", "1, 2"}, {"X-B", "x:y"}, {"X-C", ""}};
       }},
      {"user_agent_prefix", "trainer/1", [](O o) { return o.user_agent_prefix == "trainer/1"; }},
      {"ca_file", "/ca.pem", [](O o) { return o.ca_file == "/ca.pem"; }},
      {"client_certificate_file", "/c.pem", [](O o) { return o.client_certificate_file == "/c.pem"; }},
      {"client_key_file", "/k.pem", [](O o) { return o.client_key_file == "/k.pem"; }},
      {"proxy", "proxy:3128", [](O o) { return o.proxy == "proxy:3128"; }},
      {"proxy", "none", [](O o) { return o.proxy == ""; }},
      {"no_proxy", "localhost,.internal", [](O o) { return o.no_proxy == "localhost,.internal"; }},
      {"log_level", "warning", [](O o) { return o.event_listener != nullptr; }},
      {"trace_file", trace, [](O o) { return o.event_listener != nullptr; }},
  };
  for (const auto& [kind, policy] : {std::pair("list", &RetryPolicies::list),
                                     {"download", &RetryPolicies::download},
                                     {"upload", &RetryPolicies::upload},
                                     {"metadata", &RetryPolicies::metadata}}) {
    const auto more = RetryCases(kind, policy);
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

class FlagsTest : public ::testing::Test {
 protected:
  ~FlagsTest() override { static_cast<void>(CloseTraceFile()); }
  static void Set(const std::string& flag, const std::string& value) {
    ASSERT_NE(gflags::SetCommandLineOption(flag.c_str(), value.c_str()), "") << flag;
  }
  const gflags::FlagSaver saver_;
};

TEST_F(FlagsTest, KeepDefaultsOfOptions) {
  EXPECT_TRUE(kClientMembers(ClientOptions()) && kRetryMembers(RetryOptions()));
  const auto options = ClientOptionsFromFlags();
  ASSERT_TRUE(options.ok()) << options.error().message;
  const ClientOptions defaults;
  EXPECT_EQ(options->retry.list, defaults.retry.list);
  EXPECT_EQ(options->retry.download, defaults.retry.download);
  EXPECT_EQ(options->retry.upload, defaults.retry.upload);
  EXPECT_EQ(options->retry.metadata, defaults.retry.metadata);
  EXPECT_EQ(options->hedge_budget, defaults.hedge_budget);
  EXPECT_EQ(options->hedge_stall_factor, defaults.hedge_stall_factor);
  EXPECT_EQ(options->hedge_min_stall, defaults.hedge_min_stall);
  EXPECT_EQ(options->pace_throttled, defaults.pace_throttled);
  EXPECT_EQ(options->idempotency, defaults.idempotency);
  EXPECT_EQ(options->connect_timeout, defaults.connect_timeout);
  EXPECT_EQ(options->stall_timeout, defaults.stall_timeout);
  EXPECT_EQ(options->max_idle_connections, defaults.max_idle_connections);
  EXPECT_EQ(options->max_undelivered_bytes, defaults.max_undelivered_bytes);
  EXPECT_FALSE(options->proxy || options->no_proxy || options->credentials || options->event_listener);
  EXPECT_TRUE(options->extra_headers.empty());
  EXPECT_EQ(DownloaderOptionsFromFlags()->max_concurrency, DownloaderOptions().max_concurrency);
  EXPECT_EQ(DownloaderOptionsFromFlags()->range_bytes, DownloaderOptions().range_bytes);
  EXPECT_EQ(DownloaderOptionsFromFlags()->composition, DownloaderOptions().composition);
  EXPECT_EQ(DownloaderOptionsFromFlags()->max_composite_bytes, DownloaderOptions().max_composite_bytes);
  EXPECT_EQ(UploadOptionsFromFlags()->chunk_bytes, UploadOptions().chunk_bytes);
}

TEST_F(FlagsTest, SetTheirOptions) {
  for (const Case& test : Cases()) {
    const gflags::FlagSaver saver;
    const auto before = ClientOptionsFromFlags();
    ASSERT_TRUE(before.ok());
    EXPECT_FALSE(test.arrived(*before)) << test.flag << " is so by default: the case shows nothing";
    Set(test.flag, test.value);
    const auto options = ClientOptionsFromFlags();
    ASSERT_TRUE(options.ok()) << test.flag << ": " << options.error().message;
    EXPECT_TRUE(test.arrived(*options)) << test.flag;
    static_cast<void>(CloseTraceFile());
  }
}

TEST_F(FlagsTest, SetTransferOptions) {
  Set("max_concurrency", "64");
  EXPECT_EQ(DownloaderOptionsFromFlags()->max_concurrency, 64);
  EXPECT_FALSE(DownloaderOptionsFromFlags()->adapts_concurrency);
  Set("adapt_concurrency", "true");
  EXPECT_TRUE(DownloaderOptionsFromFlags()->adapts_concurrency);
  Set("range_bytes", "0");
  EXPECT_EQ(DownloaderOptionsFromFlags()->range_bytes, 0U);
  Set("composition", "auto");
  EXPECT_EQ(DownloaderOptionsFromFlags()->composition, CompositionMode::kAuto);
  Set("max_composite_bytes", "1000");
  EXPECT_EQ(DownloaderOptionsFromFlags()->max_composite_bytes, 1000U);
  Set("composition_kms_key_name", "projects/p/locations/l/keyRings/r/cryptoKeys/k");
  EXPECT_EQ(DownloaderOptionsFromFlags()->composition_kms_key_name, "projects/p/locations/l/keyRings/r/cryptoKeys/k");
  Set("upload_chunk_bytes", "1048576");
  EXPECT_EQ(UploadOptionsFromFlags()->chunk_bytes, 1U << 20);
}

TEST_F(FlagsTest, SetObjectStreamOptions) {
  EXPECT_EQ(UploadOptionsFromFlags()->part_bytes, UploadOptions().part_bytes);
  EXPECT_EQ(UploadOptionsFromFlags()->part_memory_bytes, UploadOptions().part_memory_bytes);
  EXPECT_EQ(UploadOptionsFromFlags()->max_concurrency, UploadOptions().max_concurrency);
  EXPECT_EQ(UploadOptionsFromFlags()->path, UploadOptions().path);
  EXPECT_EQ(ObjectReaderOptionsFromFlags()->max_concurrency, ObjectReaderOptions().max_concurrency);
  EXPECT_EQ(ObjectReaderOptionsFromFlags()->read_ahead_bytes, ObjectReaderOptions().read_ahead_bytes);
  Set("part_bytes", "5242880");
  EXPECT_EQ(UploadOptionsFromFlags()->part_bytes, 5U << 20);
  Set("part_memory_bytes", "10485760");
  EXPECT_EQ(UploadOptionsFromFlags()->part_memory_bytes, 10U << 20);
  Set("upload_max_concurrency", "3");
  EXPECT_EQ(UploadOptionsFromFlags()->max_concurrency, 3);
  Set("write_path", "one_stream");
  EXPECT_EQ(UploadOptionsFromFlags()->path, WritePath::kOneStream);
  Set("upload_chunk_bytes", "1048576");
  EXPECT_EQ(UploadOptionsFromFlags()->chunk_bytes, 1U << 20);
  Set("max_concurrency", "64");
  EXPECT_EQ(ObjectReaderOptionsFromFlags()->max_concurrency, 64);
  Set("read_ahead_bytes", "1000");
  EXPECT_EQ(ObjectReaderOptionsFromFlags()->read_ahead_bytes, 1000U);
  for (const auto& [flag, value] : {std::pair("part_bytes", "5242879"), std::pair("part_memory_bytes", "5242879"),
                                    std::pair("upload_max_concurrency", "0"), std::pair("write_path", "fast"),
                                    std::pair("read_ahead_bytes", "0")}) {
    const gflags::FlagSaver saver;
    Set(flag, value);
    EXPECT_TRUE(testing::FailsWith(ClientOptionsFromFlags(), ErrorCode::kInvalidArgument,
                                   HasSubstr("flag --" + std::string(flag))))
        << flag;
  }
}

TEST_F(FlagsTest, KeepDefaultsOfDatasets) {
  const DatasetOptions defaults;
  const auto options = DatasetOptionsFromFlags();
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->download.max_concurrency, defaults.download.max_concurrency);
  EXPECT_TRUE(options->download.adapts_concurrency);
  EXPECT_EQ(options->download.composition, CompositionMode::kAuto);
  EXPECT_EQ(options->decode_threads, defaults.decode_threads);
  EXPECT_EQ(options->listing.max_concurrency, defaults.listing.max_concurrency);
  EXPECT_EQ(options->max_decoded_bytes, defaults.max_decoded_bytes);
  EXPECT_EQ(options->max_decoded_samples, defaults.max_decoded_samples);
  EXPECT_EQ(options->max_skipped, 0U);
  EXPECT_FALSE(options->copy_out);
  EXPECT_TRUE(options->fetch_across_epochs);
  EXPECT_FALSE(options->cache.has_value());
  for (const auto& [flag, value] :
       {std::pair("max_concurrency", "16"), std::pair("adapt_concurrency", "false"), std::pair("composition", "off"),
        std::pair("decode_threads", "7"), std::pair("list_max_concurrency", "3"), std::pair("max_skipped", "5"),
        std::pair("max_decoded_bytes", "9"), std::pair("max_decoded_samples", "8"), std::pair("copy_out", "true"),
        std::pair("fetch_across_epochs", "false"), std::pair("cache_dir", "/ssd/c"), std::pair("cache_bytes", "77")}) {
    Set(flag, value);
  }
  const auto given = DatasetOptionsFromFlags();
  EXPECT_EQ(given->download.max_concurrency, 16);
  EXPECT_FALSE(given->download.adapts_concurrency);
  EXPECT_EQ(given->download.composition, CompositionMode::kOff);
  EXPECT_EQ(given->decode_threads, 7);
  EXPECT_EQ(given->listing.max_concurrency, 3);
  EXPECT_EQ(given->max_decoded_bytes, 9U);
  EXPECT_EQ(given->max_decoded_samples, 8U);
  EXPECT_EQ(given->max_skipped, 5U);
  EXPECT_TRUE(given->copy_out);
  EXPECT_FALSE(given->fetch_across_epochs);
  ASSERT_TRUE(given->cache.has_value());
  EXPECT_EQ(given->cache->directory, "/ssd/c");
  EXPECT_EQ(given->cache->max_bytes, 77U);
  Set("cache_bytes", "-1");
  EXPECT_EQ(testing::ErrorOf(DatasetOptionsFromFlags()).message, "flag --cache_bytes must be at least 0");
}

TEST_F(FlagsTest, SetEpochOptionsAndReadRanksFromTheEnvironment) {
  Set("batch_size", "16");
  Set("epoch_order", "buffered");
  Set("epoch_tail", "pad");
  Set("shuffle_buffer", "9");
  Set("seed", "7");
  ::setenv("RANK", "2", 1);
  ::setenv("WORLD_SIZE", "3", 1);
  const auto options = EpochOptionsFromFlags();
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->batch_size, 16U);
  EXPECT_EQ(options->order, SampleOrder::kBuffered);
  EXPECT_EQ(options->tail, EpochTail::kPad);
  EXPECT_EQ(options->shuffle_buffer, 9U);
  EXPECT_EQ(options->seed, 7U);
  EXPECT_EQ(options->rank, 2U);
  EXPECT_EQ(options->world_size, 3U);
  ::setenv("RANK", "3", 1);
  EXPECT_EQ(testing::ErrorOf(EpochOptionsFromFlags()).code, ErrorCode::kInvalidArgument);
  ::setenv("RANK", "first", 1);
  EXPECT_THAT(testing::ErrorOf(EpochOptionsFromFlags()).message, HasSubstr("RANK is 'first'"));
  Set("rank", "1");
  Set("world_size", "2");
  EXPECT_EQ(EpochOptionsFromFlags()->rank, 1U);
  ::unsetenv("RANK");
  ::unsetenv("WORLD_SIZE");
}

// Otherwise every rank would read the samples of rank 0.
TEST_F(FlagsTest, ReadTheRanksOfEveryLauncher) {
  using Names = std::array<const char*, 3>;
  for (const auto& [rank, size, step] :
       {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "X"}, Names{"PMI_RANK", "PMI_SIZE", "X"},
        Names{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_ID"}, Names{"JOB_COMPLETION_INDEX", "WORLD_SIZE", "X"}}) {
    ::setenv(rank, "2", 1);
    ::setenv(size, "3", 1);
    ::setenv(step, "0", 1);
    const auto options = EpochOptionsFromFlags();
    for (const char* name : {rank, size, step}) ::unsetenv(name);
    ASSERT_TRUE(options.ok()) << options.error().message;
    EXPECT_EQ(options->rank, 2U) << rank;
    EXPECT_EQ(options->world_size, 3U) << rank;
  }
}

TEST_F(FlagsTest, RequireRankAndWorldSizeTogether) {
  Set("rank", "0");
  EXPECT_THAT(testing::ErrorOf(EpochOptionsFromFlags()).message, HasSubstr("are given together"));
  Set("world_size", "2");
  EXPECT_TRUE(EpochOptionsFromFlags().ok());
  Set("rank", "2");
  EXPECT_THAT(testing::ErrorOf(EpochOptionsFromFlags()).message, HasSubstr("--rank is 2, and --world_size is 2"));
  Set("rank", "-2");
  EXPECT_THAT(testing::ErrorOf(EpochOptionsFromFlags()).message, HasSubstr("at least -1"));
  Set("rank", "-1");
  EXPECT_FALSE(EpochOptionsFromFlags().ok());
}

TEST_F(FlagsTest, SetPrices) {
  EXPECT_EQ(OperationPricesFromFlags()->class_a_per_1000, OperationPrices().class_a_per_1000);
  EXPECT_EQ(OperationPricesFromFlags()->class_b_per_1000, OperationPrices().class_b_per_1000);
  Set("class_a_price_per_1000", "0.01");
  EXPECT_EQ(OperationPricesFromFlags()->class_a_per_1000, 0.01);
  Set("class_b_price_per_1000", "0.001");
  EXPECT_EQ(OperationPricesFromFlags()->class_b_per_1000, 0.001);
  for (const char* flag : {"class_a_price_per_1000", "class_b_price_per_1000"}) {
    const gflags::FlagSaver saver;
    Set(flag, "-1");
    ASSERT_FALSE(OperationPricesFromFlags().ok()) << flag;
    EXPECT_THAT(OperationPricesFromFlags().error().message, HasSubstr("flag --" + std::string(flag)));
  }
}

TEST_F(FlagsTest, ChooseTheSourceOfAListing) {
  const emulator::Emulator emulator;
  const Client client = *Client::Create({.endpoint = emulator.endpoint(), .project = "p"});
  ASSERT_TRUE(client.InsertBucket("bkt").ok());
  ASSERT_TRUE(client.InsertObject({"bkt", "train/a"}, AsBytes("x")).ok());
  EXPECT_FALSE(ListByFlags(client, {"bkt", "train/"})->is_in_cache);
  Set("listing_cache", "gs://bkt/saved");
  EXPECT_TRUE(ListByFlags(client, {"bkt", "train/"})->is_in_cache);
  EXPECT_TRUE(ListByFlags(client, {"bkt", "train/"})->is_from_cache);
  EXPECT_EQ(ListByFlags(client, {"bkt", "train/"}, {.limit = 0})->objects.size(), 0U);
  for (const auto& [flag, value] : {std::pair("listing_cache", "bkt/saved"), {"listing_max_age_s", "-1"}}) {
    const gflags::FlagSaver saver;
    Set(flag, value);
    EXPECT_TRUE(testing::FailsWith(ListByFlags(client, {"bkt", "train/"}), ErrorCode::kInvalidArgument,
                                   HasSubstr("flag --" + std::string(flag))))
        << flag;
  }
}

TEST_F(FlagsTest, RefuseInvalidValuesByName) {
  const std::pair<const char*, const char*> wrong[] = {{"download_retry_initial_delay_s", "-1"},
                                                       {"list_retry_multiplier", "0.5"},
                                                       {"upload_retry_max_delay_s", "nan"},
                                                       {"metadata_retry_jitter", "1.5"},
                                                       {"list_retry_deadline_s", "inf"},
                                                       {"list_retry_max_attempts", "0"},
                                                       {"list_retry_budget", "-0.1"},
                                                       {"idempotency", "maybe"},
                                                       {"hedge_budget", "1.5"},
                                                       {"hedge_stall_factor", "0"},
                                                       {"hedge_min_stall_s", "0"},
                                                       {"connect_timeout_s", "0"},
                                                       {"stall_timeout_s", "0"},
                                                       {"max_idle_connections", "-1"},
                                                       {"io_threads", "65"},
                                                       {"extra_headers", "no colon"},
                                                       {"log_level", "loud"},
                                                       {"trace_file", "/no/such/dir/t.json"},
                                                       {"max_concurrency", "0"},
                                                       {"max_concurrency", "100000"},
                                                       {"range_bytes", "-1"},
                                                       {"composition", "maybe"},
                                                       {"max_composite_bytes", "-1"},
                                                       {"max_undelivered_bytes", "-1"},
                                                       {"upload_chunk_bytes", "0"}};
  for (const auto& [flag, value] : wrong) {
    const gflags::FlagSaver saver;
    Set(flag, value);
    const auto options = ClientOptionsFromFlags();
    ASSERT_FALSE(options.ok()) << flag << "=" << value;
    EXPECT_THAT(options.error().message, HasSubstr("flag --" + std::string(flag)));
  }
}

TEST_F(FlagsTest, LeaveFurtherChecksToTheClient) {
  for (const auto& [flag, value] : {std::pair("ca_file", "/no/such/file.pem"),
                                    {"client_certificate_file", "/no/such/file.pem"},
                                    {"proxy", "ftp://x"},
                                    {"extra_headers", "Host: x"},
                                    {"user_agent_prefix", "a\nb"}}) {
    const gflags::FlagSaver saver;
    Set("endpoint", "http://127.0.0.1:1");
    Set(flag, value);
    const auto client = Client::Create(*ClientOptionsFromFlags());
    ASSERT_FALSE(client.ok()) << flag;
    EXPECT_THAT(client.error().message, HasSubstr(flag)) << "it is called like the option";
  }
}

Result<std::vector<std::string>> Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "program");
  return ParseFlags(static_cast<int>(words.size()), words.data());
}

TEST_F(FlagsTest, NamesMayHaveDashes) {
  EXPECT_EQ(*Parse({"--max-concurrency=9", "a-b", "--user-agent-prefix", "x-y/1", "--no-adapt-concurrency"}),
            (std::vector<std::string>{"a-b"}));
  EXPECT_EQ(DownloaderOptionsFromFlags()->max_concurrency, 9);
  EXPECT_EQ(ClientOptionsFromFlags()->user_agent_prefix, "x-y/1");
}

TEST_F(FlagsTest, AnUnknownOneIsToldWithTheNearest) {
  for (const auto& [typed, want] : {std::pair("--endpont=x", "unknown flag --endpont; did you mean --endpoint?"),
                                    std::pair("--max_concurency", "did you mean --max_concurrency?"),
                                    std::pair("--composition_kms", "did you mean --composition_kms_key_name?"),
                                    std::pair("--frobnicate", "unknown flag --frobnicate; --help lists them"),
                                    std::pair("--flagfil", "unknown flag --flagfil; --help lists them")}) {
    const auto parsed = Parse({typed});
    ASSERT_FALSE(parsed.ok()) << typed;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(parsed.error().message, HasSubstr(want));
  }
}

TEST_F(FlagsTest, HelpNamesTheRangeOfEachNumber) {
  const std::string help = FlagsHelp(__FILE__);
  const std::set<std::string> unbounded = {"seed", "rank", "world_size"};
  std::vector<gflags::CommandLineFlagInfo> flags;
  gflags::GetAllFlags(&flags);
  int numbers = 0;
  for (const auto& flag : flags) {
    const bool is_ours = flag.filename.find("sdk/src/flags/") != std::string::npos;
    if (!is_ours || flag.type == "string" || flag.type == "bool" || unbounded.contains(flag.name)) continue;
    ++numbers;
    const auto at = help.find("  --" + flag.name + " (");
    ASSERT_NE(at, std::string::npos) << flag.name;
    EXPECT_THAT(help.substr(at, help.find('\n', at) - at),
                ::testing::AnyOf(HasSubstr("; from "), HasSubstr("; at least ")));
  }
  EXPECT_GT(numbers, 40);
}

TEST_F(FlagsTest, HelpSaysWhenToChangeEachFlag) {
  const std::string help = FlagsHelp(__FILE__);
  std::set<std::string> flags = {
      "max_concurrency",          "adapt_concurrency",      "range_bytes",           "composition",
      "composition_kms_key_name", "max_composite_bytes",    "upload_chunk_bytes",    "listing_cache",
      "listing_max_age_s",        "class_a_price_per_1000", "class_b_price_per_1000"};
  for (const Case& test : Cases()) flags.insert(test.flag);
  for (const std::string& flag : flags) {
    const auto at = help.find("  --" + flag + " (");
    ASSERT_NE(at, std::string::npos) << flag;
    const std::string text = help.substr(at, help.find("\n  --", at + 1) - at);
    EXPECT_THAT(text, ::testing::AnyOf(HasSubstr("Set it"), HasSubstr("Set them"), HasSubstr("Raise it"),
                                       HasSubstr("Lower it"), HasSubstr("Change it"), HasSubstr("to compare")))
        << text;
  }
}

}  // namespace
}  // namespace gcsflux
