#include <map>
#include <set>

#include "report/report.h"

namespace gcsflux::conformance {
namespace {

constexpr const char* kHead = R"html(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>gcsflux-conformance</title>
<style>
:root { color-scheme: light dark; --ok: light-dark(#d8f0dd, #143d22); --bad: light-dark(#fbd5d5, #5c1a1a);
  --form: light-dark(#fdf0c4, #4d400f); --none: light-dark(#ececec, #2c2c2c); --line: light-dark(#c8c8c8, #484848); }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1100px; padding: 0 1em;
  background: light-dark(#fff, #161616); color: light-dark(#1b1b1b, #e6e6e6); }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .15em .5em; text-align: left; }
.counts td { font-size: 1.4em; text-align: right; }
.wide { overflow: auto; max-height: 80vh; } .wide table { font-size: 12px; } .wide td { text-align: center; }
.wide thead th { writing-mode: vertical-rl; position: sticky; top: 0; background: light-dark(#fff, #161616); }
.wide tbody th { position: sticky; left: 0; background: light-dark(#fff, #161616); font-weight: normal; }
.ok { background: var(--ok); } .bad { background: var(--bad); } .form { background: var(--form); }
.none { background: var(--none); }
details { border: 1px solid var(--line); border-left-width: 6px; margin: .6em 0; padding: .4em .8em; }
details.bad { border-left-color: light-dark(#c62828, #ff6b6b); background: none; }
details.form { border-left-color: light-dark(#b08900, #e6c34a); background: none; }
summary { cursor: pointer; font-weight: 600; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--none); padding: .5em; font-size: 12.5px; }
dt { font-weight: 600; } dd { margin: 0 0 .4em 1.2em; overflow-wrap: anywhere; }
</style></head><body>
)html";

std::string Text(const Json& entry, const char* key) { return Escaped(entry.value(key, "")); }

/// "ok", "form", "bad" or "none": the classes of the style sheet.
std::string ClassOf(const Json& entry) {
  const std::string result = entry.value("result", "");
  if (result == "passed") return "ok";
  if (result == "passed with form differences") return "form";
  return result == "failed" ? "bad" : "none";
}

std::string Counts(const Json& document) {
  std::string head;
  std::string row;
  for (const char* result :
       {"passed", "passed with form differences", "failed", "known failure", "not applicable", "skipped"}) {
    head += std::string("<th>") + result + "</th>";
    const int count = document.at("counts").value(result, 0);
    row += "<td class=\"" + (count == 0 ? "" : ClassOf({{"result", result}})) + "\">" + std::to_string(count) + "</td>";
  }
  return "<table class=\"counts\"><tr>" + head + "</tr><tr>" + row + "</tr></table>\n";
}

struct Cell {
  int passed = 0;
  int form = 0;
  int failed = 0;
  int others = 0;

  void Add(const std::string& result) {
    ++(result == "ok" ? passed : result == "form" ? form : result == "bad" ? failed : others);
  }
  [[nodiscard]] std::string Html() const {
    const int all = passed + form + failed + others;
    if (all == 0) return "<td></td>";
    const char* kind = failed != 0 ? "bad" : form != 0 ? "form" : others == all ? "none" : "ok";
    return std::string("<td class=\"") + kind + "\">" + std::to_string(passed + form) + "/" + std::to_string(all) +
           "</td>";
  }
};

std::string Matrix(const Json& cases) {
  std::map<std::string, std::map<std::string, Cell>> rows;
  std::set<std::string> subjects;
  for (const Json& entry : cases) {
    subjects.insert(Text(entry, "subject"));
    for (const Json& operation : entry.at("operations")) {
      rows[Escaped(operation.get<std::string>())][Text(entry, "subject")].Add(ClassOf(entry));
    }
  }
  std::string html = "<div class=\"wide\"><table><thead><tr><td></td>";
  for (const std::string& subject : subjects) html += "<th>" + subject + "</th>";
  html += "</tr></thead><tbody>\n";
  for (auto& [operation, cells] : rows) {
    html += "<tr><th>" + operation + "</th>";
    for (const std::string& subject : subjects) html += cells[subject].Html();
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string Lines(const Json& headers) {
  std::string lines;
  for (const Json& line : headers) lines += Escaped(line.get<std::string>()) + "\n";
  return lines;
}

std::string Definition(const char* term, const std::string& text) {
  return text.empty() ? "" : std::string("<dt>") + term + "</dt><dd>" + text + "</dd>\n";
}

std::string Block(const std::string& text) { return "<pre>" + text + "</pre>\n"; }

std::string Exchanged(const Json& exchange, const Json& expected) {
  const Json& sent = exchange.at("sent");
  std::string html =
      "<p>sent</p>" + Block(Text(sent, "request") + "\n" + Lines(sent.at("headers")) + "\n" + Text(sent, "body"));
  if (exchange.contains("came")) {
    const Json& came = exchange["came"];
    html +=
        "<p>came</p>" + Block(came.at("status").dump() + "\n" + Lines(came.at("headers")) + "\n" + Text(came, "body"));
  } else {
    html += "<p>came</p>" + Block(Text(exchange, "error"));
  }
  if (!expected.is_null()) html += "<p>expected</p>" + Block(Escaped(expected.dump(1)));
  return html;
}

std::string Details(const Json& entry) {
  std::string form;
  for (const Json& each : entry.value("form", Json::array())) form += Escaped(each.get<std::string>()) + "<br>";
  std::string html = "<details class=\"" + ClassOf(entry) + "\"><summary>" + Text(entry, "name") + "</summary><dl>\n" +
                     Definition("claim", Text(entry, "claim")) + Definition("source", Text(entry, "source")) +
                     Definition("what happened", Text(entry, "detail")) + Definition("form", form) +
                     Definition("left behind", Text(entry, "left_behind")) + "</dl>\n";
  const Json exchanges = entry.value("exchanges", Json::array());
  for (const Json& exchange : exchanges) {
    const bool is_last = &exchange == &exchanges.back();
    html += Exchanged(exchange, is_last ? entry.value("expected", Json()) : Json());
  }
  return html + "</details>\n";
}

std::string Section(const char* title, const Json& cases, const std::string& kind) {
  std::string html;
  for (const Json& entry : cases) {
    if (ClassOf(entry) == kind) html += Details(entry);
  }
  return html.empty() ? "" : std::string("<h2>") + title + "</h2>\n" + html;
}

std::string NotRun(const Json& cases) {
  std::string rows;
  for (const Json& entry : cases) {
    if (ClassOf(entry) != "none") continue;
    const std::string why = entry.contains("known") ? Text(entry, "known") : Text(entry, "detail");
    rows += "<tr><td>" + Text(entry, "name") + "</td><td>" + Text(entry, "result") + "</td><td>" + why + "</td></tr>\n";
  }
  return rows.empty() ? "" : "<h2>Not applicable, skipped, known</h2>\n<table>" + rows + "</table>\n";
}

std::string Capabilities(const Json& capabilities) {
  std::string html;
  for (const auto& [name, has] : capabilities.items())
    html += (html.empty() ? "" : ", ") + std::string(has == true ? "" : "no ") + Escaped(name);
  return html;
}

}  // namespace

std::string HtmlOf(const Json& document) {
  const Json& cases = document.at("cases");
  return kHead + std::string("<h1>Cloud Storage conformance</h1>\n<dl>") +
         Definition("endpoint", Text(document, "endpoint")) + Definition("profile", Text(document, "profile")) +
         Definition("capabilities", Capabilities(document.at("capabilities"))) +
         Definition("program", "gcsflux-conformance " + Text(document, "gcsflux_conformance")) +
         Definition("cut short", Text(document, "cut_short")) + "</dl>\n" + Counts(document) +
         Section("Failures", cases, "bad") + Section("Differences of form", cases, "form") +
         "<h2>Operations by subject</h2>\n<p>Cases that pass, of all that send the operation.</p>\n" + Matrix(cases) +
         NotRun(cases) + "</body></html>\n";
}

}  // namespace gcsflux::conformance
