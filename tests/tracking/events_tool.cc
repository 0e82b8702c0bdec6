// Writes events for programs that are not ours: events_tool ENDPOINT DIRECTORY some|endless. `endless` writes and
// flushes step after step, prints the number of each that is stored, and waits for a line.
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "gcsflux/event_writer.h"

namespace {

using gcsflux::EventWriter;

int Fail(const gcsflux::Error& error) {
  std::cerr << error.message << "\n";
  return 1;
}

int WriteSome(EventWriter& events) {
  for (int step = 0; step < 100; ++step) events.AddScalar("loss", 1.0 / (1 + step), step);
  events.AddScalar("odd", std::numeric_limits<double>::quiet_NaN(), 1);
  events.AddScalar("odd", INFINITY, 2);
  events.AddScalar("odd", -INFINITY, 3);
  events.AddScalar("back", 5, 5);
  events.AddScalar("back", 4, 4);
  events.AddScalar("bad\ntag\xFF", 1, 1);
  events.AddText("note", "**größe**\n\n\xFF", 1);
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(static_cast<float>(i % 100));
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  events.AddHistogram("weights", values, 1);
  events.AddHistogram("equal", std::array{3.0F, 3.0F}, 1);
  for (int channels = 1; channels <= 4; ++channels) {
    constexpr std::uint32_t kHeight = 5;
    constexpr std::uint32_t kWidth = 7;
    std::vector<std::uint8_t> pixels;
    for (std::size_t i = 0; i < std::size_t{kHeight} * kWidth * static_cast<std::size_t>(channels); ++i) {
      pixels.push_back(static_cast<std::uint8_t>(i * 3));
    }
    events.AddImage("image/" + std::to_string(channels),
                    {.pixels = pixels, .height = kHeight, .width = kWidth, .channels = channels}, 1);
  }
  const auto closed = events.Close();
  return closed ? 0 : Fail(closed.error());
}

int WriteEndlessly(EventWriter& events) {
  std::string line;
  for (int step = 0; std::getline(std::cin, line); ++step) {
    events.AddScalar("step", step, step);
    events.AddText("note", std::string(100'000, 'x'), step);
    if (const auto flushed = events.Flush(); !flushed) return Fail(flushed.error());
    std::cout << step << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto client = gcsflux::Client::Create({.endpoint = argv[1]});
  if (!client) return Fail(client.error());
  auto events = EventWriter::Open(*client, argv[2], {.parameters = {{"rate", "0.1"}}});
  if (!events) return Fail(events.error());
  return argv[3] == std::string("some") ? WriteSome(*events) : WriteEndlessly(*events);
}
