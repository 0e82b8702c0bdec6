// The program's flags for delays and quotas.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "emulator/support/program.h"
#include "emulator/support/raw_connection.h"

namespace gcsflux::emulator {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// The settings that the program shows if it is started so.
json SettingsWith(std::vector<std::string> arguments, const std::string& path) {
  Program program(std::move(arguments));
  const std::string line = program.ReadOutputLine();
  RawConnection client(line.substr(kReady.size()));
  json shown = json::parse(client.Call("GET", "/_emulator/" + path).body);
  program.Signal(SIGTERM);
  EXPECT_EQ(program.Wait(), 0);
  return shown;
}

TEST(TrafficFlags, LimitNothingByDefault) {
  const json shaping = SettingsWith({}, "shaping");
  EXPECT_EQ(shaping.at("read_first_byte_ms"), 0);
  EXPECT_EQ(shaping.at("stream_read_mbps"), nullptr);
  EXPECT_EQ(SettingsWith({}, "quotas").at("reads_per_second"), nullptr);
}

TEST(TrafficFlags, CombineAProfileWithSingleSettings) {
  const std::vector<std::string> arguments = {"--profile=gcs",         "--read_first_byte_ms=lognormal(10,20)",
                                              "--bucket_read_mbps=5",  "--traffic_seed=7",
                                              "--writes_per_second=3", "--quota_depth_ms=100",
                                              "--refused_count",       "--retry_after_s=2",
                                              "--egress_mbps="};
  const json shaping = SettingsWith(arguments, "shaping");
  EXPECT_EQ(shaping.at("read_first_byte_ms"), "lognormal(10,20)");
  EXPECT_EQ(shaping.at("write_first_byte_ms"), 80);
  EXPECT_EQ(shaping.at("bucket_read_mbps"), 5);
  EXPECT_EQ(shaping.at("seed"), 7);
  const json quotas = SettingsWith(arguments, "quotas");
  EXPECT_EQ(quotas.at("reads_per_second"), 5000);
  EXPECT_EQ(quotas.at("writes_per_second"), 3);
  EXPECT_EQ(quotas.at("depth_ms"), 100);
  EXPECT_EQ(quotas.at("refused_count"), true);
  EXPECT_EQ(quotas.at("retry_after_s"), 2);
}

TEST(TrafficFlags, AreRefusedByName) {
  for (const std::string argument :
       {"--profile=aws", "--read_first_byte_ms=soon", "--read_first_byte_ms=lognormal(5)", "--list_item_us=-1",
        "--stream_read_mbps=0", "--traffic_seed=-1", "--reads_per_second=many", "--ramp_speed=0", "--egress_mbps=1e99",
        "--quota_depth_ms=-1", "--refused_count=perhaps", "--latency_growth_from=2"}) {
    Program program({argument});
    EXPECT_EQ(program.Wait(), 2) << argument;
    EXPECT_THAT(program.ReadErrors(), HasSubstr(argument.substr(0, argument.find('=')))) << argument;
  }
}

TEST(TrafficFlags, AppearInTheHelp) {
  Program program({"--help"});
  const std::string help = program.ReadOutput();
  for (const char* flag : {"--profile=none", "--read_first_byte_ms=", "--ramp_speed=", "--latency_growth_from="}) {
    EXPECT_THAT(help, HasSubstr(flag));
  }
}

}  // namespace
}  // namespace gcsflux::emulator
