#pragma once

/// Descriptors that belong only to this process, although fork() copies them: a connection, whose other end would
/// receive from two processes; a locked file, whose lock would live as long as the copy. They are closed in the child
/// before fork() returns.
namespace gcsflux::internal {

/// Adds a descriptor. Call it together with the code that opens the descriptor, in one LeafSection.
void AddOwnDescriptor(int descriptor);

/// Other code closes it.
void ForgetOwnDescriptor(int descriptor);

/// Closes it. If it was the parent's, does nothing, because its number may be another descriptor's by now.
void CloseOwnDescriptor(int descriptor);

/// While a thread uses such descriptors, a child that it forks gets dead ones in their place: code that continues after
/// the caller's sink has forked still uses their numbers.
class UsesOwnDescriptors {
 public:
  UsesOwnDescriptors();
  ~UsesOwnDescriptors();
  UsesOwnDescriptors(const UsesOwnDescriptors&) = delete;
  UsesOwnDescriptors& operator=(const UsesOwnDescriptors&) = delete;
};

/// For fork.cc. Async-signal-safe.
void CloseOwnDescriptorsInChild();

}  // namespace gcsflux::internal
