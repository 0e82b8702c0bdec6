// Google's Node.js client against gcsflux-emulator: node --test client_test.mjs, with EMULATOR naming the program.

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createHash, randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {pipeline} from 'node:stream/promises';
import {Readable} from 'node:stream';
import {after, before, test} from 'node:test';
import {Storage} from '@google-cloud/storage';

const KIB = 1024;
let emulator;
let endpoint;
let storage;
let bucket;

before(async () => {
  emulator = spawn(process.env.EMULATOR, ['--port=0'], {stdio: ['ignore', 'pipe', 'inherit']});
  const [line] = await once(createInterface({input: emulator.stdout}), 'line');
  endpoint = line.split(' ').at(-1);
  storage = new Storage({
    apiEndpoint: endpoint,
    projectId: 'test',
    useAuthWithCustomEndpoint: false,
    retryOptions: {autoRetry: false},  // which could hide a failure
  });
  [bucket] = await storage.createBucket('node-bucket');
});

after(async () => {
  emulator.kill('SIGTERM');
  const [status] = await once(emulator, 'exit');
  assert.equal(status, 0);
});

async function names(promise) {
  const [items] = await promise;
  return items.map((item) => item.name);
}

async function save(name, content = name, options = {}) {
  const file = bucket.file(name);
  await file.save(content, {resumable: false, ...options});
  return file;
}

const fails = (code) => (error) => error.code === code;

async function journal(object) {
  const response = await fetch(`${endpoint}/_emulator/journal`);
  const {requests} = await response.json();
  return requests.filter((request) => request.object === object);
}

test('buckets', async () => {
  const [created] = await storage.createBucket('another-bucket', {location: 'EU'});
  assert.deepEqual(await created.exists(), [true]);
  const [metadata] = await created.getMetadata();
  assert.equal(metadata.location, 'EU');
  assert.equal(metadata.storageClass, 'STANDARD');
  assert.deepEqual(await names(storage.getBuckets({prefix: 'another'})), ['another-bucket']);
  await assert.rejects(storage.createBucket('another-bucket'), fails(409));
  await created.delete();
  assert.deepEqual(await created.exists(), [false]);
  await assert.rejects(bucket.upload('/dev/null', {destination: 'x'}).then(() => bucket.delete()), fails(409));
  await bucket.file('x').delete();
});

test('a simple upload, checked by its hash', async () => {
  const content = randomBytes(100 * KIB);
  for (const validation of ['crc32c', 'md5']) {
    const file = await save(`simple-${validation}`, content, {validation, contentType: 'image/png'});
    assert.equal(file.metadata.contentType, 'image/png');
    assert.equal(Number(file.metadata.size), content.length);
    assert.equal(file.metadata.md5Hash, createHash('md5').update(content).digest('base64'));
    const [downloaded] = await file.download({validation});
    assert.ok(downloaded.equals(content));
  }
});

test('names that have to be encoded', async () => {
  for (const name of ['a b', 'a/b//c', 'a%2Fb', 'ü?&=#+', '100%', "it's"]) {
    const file = await save(name);
    assert.equal(String(await file.download()), name);
    assert.equal((await file.getMetadata())[0].name, name);
    await file.delete();
  }
});

test('a resumable upload in chunks', async () => {
  const content = randomBytes(1000 * KIB + 17);
  const file = bucket.file('resumable');
  await file.save(content, {resumable: true, chunkSize: 256 * KIB, validation: 'crc32c'});
  assert.ok((await file.download())[0].equals(content));
  const phases = (await journal('resumable')).map((request) => request.phase ?? request.operation);
  assert.deepEqual(phases.slice(0, 5), ['start', 'chunk', 'chunk', 'chunk', 'final']);
});

test('a resumable upload of a stream of unknown length', async () => {
  const content = randomBytes(700 * KIB);
  const file = bucket.file('streamed');
  const pieces = Readable.from([content.subarray(0, 300 * KIB), content.subarray(300 * KIB)]);
  await pipeline(pieces, file.createWriteStream({resumable: true}));
  assert.ok((await file.download())[0].equals(content));
});

test('a resumable upload that was interrupted goes on where it was', async () => {
  const content = randomBytes(600 * KIB);
  const file = bucket.file('interrupted');
  const [uri] = await file.createResumableUpload({metadata: {contentType: 'text/x-test'}});
  const begun = await fetch(uri, {
    method: 'PUT',
    headers: {'Content-Range': `bytes 0-${256 * KIB - 1}/*`},
    body: content.subarray(0, 256 * KIB),
  });
  assert.equal(begun.status, 308);
  const rest = Readable.from([content.subarray(256 * KIB)]);
  await pipeline(rest, file.createWriteStream({uri, offset: 256 * KIB, isPartialUpload: false, validation: false}));
  assert.ok((await file.download())[0].equals(content));
  assert.equal((await file.getMetadata())[0].contentType, 'text/x-test');
});

test('listing, in pages and by prefix', async () => {
  const all = ['list/a/1', 'list/a/2', 'list/b/1', 'list/c', 'list/d'];
  await Promise.all(all.map((name) => save(name)));
  assert.deepEqual(await names(bucket.getFiles({prefix: 'list/'})), all);
  const seen = [];
  let pages = 0;
  for (let query = {prefix: 'list/', maxResults: 2, autoPaginate: false}; query; ++pages) {
    const [files, next] = await bucket.getFiles(query);
    seen.push(...files.map((file) => file.name));
    query = next;
  }
  assert.deepEqual(seen, all);
  assert.equal(pages, 3);
  const [files, , answer] = await bucket.getFiles({prefix: 'list/', delimiter: '/', autoPaginate: false});
  assert.deepEqual(files.map((file) => file.name), ['list/c', 'list/d']);
  assert.deepEqual(answer.prefixes, ['list/a/', 'list/b/']);
  const streamed = [];
  for await (const file of bucket.getFilesStream({prefix: 'list/a'})) streamed.push(file.name);
  assert.deepEqual(streamed, ['list/a/1', 'list/a/2']);
  const offsets = {startOffset: 'list/b', endOffset: 'list/d'};
  assert.deepEqual(await names(bucket.getFiles(offsets)), ['list/b/1', 'list/c']);
});

test('a download of a range', async () => {
  const content = randomBytes(300 * KIB);
  const file = await save('ranges', content);
  assert.ok((await file.download({start: 10, end: 19}))[0].equals(content.subarray(10, 20)));
  assert.ok((await file.download({start: 299 * KIB}))[0].equals(content.subarray(299 * KIB)));
  assert.ok((await file.download({end: -5}))[0].equals(content.subarray(-5)));
  await assert.rejects(file.download({start: 300 * KIB}), fails(416));
});

test('compose', async () => {
  const parts = await Promise.all(['one', 'two', 'three'].map((name) => save(`part-${name}`, name)));
  const [whole] = await bucket.combine(parts, 'composed');
  assert.equal(String(await whole.download({validation: 'crc32c'})), 'onetwothree');
  const [metadata] = await whole.getMetadata();
  assert.equal(metadata.componentCount, 3);
  assert.equal(metadata.md5Hash, undefined);
});

test('copy and move, which rewrite', async () => {
  const [other] = await storage.createBucket('copies');
  const source = await save('original', 'content', {metadata: {contentType: 'text/x-test', metadata: {key: 'value'}}});
  const [copy] = await source.copy(other.file('copy'));
  assert.equal(String(await copy.download()), 'content');
  const [metadata] = await copy.getMetadata();
  assert.equal(metadata.contentType, 'text/x-test');
  assert.deepEqual(metadata.metadata, {key: 'value'});
  const [changed] = await source.copy(other.file('changed'), {contentType: 'text/plain'});
  assert.equal((await changed.getMetadata())[0].contentType, 'text/plain');
  const [moved] = await source.move('moved');
  assert.equal(String(await moved.download()), 'content');
  assert.deepEqual(await source.exists(), [false]);
  await assert.rejects(source.copy(other.file('nothing')), fails(404));
  await other.deleteFiles();
  await other.delete();
});

test('the copy method itself, which rewrite has replaced', async () => {
  await save('copied', 'content');
  const target = 'storage/v1/b/node-bucket/o/copied/copyTo/b/node-bucket/o/copied%2Fto';
  const response = await fetch(`${endpoint}/${target}`, {method: 'POST'});
  assert.equal(response.status, 200);
  assert.equal(String(await bucket.file('copied/to').download()), 'content');
});

test('metadata', async () => {
  const file = await save('described', 'content', {metadata: {metadata: {kept: '1', dropped: '2'}}});
  const {generation} = file.metadata;
  await file.setMetadata({
    contentType: 'text/x-test',
    cacheControl: 'no-store',
    contentLanguage: 'de',
    contentDisposition: 'attachment',
    metadata: {dropped: null, added: '3'},
  });
  const [metadata] = await file.getMetadata();
  assert.equal(metadata.contentType, 'text/x-test');
  assert.equal(metadata.cacheControl, 'no-store');
  assert.equal(metadata.contentLanguage, 'de');
  assert.equal(metadata.contentDisposition, 'attachment');
  assert.deepEqual(metadata.metadata, {kept: '1', added: '3'});
  assert.equal(metadata.generation, generation);
  assert.equal(Number(metadata.metageneration), 2);
});

test('preconditions', async () => {
  const file = bucket.file('guarded');
  const created = {preconditionOpts: {ifGenerationMatch: 0}};
  for (const resumable of [false, true]) {
    await file.save('first', {resumable, ...created});
    await assert.rejects(file.save('second', {resumable, ...created}), fails(412));
    assert.equal(String(await file.download()), 'first');
    await file.delete();
  }
  await file.save('first', {resumable: false});
  const [{generation, metageneration}] = await file.getMetadata();
  await assert.rejects(file.setMetadata({contentType: 'a/b'}, {ifMetagenerationMatch: 99}), fails(412));
  await file.setMetadata({contentType: 'a/b'}, {ifMetagenerationMatch: metageneration});
  await assert.rejects(file.delete({ifGenerationMatch: 1}), fails(412));
  await file.save('second', {resumable: false, preconditionOpts: {ifGenerationMatch: generation}});
  const old = bucket.file('guarded', {generation});
  await assert.rejects(old.download(), fails(404));
  await file.delete({ifGenerationMatch: (await file.getMetadata())[0].generation});
  assert.deepEqual(await file.exists(), [false]);
});

test('versions of an object', async () => {
  const [versioned] = await storage.createBucket('versioned', {versioning: {enabled: true}});
  const file = versioned.file('file');
  for (const content of ['first', 'second']) await file.save(content, {resumable: false});
  await file.delete();
  assert.deepEqual(await names(versioned.getFiles()), []);
  const [versions] = await versioned.getFiles({versions: true});
  const contents = await Promise.all(versions.map((version) => version.download()));
  assert.deepEqual(contents.map(String), ['first', 'second']);
  await versioned.deleteFiles({versions: true});
  await versioned.delete();
});

test('an object under a key of the customer', async () => {
  const key = randomBytes(32);
  const file = bucket.file('encrypted', {encryptionKey: key});
  await file.save('secret', {resumable: false});
  assert.equal(String(await file.download()), 'secret');
  await assert.rejects(bucket.file('encrypted').download(), fails(400));
  await assert.rejects(bucket.file('encrypted', {encryptionKey: randomBytes(32)}).download(), fails(400));
  const [{customerEncryption}] = await file.getMetadata();
  assert.equal(customerEncryption.keySha256, createHash('sha256').update(key).digest('base64'));
  const [copy] = await file.copy('encrypted-copy');
  copy.setEncryptionKey(key);  // the client copies under the source's key, and does not tell the copy
  assert.equal(String(await copy.download()), 'secret');
});

test('what a bucket is set to', async () => {
  const [created] = await storage.createBucket('settings');
  await created.setLabels({team: 'a', stage: 'test'});
  await created.setMetadata({labels: {stage: null}});
  assert.deepEqual(await created.getLabels(), [{team: 'a'}]);
  await created.addLifecycleRule({action: {type: 'Delete'}, condition: {age: 30}});
  await created.setCorsConfiguration([{method: ['GET'], origin: ['*'], maxAgeSeconds: 60}]);
  const [metadata] = await created.getMetadata();
  assert.equal(metadata.lifecycle.rule[0].condition.age, 30);
  assert.equal(metadata.cors[0].maxAgeSeconds, 60);
  const granted = await created.iam.testPermissions(['storage.objects.get', 'storage.objects.create']);
  assert.deepEqual(granted[0], {'storage.objects.get': true, 'storage.objects.create': true});
  await created.delete();
});

test('deletion', async () => {
  const file = await save('gone/1');
  await save('gone/2');
  await save('gone/3');
  await file.delete();
  await assert.rejects(file.delete(), fails(404));
  await file.delete({ignoreNotFound: true});
  await assert.rejects(file.download(), fails(404));
  await bucket.deleteFiles({prefix: 'gone/'});
  assert.deepEqual(await names(bucket.getFiles({prefix: 'gone/'})), []);
});

test('the journal tells calls apart', async () => {
  const file = await save('journaled');
  await file.getMetadata();
  const [insert, get] = await journal('journaled');
  assert.equal(insert.operation, 'storage.objects.insert');
  assert.equal(get.operation, 'storage.objects.get');
  for (const {invocationId} of [insert, get]) assert.match(invocationId, /^[0-9a-f-]{36}$/);
  assert.notEqual(insert.invocationId, get.invocationId);
});
