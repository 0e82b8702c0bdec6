// Many objects together: batches, streams and files, each by itself or through composites.
#include <fstream>
#include <iterator>

#include "campaign/operations.h"
#include "campaign/worker.h"
#include "gcsflux/download.h"
#include "gcsflux/download_file.h"

namespace gcsflux::campaign {
namespace {

const MayFail kMayBeCorrupted{.with = {ErrorCode::kCorrupted}};

struct Wanted {
  std::vector<const Slot*> slots;
  std::vector<DownloadSource> sources;
};

Wanted SomeObjects(Worker& worker) {
  Wanted wanted;
  for (std::size_t i = 1 + worker.chance().Below(12); i > 0; --i) {
    const Slot& slot = worker.StoredObject();
    wanted.slots.push_back(&slot);
    wanted.sources.push_back(
        {.object = slot.object, .size = slot.state()->content.size(), .generation = slot.state()->generation});
  }
  return wanted;
}

const Downloader& AnyDownloader(Worker& worker) {
  return worker.chance().OneIn(2) ? worker.common().downloader : worker.common().composing_downloader;
}

void CheckObject(const Slot& slot, std::span<const std::byte> bytes) {
  CheckBytes(slot.object, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, slot.state()->content);
}

void DownloadBatch(Worker& worker) {
  const Wanted wanted = SomeObjects(worker);
  const RandomStop stop(worker.chance());
  const auto batch = AnyDownloader(worker).Download(wanted.sources, stop.token());
  if (!worker.Check(batch, stop, kMayBeCorrupted)) return;
  for (std::size_t i = 0; i < wanted.slots.size(); ++i) CheckObject(*wanted.slots[i], (*batch)[i].bytes);
}

// To its end, or to somewhere in the middle.
void DownloadStreamOfObjects(Worker& worker) {
  const Wanted wanted = SomeObjects(worker);
  const RandomStop stop(worker.chance());
  const bool is_in_order = worker.chance().OneIn(2);
  const std::size_t most = worker.chance().OneIn(4) ? worker.chance().Below(wanted.slots.size()) : wanted.slots.size();
  auto stream = AnyDownloader(worker).Stream(
      wanted.sources, is_in_order ? DeliveryOrder::kInOrder : DeliveryOrder::kAsCompleted, stop.token());
  std::vector<bool> has_come(wanted.slots.size());
  for (std::size_t i = 0; i < most; ++i) {
    const auto next = stream.Next();
    if (!worker.Check(next, stop, kMayBeCorrupted)) return;
    if (!*next) throw Violation("the stream ended early");
    const std::size_t index = (*next)->index;
    if (is_in_order && index != i) throw Violation("the stream is out of order");
    if (has_come.at(index)) throw Violation("an object came twice");
    has_come[index] = true;
    CheckObject(*wanted.slots[index], (*next)->bytes);
  }
}

void DownloadIntoFile(Worker& worker) {
  const Slot& slot = worker.StoredObject();
  // One name for all: the partial file of an interrupted download usually belongs to another object.
  const std::string path =
      worker.common().directory / ("download of " + worker.prefix().substr(0, worker.prefix().size() - 1));
  const RandomStop stop(worker.chance());
  const auto downloaded = DownloadFile(worker.client(), slot.object, path,
                                       {.range_bytes = 50'000, .max_concurrency = 3, .stop = stop.token()});
  const MayFail also{.with = {ErrorCode::kCorrupted, ErrorCode::kBadResponse}};  // falseLength truncates JSON too
  if (!worker.Check(downloaded, stop, also)) return;
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  CheckBytes(slot.object, content, slot.state()->content);
}

}  // namespace

std::vector<Operation> DownloadOperations() {
  return {{"download a batch", 4, DownloadBatch},
          {"download a stream", 4, DownloadStreamOfObjects},
          {"download into a file", 3, DownloadIntoFile}};
}

}  // namespace gcsflux::campaign
