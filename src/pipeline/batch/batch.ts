import { preferenceApplied } from '../../conventions/prefer.ts';
import { admitParameters, isDryRun, commonParameterRule, writeParameterRule } from '../../plan/parameters.ts';
import type { StoredIdempotencyRecord } from '../../plan/plan.ts';
import { appliedPreferences, commonHeaders, uncachedResponse } from '../represent/response.ts';
import { runAtomic } from './atomic.ts';
import { type Batch, readBatch } from './batch-body.ts';
import { runEach } from './independent.ts';
import {
  batchAddress,
  batchName,
  batchNotFound,
  type BatchRecord,
  recordedBatch,
  batchDocument,
} from './batch-record.ts';
import type { BatchRun } from './batch-run.ts';
import { type ParsedBody, parseBody } from '../write/parsed-body.ts';
import { writeDocument } from '../represent/encode.ts';
import type { ApiResponse } from '../exchange.ts';
import { bytesOf, recordName, runOnce, requestDigest } from '../write/idempotency.ts';
import type { Negotiated } from '../negotiate.ts';
import { conditionalResponse, plainTarget } from '../represent/conditional-response.ts';
import type { Surroundings } from '../surroundings.ts';
import { contentETag } from '../represent/etags.ts';

/** A batch is no resource of the model: its body is read as JSON alone. */
const SHAPE = { resource: { singular: 'batch' }, bodyType: { kind: 'object', members: [] } } as const;

/** POST to the batches (MET-13): several writes, all or none of them where the batch is atomic, else each by itself, in order. */
export async function answerBatch(request: Negotiated, surroundings: Surroundings): Promise<ApiResponse> {
  const { model } = surroundings.compiled;
  const dry = isDryRun(
    admitParameters(request.parameters, writeParameterRule, request.preferences.handling === 'lenient'),
  );
  const key = dry ? null : recordName(request, false, surroundings);
  const body = await parseBody(request, SHAPE, model.limits);
  const asked = key === null ? null : { name: key, request: requestDigest(request, bytesOf(body), surroundings) };
  const run = (): Promise<BatchRecord | 'recorded'> =>
    runBatch({ request, batch: batchIn(body, request, surroundings), asked, dry }, surroundings);
  const { outcome, replayed } =
    asked === null
      ? { outcome: await run(), replayed: false }
      : await runOnce(asked, run, (memo) => batchUnder(memo, surroundings), surroundings);
  if (outcome === 'recorded') throw new Error('a batch without a key was remembered');
  return tellBatch(outcome, request, { replayed, dry }, surroundings);
}

/** GET of a batch: readable by its caller for a day (MET-13). */
export async function readBatchRecord(
  id: string,
  request: Negotiated,
  surroundings: Surroundings,
): Promise<ApiResponse> {
  admitParameters(request.parameters, commonParameterRule, request.preferences.handling === 'lenient');
  const { store, now } = surroundings;
  const memo = await store.idempotencyRecords.find(batchName(id, request), now());
  if (memo === null) throw batchNotFound();
  const text = writeDocument('json', 'batch', batchDocument(recordedBatch(memo), request, false, surroundings));
  const etag = contentETag(request, text, surroundings);
  return conditionalResponse(request, plainTarget(etag), surroundings, {
    links: [],
    body: () => text,
  });
}

function batchIn(body: ParsedBody, { preferences }: Negotiated, { compiled }: Surroundings): Batch {
  if (body.kind === 'faulty') throw body.error;
  return readBatch(body.json, compiled.model.system.batches, preferences.handling === 'lenient');
}

/** The batch that a key stands for. Both are kept equally long. */
async function batchUnder({ outcome }: StoredIdempotencyRecord, { store, now }: Surroundings): Promise<BatchRecord> {
  const name: string = JSON.parse(outcome);
  const memo = await store.idempotencyRecords.find(name, now());
  if (memo === null) throw batchNotFound();
  return recordedBatch(memo);
}

function runBatch(run: BatchRun, surroundings: Surroundings): Promise<BatchRecord | 'recorded'> {
  return run.batch.atomic ? runAtomic(run, surroundings) : runEach(run, surroundings);
}

function tellBatch(
  record: BatchRecord,
  request: Negotiated,
  { replayed, dry }: { readonly replayed: boolean; readonly dry: boolean },
  surroundings: Surroundings,
): ApiResponse {
  const address = batchAddress(record.id, request, surroundings);
  const minimal = request.preferences.return === 'minimal' && !dry;
  const headers = [
    ...commonHeaders(request.exchange, surroundings.version),
    ...(replayed ? ['Idempotent-Replayed', 'true'] : []),
    ...(dry ? ['Dry-Run', 'true'] : ['Location', address]),
  ];
  if (minimal) {
    const applied = ['Preference-Applied', preferenceApplied(['return=minimal']) ?? ''];
    return uncachedResponse(201, [...headers, ...applied], null);
  }
  const text = writeDocument('json', 'batch', batchDocument(record, request, dry, surroundings));
  const place = dry ? [] : ['Content-Location', address, 'ETag', contentETag(request, text, surroundings)];
  return uncachedResponse(
    dry ? 200 : 201,
    [...headers, 'Content-Type', request.offer.contentType, ...place, ...appliedPreferences(request)],
    text,
  );
}
