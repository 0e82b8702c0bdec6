#include "campaign/operations.h"

namespace gcsflux::campaign {

std::vector<Operation> MakeDeck() {
  std::vector<Operation> deck;
  for (const auto& operations :
       {ReadOperations(), ListOperations(), DownloadOperations(), WriteOperations(), UploadOperations(),
        FileOperations(), StreamOperations(), ChangeOperations(), ContestedOperations(), EpochOperations(),
        ShardOperations(), RunOperations(), RankOperations(), OutageOperations(), KillOperations()}) {
    for (const Operation& operation : operations)
      deck.insert(deck.end(), static_cast<std::size_t>(operation.weight), operation);
  }
  return deck;
}

}  // namespace gcsflux::campaign
