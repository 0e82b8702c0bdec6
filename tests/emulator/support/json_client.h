#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "emulator/support/raw_connection.h"

namespace gcsflux::emulator {

/// Sends requests of the JSON API over one connection, and reads their answers.
class JsonClient {
 public:
  explicit JsonClient(const std::string& endpoint) : connection_(endpoint) {}

  RawResponse Call(const std::string& method, const std::string& target, const nlohmann::json& body = {},
                   const std::string& headers = "") {
    return connection_.Call(method, target, headers, body.is_null() ? "" : body.dump());
  }
  /// Of a request that succeeds.
  nlohmann::json Answer(const std::string& method, const std::string& target, const nlohmann::json& body = {}) {
    const RawResponse response = Call(method, target, body);
    EXPECT_EQ(response.status / 100, 2) << method << " " << target << ": " << response.body;
    return response.body.empty() ? nlohmann::json() : nlohmann::json::parse(response.body);
  }
  int Status(const std::string& method, const std::string& target, const nlohmann::json& body = {}) {
    return Call(method, target, body).status;
  }
  /// "403 forbidden"
  std::string Refusal(const std::string& method, const std::string& target, const nlohmann::json& body = {}) {
    const RawResponse response = Call(method, target, body);
    const nlohmann::json error = nlohmann::json::parse(response.body, nullptr, false);
    if (!error.is_object() || !error.contains("error")) return std::to_string(response.status);
    return std::to_string(response.status) + " " + error["error"]["errors"][0].value("reason", "");
  }
  /// Stores an object of a few bytes. `parameters` begins with "&".
  int Insert(const std::string& bucket, const std::string& name, const std::string& parameters = "") {
    const std::string target = "/upload/storage/v1/b/" + bucket + "/o?uploadType=media&name=" + name + parameters;
    return connection_.Call("POST", target, "", "0123456789").status;
  }

 private:
  RawConnection connection_;
};

}  // namespace gcsflux::emulator
