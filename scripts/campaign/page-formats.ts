import { type Json, toList, member, parseJson, toText } from './client.ts';
import type { Session } from './session.ts';

/** Reads one page in the formats of collections, and compares it with JSON. */
export async function readPage(session: Session): Promise<void> {
  const { random, rows } = session;
  const collection = rows.anyCollection(random);
  if (collection === null) return;
  const target = `${collection.path}?limit=${random.integer(1, 20)}`;
  const json = await session.send({ method: 'GET', target });
  const data = toList(member(json.body, 'data'));
  const accept = random.pick(['application/x-ndjson', 'text/csv', 'application/xml', 'text/plain']);
  const other = await session.send({ method: 'GET', target, headers: { Accept: accept } });
  session.equal(other.status, 200, `[NEG-1] ${accept}`);
  session.equal(other.headers['link'], json.headers['link'], '[NEG-1] Link in every format');
  const cached = await session.send({
    method: 'GET',
    target,
    headers: { 'If-None-Match': json.headers['etag'] ?? '' },
  });
  session.equal(cached.status, 304, '[CACHE-2] a collection that did not change');
  if (accept === 'application/x-ndjson') {
    const lines = other.text.split('\n').filter((line) => line !== '');
    session.equal(
      lines.map((line): Json => parseJson(line)),
      data,
      '[NEG-1] NDJSON has one page',
    );
  }
  if (accept === 'text/csv') {
    session.check(other.text.startsWith('id,'), '[NEG-1] CSV has a header');
    const ids = data.map((item) => toText(member(item, 'id')));
    session.check(
      ids.every((id) => other.text.includes(id.replaceAll('"', '""'))),
      '[NEG-1] CSV has one page',
    );
  }
}
