// One bug for each sanitizer, by the program's argument. A build with sanitizers that reports none of them proves
// nothing.
#include <climits>
#include <cstring>
#include <iostream>
#include <thread>

namespace {

int UseFreedMemory() {
  int* volatile number = new int(1);  // volatile, so that no compiler warns
  delete number;
  return *number;
}

int LoseMemory() {
  char* volatile lost = new char[1'000];
  lost[0] = 1;
  const int first = lost[0];
  lost = nullptr;
  return first;
}

int OverflowAnInteger() {
  volatile int most = INT_MAX;
  return most + 1;
}

int RaceForANumber() {
  int number = 0;
  std::thread other([&] { ++number; });
  ++number;
  other.join();
  return number;
}

}  // namespace

int main(int argc, char** argv) {
  struct Bug {
    const char* name;
    int (*make)();
  };
  for (const Bug& bug : {Bug{"address", UseFreedMemory}, Bug{"leak", LoseMemory}, Bug{"undefined", OverflowAnInteger},
                         Bug{"thread", RaceForANumber}}) {
    if (argc == 2 && std::strcmp(argv[1], bug.name) == 0) std::cout << "made: " << bug.make() << "\n";
  }
  return 0;
}
