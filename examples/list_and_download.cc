// Lists a prefix and downloads all that is there, as the list-and-download benchmark of Google's connector for PyTorch
// does: against an emulator inside this process, or, as `list_and_download gs://bucket/prefix`, in a bucket of yours.
//
//   list_and_download --print_names gs://bucket/prefix
//   list_and_download --listing_cache=gs://bucket/saved --composition=auto --max_concurrency=64 gs://bucket/prefix
#include <gflags/gflags.h>

#include <chrono>
#include <iostream>

#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/flags.h"
#include "standard_streams.h"

DEFINE_bool(print_names, false, "Print each object's name and size as it arrives");
DEFINE_bool(in_order, false, "Take the objects in the order of their names, not as they arrive");

namespace {

using gcsflux::Client;
using gcsflux::ObjectName;
using gcsflux::Result;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Every object once; the first error ends it.
Result<void> Download(const Client& client, const gcsflux::Listing& listing) {
  const auto options = gcsflux::DownloaderOptionsFromFlags();
  if (!options) return options.error();
  const auto start = std::chrono::steady_clock::now();
  const auto order = FLAGS_in_order ? gcsflux::DeliveryOrder::kInOrder : gcsflux::DeliveryOrder::kAsCompleted;
  gcsflux::DownloadStream stream = gcsflux::Downloader(client, *options)
                                       .Stream(gcsflux::DownloadSources(listing.prefix.bucket, listing.objects), order);
  std::size_t objects = 0;
  std::size_t bytes = 0;
  while (true) {
    const auto object = stream.Next();
    if (!object) return object.error();
    if (!*object) break;
    if (FLAGS_print_names)
      std::cout << listing.objects[(*object)->index].name << "  " << (*object)->bytes.size() << "\n";
    ++objects;
    bytes += (*object)->bytes.size();
  }
  const double seconds = SecondsSince(start);
  std::cout << "downloaded " << objects << " objects, " << bytes << " bytes in " << seconds
            << " s: " << static_cast<double>(objects) / seconds << " objects/s, "
            << static_cast<double>(bytes) / seconds / 1e6 << " MB/s\n";
  return {};
}

Result<void> ListAndDownload(const Client& client, const ObjectName& prefix) {
  const auto prices = gcsflux::OperationPricesFromFlags();
  if (!prices) return prices.error();
  const gcsflux::Counters before = client.counters();
  const auto start = std::chrono::steady_clock::now();
  const auto listing = gcsflux::ListByFlags(client, prefix, {.include_directory_markers = false});
  if (!listing) return listing.error();
  if (listing->cache_error) std::cerr << listing->cache_error->message << "\n";
  std::cout << (listing->is_from_cache ? "loaded the listing of " : "listed ") << listing->objects.size()
            << " objects in " << SecondsSince(start) << " s\n";
  if (auto downloaded = Download(client, *listing); !downloaded) return downloaded;
  const gcsflux::Counters done = client.counters() - before;
  std::cout << done.class_a_operations << " operations of class A, " << done.class_b_operations
            << " of class B: " << gcsflux::PriceOf(done, *prices) << " USD\n";
  return {};
}

Result<void> RunInEmulator(gcsflux::ClientOptions options) {
  const gcsflux::emulator::Emulator emulator;
  options.endpoint = emulator.endpoint();
  const auto client = Client::Create(options);
  if (!client) return client.error();
  if (auto made = client->InsertBucket("my-bucket"); !made) return made.error();
  for (int i = 0; i < 100; ++i) {
    const ObjectName object{"my-bucket", "train/" + std::to_string(i)};
    if (auto stored = client->InsertObject(object, gcsflux::AsBytes(std::string(10'000, 'x'))); !stored)
      return stored.error();
  }
  return ListAndDownload(*client, {"my-bucket", "train/"});
}

Result<void> RunIn(const std::string& uri, const gcsflux::ClientOptions& options) {
  const auto prefix = gcsflux::ParseUri(uri);
  if (!prefix) return prefix.error();
  const auto client = Client::Create(options);
  return client ? ListAndDownload(*client, *prefix) : Result<void>(client.error());
}

Result<void> Run(int argc, char** argv) {
  const auto arguments = gcsflux::ParseFlags(argc, argv);
  if (!arguments) return arguments.error();
  if (gcsflux::HelpRequested()) {
    std::cout << "list_and_download [flags] [gs://BUCKET/PREFIX]\n" << gcsflux::FlagsHelp(__FILE__);
    return {};
  }
  const auto options = gcsflux::ClientOptionsFromFlags();
  if (!options) return options.error();
  return arguments->empty() ? RunInEmulator(*options) : RunIn(arguments->front(), *options);
}

}  // namespace

int main(int argc, char** argv) {
  examples::OpenClosedDescriptors();
  const auto done = Run(argc, argv);
  if (!done) std::cerr << "list_and_download: " + done.error().message + "\n";
  return examples::FlushOutput("list_and_download", done ? 0 : 1);
}
