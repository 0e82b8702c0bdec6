#include "retry_tests/retry_test_endpoints.h"

#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bodies/receive_body.h"
#include "http/error_answer.h"
#include "http/json_error.h"
#include "http/json_response.h"
#include "http/which_api.h"
#include "json/bounded_json.h"

namespace gcsflux::emulator {
namespace {

constexpr std::string_view kTests = "/retry_tests";
constexpr std::string_view kTest = "/retry_test";

std::string_view PathOf(const HttpRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

bool IsOurs(const HttpRequest& request, std::string_view path) {
  return (path == kTests || path == kTest || path.starts_with("/retry_test/")) && !IsXmlRequest(request);
}

nlohmann::json Render(const RetryTest& test) {
  return {
      {"id", test.id}, {"instructions", test.instructions}, {"completed", test.is_completed}, {"transport", "HTTP"}};
}

HttpResponse Respond(const nlohmann::json& json) { return JsonResponse(json.dump()); }

// Methods and their lists of texts. Nothing if it is something else.
std::optional<RetryInstructions> ReadInstructions(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  RetryInstructions instructions;
  for (const auto& [method, texts] : json.items()) {
    if (!texts.is_array()) return std::nullopt;
    for (const auto& text : texts) {
      if (!text.is_string()) return std::nullopt;
      instructions[method].push_back(text.get<std::string>());
    }
  }
  return instructions;
}

}  // namespace

HttpResponse RetryTestEndpoints::Handle(const HttpRequest& request, RequestBody& body) {
  const std::string_view path = PathOf(request);
  if (!IsOurs(request, path)) return next_.Handle(request, body);
  try {
    ApiResult<HttpResponse> response = Answer(request, path, body);
    return response ? *std::move(response) : ErrorResponse(response.error());
  } catch (const std::exception&) {
    return ErrorResponse(CaughtError());
  }
}

ApiResult<HttpResponse> RetryTestEndpoints::Answer(const HttpRequest& request, std::string_view path,
                                                   RequestBody& body) {
  if (path == kTests && request.method == "GET") {
    nlohmann::json all = nlohmann::json::array();
    for (const RetryTest& test : tests_.List()) all.push_back(Render(test));
    return Respond({{"retry_test", std::move(all)}});
  }
  if (path == kTest && request.method == "POST") return Make(body);
  const std::string_view id = path.substr(std::min(kTest.size() + 1, path.size()));
  if (path == kTests || path == kTest || (request.method != "GET" && request.method != "DELETE")) {
    return tl::unexpected(ApiError{405, "methodNotAllowed", "Method Not Allowed"});
  }
  const std::optional<RetryTest> test = tests_.Find(id);
  if (!test) return tl::unexpected(ApiError{404, "notFound", "No such retry test."});
  if (request.method == "GET") return Respond(Render(*test));
  tests_.Delete(id);
  return Respond(nlohmann::json::object());
}

ApiResult<HttpResponse> RetryTestEndpoints::Make(RequestBody& body) {
  const ApiResult<std::string> text = ReceiveText(body);
  if (!text) return tl::unexpected(text.error());
  const auto json = ParseBoundedJson(*text);
  if (!json.is_object()) return tl::unexpected(BadRequest("A retry test is a JSON object with instructions."));
  const auto transport = json.value("transport", nlohmann::json("HTTP"));
  if (transport == "GRPC") return tl::unexpected(ApiError{501, "notImplemented", "The emulator speaks HTTP only."});
  if (transport != "HTTP") return tl::unexpected(BadRequest("transport is neither HTTP nor GRPC."));
  const auto instructions = ReadInstructions(json.value("instructions", nlohmann::json()));
  if (!instructions) {
    return tl::unexpected(BadRequest("instructions is not an object of methods with lists of instructions."));
  }
  try {
    return Respond(Render(tests_.Make(*instructions)));
  } catch (const std::invalid_argument& error) {
    return tl::unexpected(BadRequest(error.what()));
  }
}

}  // namespace gcsflux::emulator
