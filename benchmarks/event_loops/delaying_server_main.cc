// The program delaying_server: DelayingServer as a process of its own, so that its CPU is not the client's.
#include <gflags/gflags.h>

#include <chrono>
#include <exception>
#include <iostream>

#include "event_loops/content.h"
#include "event_loops/delaying_server.h"
#include "event_loops/descriptors.h"

DEFINE_int32(port, 0, "On loopback; 0 takes any free one. Set it where another program must know it beforehand.");
DEFINE_double(delay_ms, 0, "From a whole request to its answer. Raise it to have more requests in flight.");
DEFINE_uint64(object_bytes, 100 << 10, "Size of the object that answers every request.");

int main(int argc, char** argv) {
  using namespace gcsflux::bench;
  gflags::SetUsageMessage("serves one object on loopback, after a delay");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  AllowAllDescriptors();
  try {
    const std::chrono::duration<double, std::milli> delay(FLAGS_delay_ms);
    DelayingServer server({.port = FLAGS_port,
                           .delay = std::chrono::duration_cast<std::chrono::nanoseconds>(delay),
                           .content = ContentOf(FLAGS_object_bytes)});
    std::cout << "http://127.0.0.1:" << server.port() << std::endl;
    server.Run();
  } catch (const std::exception& error) {
    std::cerr << "delaying_server: " << error.what() << "\n";
    return 1;
  }
}
