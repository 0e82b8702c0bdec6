#include "soak/operations.h"

namespace gcsflux::soak {

std::vector<Operation> MakeDeck() {
  std::vector<Operation> deck;
  for (const auto& operations :
       {ReadOperations(), ListOperations(), DownloadOperations(), WriteOperations(), UploadOperations(),
        FileOperations(), StreamOperations(), ChangeOperations(), ContestedOperations()}) {
    for (const Operation& operation : operations)
      deck.insert(deck.end(), static_cast<std::size_t>(operation.weight), operation);
  }
  return deck;
}

}  // namespace gcsflux::soak
