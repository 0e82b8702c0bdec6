# torchrun.py ARGUMENT...: torchrun of Debian's PyTorch. Version 1.13 and Python 3.11 do not fit together: there an IntFlag
# no longer finds its member 0, so that `--redirects` is None.
import socket
import sys

if sys.argv[1:] == ["--free_port"]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        print(free.getsockname()[1])
    sys.exit()

try:
    import torch.distributed.elastic.multiprocessing.api as api
    from torch.distributed.run import main
except ImportError:
    print("PyTorch is not installed: see scripts/setup")
    sys.exit(77)

known = api.Std.from_str.__func__
api.Std.from_str = classmethod(lambda cls, text: known(cls, text) or cls.NONE)
main(sys.argv[1:])
