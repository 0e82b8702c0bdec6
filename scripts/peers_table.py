"""The table of benchmarks/peers: gcsflux beside other clients, from what compare.py has left."""

import statistics

# Clients as they stand in the table, and rows as they are named in its notes.
CLIENTS = {"gcsflux": "gcsflux", "gcsfs": "gcsfs", "obstore": "obstore", "tensorstore": "tensorstore",
           "google_cloud_storage": "google-cloud-storage", "connector": "connector for PyTorch"}
ROWS = {"small_reads": "small reads", "large_read": "a large read", "epoch": "an epoch", "list": "a list",
        "checkpoint_save": "a checkpoint saved", "checkpoint_load": "a checkpoint loaded", "upload": "an upload"}
MIB = 1 << 20


def seconds(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"


class PeersTable:
    """Of one run of compare.py."""

    def __init__(self, report):
        self.report = report
        self._runs = {(cell["service"], cell["row"], cell["client"]): cell["runs"] for cell in report["cells"]}

    def has(self, row, service):
        return any(key[:2] == (service, row) for key in self._runs)

    def clients(self):
        """Those of which there is a figure, by their names in the table."""
        ran = {client for _, _, client in self._runs}
        return {client: name for client, name in CLIENTS.items() if client in ran}

    def median(self, row, service, client, figure="seconds"):
        """None if there is no figure."""
        runs = self._runs.get((service, row, client))
        return statistics.median(run[figure] for run in runs) if runs else None

    def range_of(self, row, service, client):
        times = [run["seconds"] for run in self._runs[service, row, client]]
        return min(times), max(times)

    def cells(self, row, service):
        """A cell for each client. The fastest one is bold."""
        times = {client: self.median(row, service, client) for client in CLIENTS}
        best = min(time for time in times.values() if time is not None)
        return " | ".join(self._cell(row, service, client, times[client] == best) for client in CLIENTS)

    def _cell(self, row, service, client, is_best):
        runs = self._runs.get((service, row, client))
        if not runs:
            return ""
        time = seconds(self.median(row, service, client)) + " s"
        peak = max(run["peak_bytes"] for run in runs)
        # Of a program that is measured as a whole there is no memory before the row.
        added = [run["peak_bytes"] - run["resident_before"] for run in runs if run["resident_before"]]
        least, most = self.range_of(row, service, client)
        return (f"{f'**{time}**' if is_best else time} ({seconds(least)}..{seconds(most)})<br>"
                f"{seconds(self.median(row, service, client, 'cpu_seconds'))} s CPU<br>{peak / MIB:.0f} MiB{f', {max(added) / MIB:+.0f}' if added else ''}")

    def notes(self, machine, load):
        """Lines of a list: where and when, versions, and why a cell is empty."""
        report = self.report
        lines = [f"Measured {report['date']} on {machine}; before the first run the load average was {load}."]
        versions = [f"{CLIENTS[client]} {version}" for client, version in report["versions"].items() if version]
        lines[0] += f" Versions: {', '.join(versions)}." if versions else ""
        if report["scale"] != 1:
            lines.append(f"**Sizes are scaled by {report['scale']:g}: these are no figures to publish.**")
        lines += [f"Not measured: {CLIENTS[client]}: {reason}." for client, reason in report["missing"].items()]
        known = {*self.clients(), *report["missing"]}
        absent = [name for client, name in CLIENTS.items() if client not in known]
        lines += [f"Not in this run (`--peers`): {', '.join(absent)}."] if absent else []
        rows_by_reason = {}
        for entry in report["reasons"]:
            rows_by_reason.setdefault((entry["client"], entry["reason"]), []).append(ROWS[entry["row"]])
        lines += [f"No figure: {CLIENTS[client]}, {' and '.join(rows)}: {reason}."
                  for (client, reason), rows in rows_by_reason.items()]
        lines += [f"Failed and repeated: {CLIENTS[entry['client']]}, {ROWS[entry['row']]}: {entry['runs']} runs."
                  for entry in report["repeated"]]
        return "\n".join("- " + line for line in lines)
