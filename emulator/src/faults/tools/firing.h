#pragma once

namespace gcsflux::emulator {

/// Whether an action may do to one request what it is there for, and the note that it did. One request, one thread.
class Firing {
 public:
  virtual ~Firing() = default;

  /// To be asked when it is certain that the action can: what cannot happen to a request does not use up a limit. The
  /// first call decides, later ones say the same.
  virtual bool Fire() = 0;
};

}  // namespace gcsflux::emulator
