import { preferenceApplied } from '../conventions/prefer.ts';
import { admitParameters, dryRun, plainRule, writeRule } from '../plan/parameters.ts';
import type { Remembered } from '../plan/plan.ts';
import { appliedHeaders, commonHeaders, uncachedAnswer } from './answer.ts';
import { runAtomic } from './batch-atomic.ts';
import { type Batch, readBatch } from './batch-body.ts';
import { runEach } from './batch-each.ts';
import {
  batchAddress,
  batchName,
  batchNotFound,
  type BatchRecord,
  rememberedBatch,
  showBatch,
} from './batch-record.ts';
import type { BatchRun } from './batch-run.ts';
import { type Body, readBody } from './body.ts';
import { writeDocument } from './encode.ts';
import type { Answer } from './exchange.ts';
import { bytesOf, keyName, once, requestDigest } from './idempotency.ts';
import type { Negotiated } from './negotiate.ts';
import { conditional, plainTarget } from './read-answer.ts';
import type { Surroundings } from './surroundings.ts';
import { textTag } from './tags.ts';

/** A batch is no resource of the model: its body is read as JSON alone. */
const SHAPE = { resource: { singular: 'batch' }, bodyType: { kind: 'object', members: [] } } as const;

/** POST to the batches (MET-13): several writes, all or none of them where the batch is atomic, else each by itself, in order. */
export async function answerBatch(request: Negotiated, surroundings: Surroundings): Promise<Answer> {
  const { model } = surroundings.compiled;
  const dry = dryRun(admitParameters(request.parameters, writeRule, request.preferences.handling === 'lenient'));
  const key = dry ? null : keyName(request, false, surroundings);
  const body = await readBody(request, SHAPE, model.limits);
  const asked = key === null ? null : { name: key, request: requestDigest(request, bytesOf(body), surroundings) };
  const run = (): Promise<BatchRecord | 'remembered'> =>
    runBatch({ request, batch: batchIn(body, request, surroundings), asked, dry }, surroundings);
  const { outcome, replayed } =
    asked === null
      ? { outcome: await run(), replayed: false }
      : await once(asked, run, (memo) => batchUnder(memo, surroundings), surroundings);
  if (outcome === 'remembered') throw new Error('a batch without a key was remembered');
  return tellBatch(outcome, request, { replayed, dry }, surroundings);
}

/** GET of a batch: readable by its caller for a day (MET-13). */
export async function readBatchRecord(id: string, request: Negotiated, surroundings: Surroundings): Promise<Answer> {
  admitParameters(request.parameters, plainRule, request.preferences.handling === 'lenient');
  const { store, now } = surroundings;
  const memo = await store.resources.remembered(batchName(id, request), now());
  if (memo === null) throw batchNotFound();
  const text = writeDocument('json', 'batch', showBatch(rememberedBatch(memo), request, false, surroundings));
  const etag = textTag(request, text, surroundings);
  return conditional(request, plainTarget(etag), surroundings, {
    links: [],
    body: () => text,
  });
}

function batchIn(body: Body, { preferences }: Negotiated, { compiled }: Surroundings): Batch {
  if (body.kind === 'faulty') throw body.error;
  return readBatch(body.json, compiled.model.system.batches, preferences.handling === 'lenient');
}

/** The batch that a key stands for. Both are kept equally long. */
async function batchUnder({ outcome }: Remembered, { store, now }: Surroundings): Promise<BatchRecord> {
  const name: string = JSON.parse(outcome);
  const memo = await store.resources.remembered(name, now());
  if (memo === null) throw batchNotFound();
  return rememberedBatch(memo);
}

function runBatch(run: BatchRun, surroundings: Surroundings): Promise<BatchRecord | 'remembered'> {
  return run.batch.atomic ? runAtomic(run, surroundings) : runEach(run, surroundings);
}

function tellBatch(
  record: BatchRecord,
  request: Negotiated,
  { replayed, dry }: { readonly replayed: boolean; readonly dry: boolean },
  surroundings: Surroundings,
): Answer {
  const address = batchAddress(record.id, request, surroundings);
  const minimal = request.preferences.return === 'minimal' && !dry;
  const headers = [
    ...commonHeaders(request.exchange, surroundings.version),
    ...(replayed ? ['Idempotent-Replayed', 'true'] : []),
    ...(dry ? ['Dry-Run', 'true'] : ['Location', address]),
  ];
  if (minimal) {
    const applied = ['Preference-Applied', preferenceApplied(['return=minimal']) ?? ''];
    return uncachedAnswer(201, [...headers, ...applied], null);
  }
  const text = writeDocument('json', 'batch', showBatch(record, request, dry, surroundings));
  const place = dry ? [] : ['Content-Location', address, 'ETag', textTag(request, text, surroundings)];
  return uncachedAnswer(
    dry ? 200 : 201,
    [...headers, 'Content-Type', request.offer.contentType, ...place, ...appliedHeaders(request)],
    text,
  );
}
