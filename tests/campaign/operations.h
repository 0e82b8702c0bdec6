#pragma once

#include <vector>

namespace gcsflux::campaign {

class Worker;

/// A random operation of a program on objects, and its required result: throws Violation if it differs.
struct Operation {
  const char* name;
  int weight;  ///< How often it runs in a round.
  void (*run)(Worker&);
};

std::vector<Operation> ReadOperations();
std::vector<Operation> ListOperations();
std::vector<Operation> DownloadOperations();
std::vector<Operation> WriteOperations();
std::vector<Operation> UploadOperations();
std::vector<Operation> FileOperations();
std::vector<Operation> StreamOperations();
std::vector<Operation> ChangeOperations();
std::vector<Operation> ContestedOperations();
std::vector<Operation> EpochOperations();
std::vector<Operation> ShardOperations();
std::vector<Operation> RunOperations();
std::vector<Operation> RankOperations();
std::vector<Operation> OutageOperations();
std::vector<Operation> KillOperations();

/// A round: all of the above, each as often as its weight.
std::vector<Operation> MakeDeck();

}  // namespace gcsflux::campaign
