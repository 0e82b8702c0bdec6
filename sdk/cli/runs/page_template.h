#pragma once

// The page of `gcsflux runs compare --html`. One script makes the plots, as SVG, of the JSON that takes the place of
// {{data}}: {"title", "runs": [{"name", "lines": {tag: [[step, seconds, value or null]]}}], "table": rows}.
namespace gcsflux::cli {

inline constexpr char kPageTemplate[] = R"page(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runs</title>
<style>
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --ink: #1b2027; --soft: #667080; --line: #e3e7ec; --edge: #d5dae1; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12151a; --card: #1b1f26; --ink: #e8ebf0; --soft: #98a2b1; --line: #2b313b; --edge: #343b47; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", Roboto, Arial, sans-serif; }
main { max-width: 1400px; margin: 0 auto; padding: 20px 16px 48px; }
h1 { font-size: 20px; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 14px; font-weight: 600; margin: 0 0 4px; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
.bar { position: sticky; top: 0; z-index: 2; background: var(--page); padding: 10px 0; margin-bottom: 8px; border-bottom: 1px solid var(--line); }
.row { display: flex; flex-wrap: wrap; gap: 8px 18px; align-items: center; }
.runs { display: flex; flex-wrap: wrap; gap: 6px; max-height: 104px; overflow: auto; margin-bottom: 8px; }
.runs button { display: flex; align-items: center; gap: 7px; border: 1px solid var(--edge); border-radius: 99px; background: var(--card); color: inherit; font: inherit; font-size: 13px; padding: 3px 11px; cursor: pointer; max-width: 100%; overflow-wrap: anywhere; text-align: left; }
.runs button[aria-pressed=false] { opacity: .45; }
.dot { width: 10px; height: 10px; border-radius: 50%; flex: none; }
label { display: inline-flex; gap: 7px; align-items: center; font-size: 13px; color: var(--soft); }
select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: 6px; padding: 2px 4px; }
input[type=range] { width: 110px; accent-color: var(--soft); }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 14px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; position: relative; min-width: 0; }
.card svg { display: block; width: 100%; height: 230px; touch-action: pan-y; }
svg text { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
.tip { position: absolute; pointer-events: none; background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: 6px 9px; font-size: 12px; box-shadow: 0 4px 14px #0003; max-width: 80%; z-index: 1; font-variant-numeric: tabular-nums; }
.tip div { display: flex; gap: 7px; align-items: center; }
.tip b { margin-left: auto; padding-left: 10px; }
.scroll { overflow-x: auto; margin-top: 20px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: 6px 12px; text-align: right; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; cursor: pointer; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--card); }
tr:last-child td { border-bottom: 0; }
</style>
<main>
<h1 id="title"></h1>
<div class="bar">
  <div class="runs" id="runs"></div>
  <div class="row">
    <label>Axis <select id="axis"><option value="0">step</option><option value="1">time</option></select></label>
    <label>Scale <select id="scale"><option>linear</option><option>log</option></select></label>
    <label>Smoothing <input type="range" id="smoothing" min="0" max="0.98" step="0.02" value="0"></label>
  </div>
</div>
<div class="plots" id="plots"></div>
<div class="scroll"><table id="table"></table></div>
</main>
<script type="application/json" id="data">{{data}}</script>
<script>
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const light = ["#2a6fdb", "#e4572e", "#17a673", "#b8860b", "#8e44ad", "#d6336c", "#0f8b8d", "#6b705c"];
const dark = ["#6ea8ff", "#ff8a65", "#4fd1a1", "#e6b94a", "#c58af9", "#ff7eb0", "#4cc9cf", "#b7bda4"];
const night = matchMedia("(prefers-color-scheme: dark)");
const colour = i => (night.matches ? dark : light)[i % 8];
const dash = i => ["", "6 3", "2 3"][Math.floor(i / 8) % 3];  // From the ninth run on.
const shown = data.runs.map(() => true);
const $ = id => document.getElementById(id);
const element = (name, text, parent) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.append(made);
  return made;
};
const svg = (name, attributes, parent) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  parent.append(made);
  return made;
};
const number = v => v === 0 ? "0" : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(1) : String(+v.toPrecision(4));
const duration = s => s === 0 ? "0" : s < 60 ? Math.round(s) + " s" : s < 7200 ? +(s / 60).toFixed(1) + " min" : +(s / 3600).toFixed(1) + " h";
const count = v => Math.abs(v) >= 1e6 ? +(v / 1e6).toPrecision(4) + "M" : Math.abs(v) >= 1e4 ? +(v / 1e3).toPrecision(4) + "k" : String(v);

function ticks(low, high, most) {  // At multiples of 1, 2 or 5.
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough) || rough;
  const made = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9 && made.length < 20; v += step) made.push(+v.toPrecision(12));
  return made;
}
function smooth(points, weight) {  // An exponential average, without the pull to 0 at its start.
  let last = 0, n = 0;
  return points.map(([x, y]) => {
    if (y === null) return [x, null];
    last = last * weight + y * (1 - weight);
    return [x, last / (1 - weight ** ++n)];
  });
}
function linesOf(tag) {
  const axis = +$("axis").value, isLog = $("scale").value === "log", weight = +$("smoothing").value, lines = [];
  data.runs.forEach((run, i) => {
    if (!shown[i] || !run.lines[tag]) return;
    const raw = run.lines[tag].map(p => [p[axis], isLog && !(p[2] > 0) ? null : p[2]]);
    lines.push({i, raw, points: weight > 0 ? smooth(raw, weight) : raw});
  });
  return lines;
}
function path(points, X, Y) {
  let d = "", pen = "M";
  for (const [x, y] of points) {
    if (y === null) pen = "M";
    else { d += pen + X(x).toFixed(1) + " " + Y(y).toFixed(1); pen = "L"; }
  }
  return d;
}
function draw(card, tag) {
  const old = card.querySelector("svg"), width = Math.max(240, card.clientWidth - 30), height = 230;
  if (old) old.remove();
  const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": tag}, card);
  const lines = linesOf(tag), isTime = +$("axis").value === 1, isLog = $("scale").value === "log";
  const all = lines.flatMap(l => l.raw.filter(p => p[1] !== null));
  if (!all.length) { svg("text", {x: 8, y: 24}, picture).textContent = "no finite values"; return; }
  const f = isLog ? Math.log10 : v => v, least = (a, k) => a.reduce((m, p) => Math.min(m, p[k]), Infinity), most = (a, k) => a.reduce((m, p) => Math.max(m, p[k]), -Infinity);
  let x0 = least(all, 0), x1 = most(all, 0), y0 = f(least(all, 1)), y1 = f(most(all, 1));
  if (x0 === x1) { x0 -= .5; x1 += .5; }
  const pad = y1 > y0 ? (y1 - y0) * .06 : Math.abs(y1) * .1 || 1;
  y0 -= pad; y1 += pad;
  const left = 52, right = width - 8, top = 10, bottom = height - 24;
  const X = x => left + (x - x0) / (x1 - x0) * (right - left), Y = y => bottom - (f(y) - y0) / (y1 - y0) * (bottom - top);
  const marks = ticks(y0, y1, 5).map(v => isLog ? [10 ** v, bottom - (v - y0) / (y1 - y0) * (bottom - top)] : [v, Y(v)]);
  for (const [v, y] of marks) {
    svg("line", {x1: left, x2: right, y1: y, y2: y, stroke: "var(--line)"}, picture);
    svg("text", {x: left - 7, y: y + 4, "text-anchor": "end"}, picture).textContent = number(v);
  }
  const unit = !isTime || x1 - x0 < 120 ? 1 : x1 - x0 < 7200 ? 60 : 3600;
  for (const v of ticks(x0 / unit, x1 / unit, Math.max(2, width / 95)).map(v => v * unit).filter(v => isTime || Number.isInteger(v)))
    svg("text", {x: X(v), y: height - 7, "text-anchor": X(v) > right - 24 ? "end" : X(v) < left + 12 ? "start" : "middle"}, picture).textContent = isTime ? duration(v) : count(v);
  for (const line of lines) {
    const look = {fill: "none", stroke: colour(line.i), "stroke-linejoin": "round", "stroke-linecap": "round"};
    if (line.raw !== line.points) svg("path", {...look, d: path(line.raw, X, Y), opacity: .25}, picture);
    svg("path", {...look, d: path(line.points, X, Y), "stroke-width": 1.8, "stroke-dasharray": dash(line.i)}, picture);
    const [x, y] = line.points.findLast(p => p[1] !== null) || [];
    if (y !== undefined) svg("circle", {cx: X(x), cy: Y(y), r: 2.6, fill: colour(line.i)}, picture);
  }
  hover(card, picture, lines, {X, x0, x1, left, right, top, bottom, width, isTime});
}
function hover(card, picture, lines, at) {
  const cursor = svg("line", {y1: at.top, y2: at.bottom, stroke: "var(--soft)", "stroke-dasharray": "3 3", visibility: "hidden"}, picture);
  const tip = card.querySelector(".tip") || element("div", undefined, card);
  tip.className = "tip";
  tip.hidden = true;
  picture.onpointerleave = () => { tip.hidden = true; cursor.setAttribute("visibility", "hidden"); };
  picture.onpointermove = event => {
    const box = picture.getBoundingClientRect(), px = (event.clientX - box.left) * at.width / box.width;
    const wanted = at.x0 + (Math.min(at.right, Math.max(at.left, px)) - at.left) / (at.right - at.left) * (at.x1 - at.x0);
    const near = lines.map(l => ({i: l.i, p: l.points.reduce((a, b) => Math.abs(b[0] - wanted) < Math.abs(a[0] - wanted) ? b : a)}));
    const x = near.reduce((a, b) => Math.abs(b.p[0] - wanted) < Math.abs(a.p[0] - wanted) ? b : a).p[0];
    cursor.setAttribute("x1", at.X(x)); cursor.setAttribute("x2", at.X(x)); cursor.setAttribute("visibility", "visible");
    tip.replaceChildren(element("div", at.isTime ? duration(x) : "step " + x));
    for (const {i, p} of near.slice(0, 12)) {
      const row = element("div", undefined, tip);
      const dot = element("span", undefined, row); dot.className = "dot"; dot.style.background = colour(i);
      element("span", data.runs[i].name, row);
      element("b", p[1] === null ? "none" : number(p[1]), row);
    }
    tip.hidden = false;
    const share = px / at.width;
    tip.style.left = share < .5 ? share * 100 + 4 + "%" : "auto";
    tip.style.right = share < .5 ? "auto" : (1 - share) * 100 + 4 + "%";
    tip.style.top = "44px";
  };
}
const tags = [...new Set(data.runs.flatMap(run => Object.keys(run.lines)))].sort();
const cards = tags.map(tag => {
  const card = element("section", undefined, $("plots"));
  card.className = "card";
  element("h2", tag, card);
  return {card, tag};
});
const drawAll = () => cards.forEach(({card, tag}) => draw(card, tag));
function buttons() {
  $("runs").replaceChildren(...data.runs.map((run, i) => {
    const button = element("button"), dot = element("span", undefined, button);
    dot.className = "dot"; dot.style.background = colour(i);
    element("span", run.name, button);
    button.setAttribute("aria-pressed", shown[i]);
    button.onclick = () => { shown[i] = !shown[i]; button.setAttribute("aria-pressed", shown[i]); drawAll(); };
    return button;
  }));
}
const [names, ...rows] = data.table;
let sorted = -1, isDown = false;
function table() {
  const order = (a, b) => a - b || (isNaN(a - b) ? String(a).localeCompare(String(b)) : 0);
  if (sorted >= 0) rows.sort((a, b) => order(a[sorted], b[sorted]) * (isDown ? -1 : 1));
  $("table").replaceChildren();
  const head = element("tr", undefined, element("thead", undefined, $("table")));
  names.forEach((name, i) => {
    element("th", name + (i === sorted ? (isDown ? " ▾" : " ▴") : ""), head).onclick = () => { isDown = sorted === i && !isDown; sorted = i; table(); };
  });
  const body = element("tbody", undefined, $("table"));
  for (const row of rows) { const line = element("tr", undefined, body); for (const field of row) element("td", field, line); }
}
document.title = data.title;
$("title").textContent = data.title;
element("span", `  ${data.runs.length} runs`, $("title")).className = "soft";
for (const id of ["axis", "scale", "smoothing"]) $(id).oninput = drawAll;
night.onchange = () => { buttons(); drawAll(); };
new ResizeObserver(drawAll).observe($("plots"));
buttons(); table(); drawAll();
</script>
</html>
)page";

}  // namespace gcsflux::cli
