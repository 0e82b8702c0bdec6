#include "run_cases/send_at_once.h"

#include <exception>
#include <future>
#include <thread>

#include "run_cases/throttling.h"

namespace gcsflux::conformance {
namespace {

OrError<Response> SendOnOwnConnection(const Service& service, const Request& request, std::shared_future<void> start) {
  try {
    const auto transport = service.connect();
    start.wait();
    return SendUnlessThrottled({.transport = *transport, .sleep = service.sleep}, request);
  } catch (const std::exception& error) {
    return Failed(std::string("a request at the same time as others cannot be sent: ") + error.what());
  }
}

}  // namespace

OrError<std::vector<Response>> SendAtOnce(const Service& service, const std::vector<Request>& requests) {
  if (!service.connect) return Failed("this run has one connection only: it cannot send at the same time");
  std::vector<OrError<Response>> answers(requests.size());
  std::vector<std::jthread> threads;
  std::promise<void> start;  // Ends before the threads are joined, also if one of them cannot begin.
  const std::shared_future<void> started = start.get_future().share();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    threads.emplace_back([&, i] { answers[i] = SendOnOwnConnection(service, requests[i], started); });
  }
  start.set_value();
  threads.clear();
  std::vector<Response> responses;
  for (OrError<Response>& answer : answers) {
    if (!answer) return Failed(answer.error());
    responses.push_back(*std::move(answer));
  }
  return responses;
}

}  // namespace gcsflux::conformance
