// The emulator's console. Names, metadata and targets come from clients: they are shown as text only, never as HTML.
'use strict';

const find = (id) => document.getElementById(id);
const tokens = {admin: '', storage: ''};  // in memory only: an object that a browser opens shares this page's origin

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function say(text, isBad = false) {
  find('message').textContent = text;
  find('message').classList.toggle('bad', isBad);
}

// Runs what a user asked for, and shows why it failed.
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    say(error.message, true);
  }
}

const onClick = (id, action) => find(id).addEventListener('click', () => attempt(action));
function onSubmit(id, action) {
  find(id).addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(() => action(event.target.elements));
  });
}

// ---- Requests

async function reasonOf(answer) {
  const text = await answer.text();
  try {
    return JSON.parse(text).error.message;
  } catch {
    return text.slice(0, 200);
  }
}

async function call(method, path, {body, headers = {}} = {}) {
  const token = path.startsWith('/_emulator/') ? tokens.admin : tokens.storage;
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(path, {method, body, headers, cache: 'no-store', credentials: 'omit'});
  } catch {
    throw new Error(`${method} ${path}: no answer`);
  }
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}: ${await reasonOf(answer)}`);
  return answer;
}

const getJson = async (path) => (await call('GET', path)).json();
const query = (parameters) => new URLSearchParams(Object.entries(parameters).filter(([, value]) => value)).toString();
const bucketPath = (bucket) => `/storage/v1/b/${encodeURIComponent(bucket)}`;
const objectPath = (object) => `${bucketPath(object.bucket)}/o/${encodeURIComponent(object.name)}`;
const thisGeneration = (object) => query({generation: object.generation});

// ---- Sections

function showSection() {
  if (location.hash === '#content') return;  // the link that skips the head of the page
  const wanted = ['objects', 'traffic', 'settings'].includes(location.hash.slice(1)) ? location.hash : '#objects';
  for (const section of document.querySelectorAll('main > section')) section.hidden = `#${section.id}` !== wanted;
  for (const link of document.querySelectorAll('header nav a')) {
    if (link.hash === wanted) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (wanted === '#objects') attempt(listBuckets);
  if (wanted === '#settings') attempt(showSettings);
}

// ---- Buckets and objects

const view = {bucket: '', prefix: '', object: null, bucketToken: '', objectToken: ''};
const pageSize = 100;

async function listBuckets(pageToken = '') {
  find('bucket-rows').replaceChildren();
  // Every project has the same buckets.
  const page = await getJson(`/storage/v1/b?${query({project: 'emulator', maxResults: pageSize, pageToken})}`);
  view.bucketToken = page.nextPageToken || '';
  find('buckets-next').disabled = !view.bucketToken;
  find('bucket-rows').replaceChildren(...(page.items || []).map((bucket) => make('tr', {},
    make('td', {}, make('button', {className: 'plain', textContent: bucket.name, onclick: () => openFolder(bucket.name, '')})),
    make('td', {className: 'wide', textContent: bucket.storageClass}),
    make('td', {className: 'wide', textContent: bucket.timeCreated}),
    make('td', {}, make('button', {
      textContent: 'Delete', ariaLabel: `Delete bucket ${bucket.name}`, onclick: () => attempt(() => deleteBucket(bucket.name)),
    })))));
}

async function makeBucket(fields) {
  const name = fields.bucket.value;
  await call('POST', '/storage/v1/b?project=emulator', {body: JSON.stringify({name})});
  fields.bucket.value = '';
  await listBuckets();
  say(`Made bucket ${name}.`);
}

async function deleteBucket(name) {
  if (!confirm(`Delete bucket ${name}?`)) return;
  await call('DELETE', bucketPath(name));
  await listBuckets();
  say(`Deleted bucket ${name}.`);
}

function openFolder(bucket, prefix) {
  Object.assign(view, {bucket, prefix});
  find('search').elements.prefix.value = prefix;
  find('object-rows').replaceChildren();
  closeObject();
  attempt(async () => {
    await listObjects();
    find('path').querySelector('button:last-of-type').focus();
  });
}

function showPath() {
  const parts = [['All buckets', () => closeBucket()], [view.bucket, () => openFolder(view.bucket, '')]];
  for (let end = view.prefix.indexOf('/'); end >= 0; end = view.prefix.indexOf('/', end + 1)) {
    const begin = view.prefix.lastIndexOf('/', end - 1) + 1;
    parts.push([view.prefix.slice(begin, end + 1), () => openFolder(view.bucket, view.prefix.slice(0, end + 1))]);
  }
  find('path').replaceChildren(...parts.map(([textContent, onclick]) => make('button', {className: 'plain', textContent, onclick})));
  find('buckets').hidden = true;
  find('bucket').hidden = false;
}

async function closeBucket() {
  closeObject();
  find('bucket').hidden = true;
  find('buckets').hidden = false;
  await attempt(listBuckets);
  find('bucket-rows').querySelector('button')?.focus();
}

async function listObjects(pageToken = '') {
  const wanted = {delimiter: '/', prefix: view.prefix, maxResults: pageSize, pageToken};
  const page = await getJson(`${bucketPath(view.bucket)}/o?${query(wanted)}`);
  showPath();
  view.objectToken = page.nextPageToken || '';
  find('objects-next').disabled = !view.objectToken;
  const folders = (page.prefixes || []).map((prefix) => make('tr', {},
    make('td', {colSpan: 4}, make('button', {className: 'plain', textContent: prefix, onclick: () => openFolder(view.bucket, prefix)}))));
  const objects = (page.items || []).map((object) => make('tr', {},
    make('td', {}, make('button', {
      className: 'plain', textContent: object.name, onclick: () => attempt(() => openObject(object)),
    })),
    make('td', {className: 'number', textContent: object.size}),
    make('td', {className: 'wide', textContent: object.contentType || ''}),
    make('td', {className: 'wide', textContent: object.updated})));
  find('object-rows').replaceChildren(...folders, ...objects);
}

async function upload(fields) {
  const files = [...fields.files.files];
  for (const file of files) {
    const wanted = {uploadType: 'media', name: view.prefix + file.name};
    await call('POST', `/upload${bucketPath(view.bucket)}/o?${query(wanted)}`,
      {body: file, headers: {'Content-Type': file.type || 'application/octet-stream'}});
  }
  fields.files.value = '';
  await listObjects();
  say(`Uploaded ${files.length} ${files.length === 1 ? 'file' : 'files'}.`);
}

async function openObject(listed) {
  const object = await getJson(`${objectPath(listed)}?${query({generation: listed.generation, projection: 'full'})}`);
  view.object = object;
  find('object').hidden = false;
  find('object-name').textContent = object.name;
  find('metadata').textContent = JSON.stringify(object, null, 2);
  find('preview').replaceChildren('Loading');
  find('object-name').focus();
  const preview = await previewOf(object);
  if (view.object === object) find('preview').replaceChildren(preview);
}

function closeObject() {
  view.object = null;
  find('object').hidden = true;
  find('preview').replaceChildren();
}

const maxImage = 8 << 20;
const maxText = 64 << 10;

async function previewOf(object) {
  const size = Number(object.size);
  const media = `${objectPath(object)}?alt=media&${thisGeneration(object)}`;
  if (size === 0) return 'The object is empty.';
  if (object.contentEncoding) return `It is stored with the encoding ${object.contentEncoding}: download it to see it.`;
  if (/^image\//.test(object.contentType || '') && size <= maxImage) return imageOf(await call('GET', media), object);
  const answer = await call('GET', media, {headers: {Range: `bytes=0-${Math.min(size, maxText) - 1}`}});
  const text = textOf(new Uint8Array(await answer.arrayBuffer()));
  return make('pre', {textContent: text + (size > maxText ? `\n(the first ${maxText} bytes)` : ''), tabIndex: 0, ariaLabel: 'Content'});
}

async function imageOf(answer, object) {
  const image = make('img', {alt: `Content of ${object.name}`});
  const url = URL.createObjectURL(await answer.blob());
  image.onload = image.onerror = () => URL.revokeObjectURL(url);
  image.src = url;
  return image;
}

// UTF-8, or the first bytes in hexadecimal digits.
function textOf(bytes) {
  try {
    const text = new TextDecoder('utf-8', {fatal: true}).decode(bytes, {stream: true});
    if (!text.includes('\0')) return text;
  } catch {
    // not UTF-8
  }
  return [...bytes.slice(0, 256)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

// Never as a page: one of HTML would run with this page's rights.
async function download() {
  const object = view.object;
  const answer = await call('GET', `${objectPath(object)}?alt=media&${thisGeneration(object)}`);
  const url = URL.createObjectURL(await answer.blob());
  make('a', {href: url, download: object.name.split('/').pop() || 'object'}).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

async function deleteObject() {
  const object = view.object;
  if (!confirm(`Delete ${object.name}?`)) return;
  await call('DELETE', `${objectPath(object)}?${thisGeneration(object)}`);
  closeObject();
  await listObjects();
  say(`Deleted ${object.name}.`);
}

// ---- Traffic

const traffic = {last: 0, shown: [], samples: null, at: 0, history: [], isPaused: false, failure: '', planBytes: 0};
const shownRequests = 100;
const historySeconds = 120;
const maxPolledPlan = 65536;

// Prometheus' text format: [{name, labels, value}].
function parseMetrics(text) {
  const samples = [];
  for (const [, name, labels, value] of text.matchAll(/^gcsflux_emulator_(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    samples.push({name, value: Number(value), labels: Object.fromEntries([...(labels || '').matchAll(/(\w+)="([^"]*)"/g)].map(
      ([, key, content]) => [key, content]))});
  }
  return samples;
}

function total(samples, name, isWanted = () => true) {
  return samples.reduce((sum, sample) => (sample.name === name && isWanted(sample.labels) ? sum + sample.value : sum), 0);
}

// The smallest bound, in seconds, that the share `quantile` of the requests between two samples did not exceed.
function latencyBound(before, after, quantile) {
  const bucket = 'request_duration_seconds_bucket';
  const bounds = [...new Set(after.filter((sample) => sample.name === bucket).map((sample) => sample.labels.le))];
  const within = (le) => total(after, bucket, (labels) => labels.le === le) - total(before, bucket, (labels) => labels.le === le);
  const wanted = within('+Inf') * quantile;
  return wanted > 0 ? bounds.find((le) => within(le) >= wanted) : undefined;
}

function milliseconds(bound) {
  if (bound === undefined) return '-';
  return bound === '+Inf' ? 'over 120,000 ms' : `≤ ${(Number(bound) * 1000).toLocaleString('en')} ms`;
}

const isRefused = (labels) => labels.status === '429' || labels.status.startsWith('5');

function showRates(samples, now) {
  const before = traffic.samples;
  const seconds = (now - traffic.at) / 1000;
  Object.assign(traffic, {samples, at: now});
  if (!before || total(samples, 'requests_total') < total(before, 'requests_total')) return;  // the first, or after a reset
  const rate = (name, isWanted) => (total(samples, name, isWanted) - total(before, name, isWanted)) / seconds;
  const all = rate('requests_total');
  const refused = rate('requests_total', isRefused);
  const shown = {
    'Requests/s': all.toFixed(1),
    '429/s': rate('requests_total', (labels) => labels.status === '429').toFixed(1),
    '5xx/s': rate('requests_total', (labels) => labels.status.startsWith('5')).toFixed(1),
    'MB/s in': (rate('received_bytes_total') / 1e6).toFixed(2),
    'MB/s out': (rate('sent_bytes_total') / 1e6).toFixed(2),
    'Half within': milliseconds(latencyBound(before, samples, 0.5)),
    '99 % within': milliseconds(latencyBound(before, samples, 0.99)),
    Connections: total(samples, 'connections'),
    Objects: total(samples, 'objects'),
    'MB stored': (total(samples, 'stored_bytes') / 1e6).toFixed(2),
  };
  find('rates').replaceChildren(...Object.entries(shown).map(([name, value]) =>
    make('div', {}, make('dt', {}, name), make('dd', {}, String(value)))));
  traffic.history = [...traffic.history, {all, refused}].slice(-historySeconds);
  showChart();
}

function showChart() {
  const top = Math.max(1, ...traffic.history.map((point) => point.all));
  const begin = historySeconds - traffic.history.length;
  for (const name of ['all', 'refused']) {
    const points = traffic.history.map((point, i) => `${begin + i},${(39 - (38 * point[name]) / top).toFixed(2)}`);
    find(`chart-${name}`).setAttribute('points', points.join(' '));
  }
  find('chart-top').textContent = top.toFixed(1);
}

function showRequests(requests) {
  const newest = requests.at(-1)?.number || 0;
  if (newest < traffic.last) traffic.shown = [];  // after a reset
  traffic.last = newest;
  // The same ones again: what was not finished may be now.
  const known = traffic.shown.filter((request) => !requests.length || request.number < requests[0].number);
  traffic.shown = [...known, ...requests].slice(-5 * shownRequests);
  const isWanted = (request) => !find('only-failed').checked || request.status >= 400 || request.status === 0 || request.faults;
  const rows = traffic.shown.filter(isWanted).slice(-shownRequests).reverse();
  find('request-rows').replaceChildren(...rows.map((request) => make('tr', {},
    make('td', {className: 'number wide', textContent: request.number}),
    make('td', {className: 'wide', textContent: request.start.slice(11, 23)}),
    make('td', {textContent: `${request.method} ${request.target}`}),
    make('td', {className: `number ${request.status >= 400 || request.faults ? 'bad' : ''}`, textContent: request.status || 'none'}),
    make('td', {className: 'number', textContent: (request.durationMicroseconds / 1000).toFixed(1) + (request.finished ? '' : ' …')}),
    make('td', {className: 'bad', textContent: (request.faults || []).join(', ')}))));
}

function showAnswers(samples) {
  const answers = samples.filter((sample) => sample.name === 'requests_total');
  find('answer-rows').replaceChildren(...answers.map((sample) => make('tr', {},
    make('td', {textContent: sample.labels.operation}),
    make('td', {className: `number ${isRefused(sample.labels) ? 'bad' : ''}`, textContent: sample.labels.status}),
    make('td', {className: 'number', textContent: sample.value}))));
}

async function poll() {
  const section = ['#traffic', '#settings'].find((hash) => !find(hash.slice(1)).hidden);
  if (document.hidden || !section) return;
  if (section === '#settings') {
    await showFaultCounts();
    await showClock();
    return;
  }
  if (traffic.isPaused) return;
  const samples = parseMetrics(await (await call('GET', '/_emulator/metrics')).text());
  showRates(samples, performance.now());
  showAnswers(samples);
  showRequests((await getJson(`/_emulator/journal?limit=${shownRequests}`)).requests);
}

async function keepPolling() {
  try {
    await poll();
    if (traffic.failure && find('message').textContent === traffic.failure) say('');
    traffic.failure = '';
  } catch (error) {
    say(error.message, true);
    traffic.failure = error.message;
  }
  setTimeout(keepPolling, 1000);
}

// ---- Settings

const faultExamples = {
  'One read in ten is answered 503': {rules: [{name: 'busy', match: {operation: 'storage.objects.get', probability: 0.1},
    action: {type: 'status', status: 503}}]},
  'The answer to the first attempt of each write is lost': {rules: [{name: 'lost', match: {operation: 'storage.objects.insert', attempt: 1},
    action: {type: 'loseAnswer'}}]},
  'Three 429 for lists': {rules: [{name: 'throttled', match: {operation: 'storage.objects.list'},
    action: {type: 'status', status: 429, retryAfter: '1s'}, limits: {count: 3}}]},
};

// Numbers as they are written: a seed may be larger than JavaScript's numbers.
const asWritten = (_, value, context) => (typeof value === 'number' ? context?.source ?? String(value) : value);

async function showFields(id) {
  const {counters, ...settings} = JSON.parse(await (await call('GET', `/_emulator/${id}`)).text(), asWritten);
  const fields = Object.entries(settings).map(([name, value]) =>
    make('label', {}, `${name} `, make('input', {name, value: value ?? '', autocomplete: 'off', spellcheck: false})));
  const refused = counters ? make('p', {}, `Admitted ${counters.admitted}; refused ` +
    Object.entries(counters.refused).map(([name, count]) => `${name} ${count}`).join(', ')) : '';
  find(id).replaceChildren(...fields, make('button', {textContent: `Apply ${id}`}), refused);
}

async function applyFields(id, fields) {
  const settings = [...fields].filter((field) => field.name && field.value !== '').map((field) => [field.name, field.value]);
  await call('PUT', `/_emulator/${id}`, {body: JSON.stringify(Object.fromEntries(settings))});
  await showFields(id);
  say(`Applied ${id}.`);
}

async function applyProfile(fields) {
  const body = JSON.stringify({profile: fields.profile.value});
  for (const id of ['quotas', 'shaping']) {
    await call('PUT', `/_emulator/${id}`, {body});
    await showFields(id);
  }
  say(`Applied profile ${fields.profile.value}.`);
}

function showFaults(plan) {
  traffic.planBytes = plan.length;
  const {counters = []} = JSON.parse(plan);
  find('fault-rows').replaceChildren(...counters.slice(0, 1000).map((count) => make('tr', {},
    make('td', {textContent: count.rule}), make('td', {className: 'number', textContent: count.matched}),
    make('td', {className: 'number', textContent: count.fired}))));
}

async function showFaultCounts(isAsked = false) {
  if (!isAsked && traffic.planBytes > maxPolledPlan) return;  // a large plan costs the emulator time
  showFaults(await (await call('GET', '/_emulator/faults')).text());
}

async function loadPlan(fields) {
  await call('PUT', '/_emulator/faults', {body: fields.plan.value});
  await showFaultCounts(true);
  say('Loaded the plan.');
}

async function removeFaults() {
  await call('DELETE', '/_emulator/faults');
  await showFaultCounts(true);
  say('Removed all faults.');
}

async function showClock() {
  const {now} = await getJson('/_emulator/clock');
  find('now').textContent = now;
  find('now').dateTime = now;
}

async function advanceClock(fields) {
  const seconds = Number(fields.amount.value) * Number(fields.unit.value);
  await call('PUT', '/_emulator/clock', {body: JSON.stringify({advance_s: seconds})});
  await showClock();
  say(`Advanced the clock by ${seconds} s.`);
}

async function showSnapshots() {
  const {names} = await getJson('/_emulator/snapshots');
  find('snapshots').replaceChildren(...names.map((name) => make('li', {}, `${name || '(without a name)'} `, make('button', {
    textContent: 'Restore', ariaLabel: `Restore snapshot ${name}`, onclick: () => attempt(() => restoreSnapshot(name)),
  }))));
}

async function takeSnapshot(fields) {
  const name = fields.name.value;
  await call('POST', `/_emulator/snapshot?${query({name})}`);
  await showSnapshots();
  say(`Took snapshot ${name}.`);
}

async function restoreSnapshot(name) {
  if (!confirm(`Restore snapshot ${name}? What was stored since then is lost.`)) return;
  await call('POST', `/_emulator/restore?${query({name})}`);
  say(`Restored snapshot ${name}.`);
}

async function reset() {
  if (!confirm('Remove all buckets, objects and uploads, and return to the initial settings?')) return;
  await call('POST', '/_emulator/reset');
  await closeBucket();
  await showSettings();
  say('Removed everything.');
}

async function showSettings() {
  for (const id of ['quotas', 'shaping']) find(id).replaceChildren();  // so that no user changes what is replaced soon
  await showFields('quotas');
  await showFields('shaping');
  await showFaultCounts(true);
  await showClock();
  await showSnapshots();
}

async function setTokens(fields) {
  tokens.admin = fields.admin.value;
  tokens.storage = fields.storage.value;
  await showSettings();
  say('These tokens are used from now on.');
}

// ---- Start

onClick('buckets-first', () => listBuckets());
onClick('buckets-next', () => listBuckets(view.bucketToken));
onClick('objects-first', () => listObjects());
onClick('objects-next', () => listObjects(view.objectToken));
onClick('object-download', download);
onClick('object-delete', deleteObject);
onClick('object-close', () => {
  closeObject();
  find('search').elements.prefix.focus();
});
onClick('pause', () => {
  traffic.isPaused = !traffic.isPaused;
  find('pause').setAttribute('aria-pressed', String(traffic.isPaused));
});
onClick('faults-remove', removeFaults);
onClick('reset', reset);
onSubmit('make-bucket', makeBucket);
onSubmit('upload', upload);
onSubmit('search', (fields) => {
  view.prefix = fields.prefix.value;
  return listObjects();
});
onSubmit('profile-form', applyProfile);
onSubmit('quotas', (fields) => applyFields('quotas', fields));
onSubmit('shaping', (fields) => applyFields('shaping', fields));
onSubmit('faults', loadPlan);
onSubmit('clock', advanceClock);
onSubmit('snapshot', takeSnapshot);
onSubmit('tokens', setTokens);
find('fault-example').append(...Object.keys(faultExamples).map((name) => make('option', {}, name)));
find('fault-example').addEventListener('change', (event) => {
  const plan = faultExamples[event.target.value];
  if (plan) find('faults').elements.plan.value = JSON.stringify(plan, null, 2);
});
find('fault-file').addEventListener('change', (event) => attempt(async () => {
  find('faults').elements.plan.value = await event.target.files[0].text();
}));
addEventListener('hashchange', showSection);
showSection();
keepPolling();
