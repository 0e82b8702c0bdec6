"""Fills the page of benchmarks: what lies between {{ and }} in its template is an expression over what was measured.

The names that an expression can use are those of class Page. A figure that was not measured makes its expression
"not measured", and nothing else.
"""

import csv
import json
import re
import statistics

import peers_table


class NotMeasured(Exception):
    pass


class BadTemplate(Exception):
    """An expression of a template is wrong."""


class Sample:
    """The values of one figure over the repetitions. Compares and divides by its median."""

    def __init__(self, values):
        self.values = list(values)
        self.median = statistics.median(self.values)

    def spread_percent(self):
        """Half of what lies between the least and the most, as a share of the median."""
        if len(self.values) < 2 or self.median == 0:
            return 0
        return 50 * (max(self.values) - min(self.values)) / abs(self.median)

    def worst(self):
        return max(self.values, key=abs)


class Results:
    """What the programs have left in a directory."""

    MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1, "s": 1e3}

    def __init__(self, directory):
        self.benchmarks = {}  # name to its runs
        self.contexts = []
        for file in sorted(directory.glob("bench_*.json")):
            report = json.loads(file.read_text())
            self.contexts.append(report["context"])
            for run in report["benchmarks"]:
                if run.get("run_type") == "iteration" and not run.get("error_occurred"):
                    self.benchmarks.setdefault(self._short(run["run_name"]), []).append(run)
        self.cells = {}  # (scenario, policy) to the row of retry_policy
        table = directory / "retry_policy.csv"
        if table.exists():
            for row in csv.DictReader(table.read_text().splitlines()):
                self.cells[row["scenario"], row["policy"]] = row
        peers = directory / "peers.json"
        self.peers = peers_table.PeersTable(json.loads(peers.read_text())) if peers.exists() else None
        load = directory / "load.txt"
        self.load = float(load.read_text()) if load.exists() else None
        cost = directory / "traffic_layer_cost.txt"
        self.traffic_layer_cost = cost.read_text() if cost.exists() else ""

    @staticmethod
    def _short(name):
        return re.sub(r"/(real_time|manual_time|process_time|iterations:\d+|repeats:\d+)", "", name)

    def sample(self, name, field):
        runs = [run for run in self.benchmarks.get(name, []) if field in run]
        if not runs:
            raise NotMeasured
        if field == "real_time":
            return Sample(run[field] * self.MILLISECONDS[run["time_unit"]] for run in runs)
        return Sample(run[field] for run in runs)


def with_spread(text, sample):
    spread = sample.spread_percent()
    return f"{text} ± {spread:.0f} %" if spread >= 0.5 else text


def significant(value, digits):
    """1234567 with 3 digits is 1,230,000."""
    rounded = float(f"{value:.{digits}g}")
    if abs(rounded) >= 10 ** (digits - 1):
        return f"{rounded:,.0f}"
    return f"{rounded:.{digits}g}"


class Page:
    """The names in the template's expressions."""

    def __init__(self, results):
        self._results = results

    # Figures.
    def rate(self, name):
        return self._results.sample(name, "items_per_second")

    def speed(self, name):
        return self._results.sample(name, "bytes_per_second")

    def time(self, name):
        """In milliseconds."""
        return self._results.sample(name, "real_time")

    def counter(self, name, field):
        return self._results.sample(name, field)

    def cell(self, scenario, policy, field):
        """A figure of retry_policy."""
        text = self._results.cells.get((scenario, policy), {}).get(field)
        if not text:
            raise NotMeasured
        return Sample([float(text)])

    # How they are written.
    @staticmethod
    def per_second(sample):
        return with_spread(significant(sample.median, 3) + "/s", sample)

    @staticmethod
    def gb_per_second(sample):
        return with_spread(significant(sample.median * 1e-9, 2) + " GB/s", sample)

    @staticmethod
    def ns(sample):
        """Of a time in nanoseconds."""
        return with_spread(significant(sample.median, 3) + " ns", sample)

    @staticmethod
    def us(sample):
        """Of a time in microseconds."""
        return with_spread(significant(sample.median, 3) + " µs", sample)

    def ms(self, sample):
        """Of a time in milliseconds."""
        if sample.median < 1:
            return self.us(Sample(1e3 * value for value in sample.values))
        return with_spread(significant(sample.median, 3) + " ms", sample)

    @staticmethod
    def seconds(sample):
        return f"{sample.median:.2f} s"

    @staticmethod
    def mib(sample):
        """The most of all runs: memory is a matter of the worst."""
        return f"{max(sample.values):.1f} MiB"

    @staticmethod
    def percent(sample):
        return f"{100 * sample.median:.2f} %"

    @staticmethod
    def times(sample):
        return with_spread(f"{sample.median:.2f} x", sample)

    @staticmethod
    def fraction(sample):
        return with_spread(f"{sample.median:.3f}", sample)

    @staticmethod
    def plain(sample):
        return significant(sample.median, 3)

    # Beside what they should be.
    @staticmethod
    def verdict(value, at_least=None, at_most=None):
        if at_least is not None:
            return f"at least {at_least:g}: " + ("met" if value >= at_least else "**missed**")
        if at_most is not None:
            return f"at most {at_most:g}: " + ("met" if value <= at_most else "**missed**")
        return ""

    def compare(self, measured, baseline, show, at_least=None, at_most=None):
        """Four cells: baseline, measured, the share of it, the aim."""
        share = measured.median / baseline.median
        return f"{show(baseline)} | {show(measured)} | {share:.2f} | {self.verdict(share, at_least, at_most)}"

    def judge(self, measured, show, at_least=None, at_most=None):
        """Two cells: measured, the aim. A figure is judged by its worst run."""
        value = min(measured.values) if at_least is not None else max(measured.values)
        return f"{show(measured)} | {self.verdict(value, at_least, at_most)}"

    def automatic(self, service):
        """Five cells: what kOff, kOn and kAuto of composed downloads take, kAuto's share of the better, the aim."""
        def took(mode):
            for name in ("BM_Gcs", "BM_Sweep"):
                try:
                    return self.time(f"{name}/mode:{mode}/{service}")
                except NotMeasured:
                    pass
            raise NotMeasured

        off, on, automatic = took(1), took(2), took(3)
        share = automatic.median / min(off.median, on.median)
        return (f"{self.ms(off)} | {self.ms(on)} | {self.ms(automatic)} | {share:.2f} | "
                f"{self.verdict(share, at_most=1.1)}")

    def by_hand(self, cell):
        """Four cells: the best of a grid of datasets' options, the defaults, their share of it, the aim."""
        tried = {name: self.time(name) for name in self._results.benchmarks if name.startswith(f"BM_ByHand/{cell}/")}
        if not tried:
            raise NotMeasured
        best = min(tried, key=lambda name: tried[name].median)
        connections, composed = re.search(r"connections:(\d+)/composed:(\d)", best).groups()
        defaults = self.time(f"BM_Defaults/{cell}")
        share = defaults.median / tried[best].median
        return (f"{self.ms(tried[best])} ({connections} connections, {'' if composed == '1' else 'not '}composed) | "
                f"{self.ms(defaults)} | {share:.2f} | {self.verdict(share, at_most=1.15)}")

    def few_writes(self, writes):
        """Four cells: an epoch of a bucket that takes few writes without composites, with the defaults, their share, the aim."""
        off, automatic = (self.time(f"BM_FewWrites/writes:{writes}/composed:{composed}") for composed in (0, 1))
        share = automatic.median / off.median
        return f"{self.ms(off)} | {self.ms(automatic)} | {share:.2f} | {self.verdict(share, at_most=1.15)}"

    def listing(self, name, at_most):
        """Four cells: seconds, times the bound, the aim, calls beside those of a sequential listing."""
        bound = self.counter(name, "x_bound")
        calls, most = (max(self.counter(name, field).values) for field in ("x_calls", "x_most_calls"))
        return (f"{self.seconds(Sample(value / 1e3 for value in self.time(name).values))} | "
                f"{with_spread(f'{bound.median:.2f}', bound)} | {self.verdict(bound.median, at_most=at_most)} | "
                f"{calls:.2f} ({self.verdict(calls, at_most=most)})")

    def shaping(self, name):
        """Three cells: the worst of the runs."""
        worst = [self.counter(name, field).worst() for field in ("mean_error_%", "worst_error_%")]
        above = max(self.counter(name, "above_5_%").values)
        return f"{abs(worst[0]):.2f} % | {abs(worst[1]):.1f} % | {above:.0f}"

    def policies(self, scenario):
        """A table of what each policy did in a scenario."""
        rows = [row for (name, _), row in self._results.cells.items() if name == scenario]
        if not rows:
            raise NotMeasured
        lines = ["| | of the quota | 429s per success | slowest | 99th percentile | Jain's index | back at 95 % after |",
                 "|---|---|---|---|---|---|---|"]
        for row in rows:
            share = f"{100 * float(row['share_of_quota']):.1f} %" if row["share_of_quota"] else ""
            back = f"{float(row['recovery_s']):.1f} s" if row["recovery_s"] else ""
            lines.append(f"| `{row['policy']}` | {share} | {float(row['throttled_per_success']):.3f} | "
                         f"{float(row['worst_s']):.2f} s | {float(row['p99_s']):.2f} s | "
                         f"{float(row['jain_index']):.3f} | {back} |")
        return "\n".join(lines)

    def traffic_layer(self):
        found = re.search(r": (\d+) without the traffic layer, (\d+) with it\n\+?(-?[\d.]+) %",
                          self._results.traffic_layer_cost)
        if not found:
            raise NotMeasured
        without, layered, share = found.groups()
        return f"{int(without):,} without the layer, {int(layered):,} with it, {share} % more"

    def peer_cells(self, row, service):
        """A cell for each client of benchmarks/peers."""
        if not self._results.peers or not self._results.peers.has(row, service):
            raise NotMeasured
        return self._results.peers.cells(row, service)

    def peer_notes(self):
        if not self._results.peers:
            raise NotMeasured
        report = self._results.peers.report
        load = self._load(report["load_before"], report["num_cpus"])
        return self._results.peers.notes(self._machine(report["num_cpus"]), load)

    # Where and when.
    def machine(self):
        return self._machine(self._context()["num_cpus"])

    @staticmethod
    def _machine(num_cpus):
        with open("/proc/cpuinfo") as cpuinfo, open("/proc/meminfo") as meminfo:
            model = re.search(r"model name\s*: (.*)", cpuinfo.read())
            memory = int(re.search(r"MemTotal:\s*(\d+)", meminfo.read())[1]) / (1024 * 1024)
        name = model[1].strip() if model else "unknown"
        return f"{num_cpus} cores ({name}), {memory:.0f} GiB"

    def dates(self):
        days = sorted({context["date"][:10] for context in self._results.contexts})
        if not days:
            raise NotMeasured
        return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"

    def load(self):
        """The load average when the first program began, and what that means. The later ones begin with that of those
        before them."""
        if self._results.load is None:
            raise NotMeasured
        return self._load(self._results.load, self._context()["num_cpus"])

    @staticmethod
    def _load(average, num_cpus):
        caveat = " (**other jobs ran meanwhile: rates and waits are worse, and spread wider, than on a quiet machine**)"
        return f"{average:.1f}" + (caveat if average > num_cpus else "")

    def _context(self):
        if not self._results.contexts:
            raise NotMeasured
        return self._results.contexts[-1]


def sections(page):
    """The text of a page by its headings, in order; what stands before the first is that of ""."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return {part.partition("\n")[0] if part.startswith("## ") else "": part for part in parts}


def render(template, results, page_before=""):
    """Fills the template. A section of which nothing was measured stays as it was on the page before."""
    page = Page(results)
    names = {name: getattr(page, name) for name in dir(page) if not name.startswith("_")}
    filled = missing = 0

    def fill(match):
        nonlocal filled, missing
        try:
            text = str(eval(match[1].strip(), {"__builtins__": {}}, names))
            filled += 1
            return text
        except NotMeasured:
            missing += 1
            return "not measured"
        except (NameError, SyntaxError, TypeError, AttributeError) as error:
            raise BadTemplate(f"a template: {match[0]}: {error}") from error

    before = sections(page_before)
    out = []
    for heading, section in sections(template).items():
        filled = missing = 0
        text = re.sub(r"\{\{(.*?)\}\}", fill, section, flags=re.DOTALL)
        out.append(text if filled or not missing else before.get(heading) or text)
    return "".join(out)


class Quotes:
    """The names in the expressions of the short page, which quotes rows of the tables. A section is named by its beginning."""

    def __init__(self, tables):
        self._sections = {heading.removeprefix("## "): text for heading, text in sections(tables).items()}
        self.unquoted = {heading for heading, text in self._sections.items() if "**missed**" in text}

    def _section(self, beginning):
        found = [heading for heading in self._sections if heading and heading.startswith(beginning)]
        if len(found) != 1:
            raise BadTemplate(f"{len(found)} sections of the tables begin with '{beginning}'")
        return found[0], self._sections[found[0]].splitlines()

    def rows(self, section, *beginnings):
        """Rows of one table, under its head: for each beginning the first row that begins so."""
        _, lines = self._section(section)
        places = []
        for beginning in beginnings:
            place = next((n for n, line in enumerate(lines) if line.startswith("| " + beginning)), None)
            if place is None:
                raise BadTemplate(f"no row of '{section}' begins with '{beginning}'")
            places.append(place)
        top = places[0]
        while lines[top - 1].startswith("|"):
            top -= 1
        return "\n".join(lines[n] for n in (top, top + 1, *places))

    def notes(self, section):
        """The list below a table."""
        return "\n".join(line for line in self._section(section)[1] if line.startswith("- ")) or "Not measured."

    def misses(self, section):
        """Every row of a section that misses its aim, a line each. An empty first cell is that of the row above it."""
        heading, lines = self._section(section)
        self.unquoted.discard(heading)
        found, first = [], ""
        for line in lines:
            cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
            if cells:
                first = cells[0] = cells[0] or first
            if "**missed**" in line:
                found.append("- " + "; ".join(cell for cell in cells if cell))
        return "\n".join(found) or "None any more."


def quote(template, tables):
    """Fills the template of the short page. No miss may go unsaid."""
    quotes = Quotes(tables)
    names = {"rows": quotes.rows, "notes": quotes.notes, "misses": quotes.misses}
    page = re.sub(r"\{\{(.*?)\}\}", lambda match: eval(match[1], {"__builtins__": {}}, names), template, flags=re.DOTALL)
    if quotes.unquoted:
        raise BadTemplate(f"no reason is given for what is missed in: {', '.join(sorted(quotes.unquoted))}")
    return page
