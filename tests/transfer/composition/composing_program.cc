// Downloads everything in gs://bkt through composites, repeatedly, until it is killed: composing_program ENDPOINT.
// process_end_test.cc checks what the process leaves.
#include <cstdio>

#include "gcsflux/download.h"
#include "gcsflux/listing.h"

int main(int argc, char** argv) {
  using namespace gcsflux;
  if (argc != 2) return 2;
  if (!InstallCompositeCleanup()) return 3;
  const auto client = Client::Create({.endpoint = argv[1], .project = "p"});
  if (!client) return 4;
  const auto listing = ListPrefix(*client, {"bkt", "object-"});
  if (!listing) return 5;
  const auto sources = DownloadSources(listing->objects);
  const Downloader downloader(*client, {.max_concurrency = 8, .composition = CompositionMode::kOn});
  while (true) {
    if (const auto batch = downloader.Download(sources); !batch) {
      std::fprintf(stderr, "%s\n", batch.error().message.c_str());
      // After a signal's cleanup has started, nothing more is composed, and the signal ends the process.
    }
  }
}
