import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Coding } from '../../../src/conventions/content-coding.ts';
import { Compressor } from '../../../src/pipeline/represent/content-encoding.ts';

const FIRST = 'a'.repeat(5_000);
const SECOND = 'b'.repeat(5_000);

interface Asked {
  readonly method?: string;
  readonly target?: string;
  readonly coding?: Coding;
}

async function bytesOf(
  compressor: Compressor,
  body: string,
  { method = 'GET', target = '/notes', coding = 'gzip' }: Asked = {},
): Promise<Uint8Array> {
  const request = { method, target, headers: [] };
  const answer = await compressor.compressed({ status: 200, headers: [], body }, { request, coding });
  assert.ok(answer.body instanceof Uint8Array);
  return answer.body;
}

describe('an answer that is compressed', () => {
  it('[NEG-7] is compressed no more once it was told twice', async () => {
    const compressor = new Compressor();
    await bytesOf(compressor, FIRST);
    await bytesOf(compressor, FIRST);
    const kept = await bytesOf(compressor, FIRST);
    assert.equal(await bytesOf(compressor, FIRST), kept);
    assert.equal(await bytesOf(compressor, FIRST, { method: 'HEAD' }), kept);
  });

  it('[NEG-7] is compressed anew, to the same bytes, once what is kept was forgotten', async () => {
    const compressor = new Compressor();
    await bytesOf(compressor, FIRST);
    await bytesOf(compressor, FIRST);
    const kept = await bytesOf(compressor, FIRST);
    compressor.clear();
    const anew = await bytesOf(compressor, FIRST);
    assert.notEqual(anew, kept);
    assert.deepEqual(Buffer.from(anew), Buffer.from(kept));
  });

  it('[NEG-7] is kept by itself, without the room that it was made in', async () => {
    const compressor = new Compressor();
    await bytesOf(compressor, FIRST);
    await bytesOf(compressor, FIRST);
    const kept = await bytesOf(compressor, FIRST);
    assert.equal(kept.buffer.byteLength, kept.length);
  });

  it('[NEG-7] [CACHE-1] is never the one of another text, target or coding', async () => {
    const compressor = new Compressor();
    for (let round = 0; round < 3; round += 1) {
      for (const text of [FIRST, SECOND]) {
        assert.equal(gunzipSync(await bytesOf(compressor, text)).toString(), text);
        assert.equal(gunzipSync(await bytesOf(compressor, text, { target: '/notes?limit=1' })).toString(), text);
        assert.notDeepEqual(await bytesOf(compressor, text, { coding: 'zstd' }), await bytesOf(compressor, text));
      }
    }
  });

  it('[NEG-7] is not kept where its target does not say what it is', async () => {
    const compressor = new Compressor();
    await bytesOf(compressor, FIRST, { method: 'POST' });
    const second = await bytesOf(compressor, FIRST, { method: 'POST' });
    assert.notEqual(await bytesOf(compressor, FIRST, { method: 'POST' }), second);
  });
});
