#!/usr/bin/env bash
# The cost of the traffic layer for a request while nothing is loaded, in instructions: traffic_layer_cost.sh BIN_DIR [MOST]
#
# Counts the instructions of 300 requests and of 100 by callgrind, so that the start does not count. Fails if the layer costs
# more than MOST per cent (3) of a request without it. Counts do not depend on how busy the machine is. 77: no valgrind.
set -euo pipefail
bin=$1
most=${2:-3}
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }

count() {  # MODE REQUESTS
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bin/count_traffic_layer" "$1" "$2" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
per_request() { echo $((($(count "$1" 300) - $(count "$1" 100)) / 200)); }

bare=$(per_request bare)
layered=$(per_request layered)
echo "instructions per read of 100 KiB: $bare without the traffic layer, $layered with it"
awk -v bare="$bare" -v layered="$layered" -v most="$most" 'BEGIN {
  share = 100 * (layered - bare) / bare
  printf "%+.2f %%, at most %s %%\n", share, most
  exit !(bare > 1000 && share <= most)
}'
