import { ApiError, errorBody, type ErrorDetail, refusal } from '../conventions/errors.ts';
import { preferenceApplied } from '../conventions/prefer.ts';
import { timestamp } from '../conventions/timestamp.ts';
import { admitParameters, dryRun, plainRule, writeRule } from '../plan/parameters.ts';
import type { Memo, Remembered } from '../plan/plan.ts';
import { appliedHeaders, commonHeaders, uncachedAnswer } from './answer.ts';
import { type Batch, type BatchOperation, readBatch } from './batch-body.ts';
import {
  batchAddress,
  batchName,
  batchNotFound,
  type BatchRecord,
  drawnBatch,
  type OperationResult,
  rememberedBatch,
  showBatch,
} from './batch-record.ts';
import { type Body, readBody } from './body.ts';
import type { Effect } from './effect.ts';
import { writeDocument } from './encode.ts';
import type { Answer } from './exchange.ts';
import { bytesOf, keyName, once, type Once, REMEMBERED_FOR, requestDigest } from './idempotency.ts';
import type { Negotiated } from './negotiate.ts';
import { writeOf } from './operation.ts';
import { conditional, plainTarget } from './read-answer.ts';
import { asApiError } from './refuse.ts';
import { MAX_ATTEMPTS, mayWinNextTime, writeUnit } from './settle.ts';
import { settleOnce } from './settle-once.ts';
import { StagedRows } from './staged-rows.ts';
import { subRequest } from './sub-request.ts';
import type { Surroundings } from './surroundings.ts';
import { textTag } from './tags.ts';
import type { Operation, Prepared } from './write.ts';
import { writeRefusal } from './write-refusal.ts';

/** What the body of an operation, which stands in JSON itself, can be. */
const JSON_BODIES: ReadonlySet<string> = new Set(['json', 'merge-patch', 'json-patch']);

/** How much the results of a batch may hold, as a multiple of a body: they are kept for a day and told whole. */
const RESULTS = 16;

/** A batch is no resource of the model: its body is read as JSON alone. */
const SHAPE = { resource: { singular: 'batch' }, bodyType: { kind: 'object', members: [] } } as const;

/** A batch on its way, and what of it is remembered. */
interface BatchRun {
  readonly request: Negotiated;
  readonly batch: Batch;
  /** The key of the whole; null where it has none. */
  readonly asked: Once | null;
  readonly dry: boolean;
}

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

/** What an atomic batch stages for one of its operations. */
interface Step extends Prepared {
  readonly operation: Operation;
  /** Index of its first plan in the unit. */
  readonly first: number;
}

/** All operations in one transaction, each worked out against what those before it would leave. */
async function runAtomic(run: BatchRun, surroundings: Surroundings): Promise<BatchRecord | 'remembered'> {
  const { request, dry } = run;
  for (let attempts = 1; ; attempts++) {
    const staged = new StagedRows(surroundings.rows, surroundings.compiled.model);
    const steps = await stageAll(run, staged, surroundings);
    const record = recordOf(run, steps.map(doneResult), surroundings);
    const memos = dry ? [] : memosOf(record, run, surroundings);
    const outcome = await writeUnit({ plans: staged.plans, memos, dry }, request.exchange.startedAt, surroundings);
    if (outcome.kind === 'committed') return drawnBatch(record, outcome.revisions);
    if (outcome.kind === 'remembered') return 'remembered';
    const failed = 'plan' in outcome ? steps.findLastIndex(({ first }) => first <= outcome.plan) : 0;
    const step = steps[failed];
    if (step === undefined || !mayWinNextTime(outcome, step.operation) || attempts === MAX_ATTEMPTS) {
      const { resource } = step?.operation.compiled ?? { resource: null };
      if (resource === null) throw new Error(`a batch without operations was refused: ${outcome.kind}`);
      throw inOperation(failed, writeRefusal(outcome, resource, surroundings));
    }
  }
}

async function stageAll(run: BatchRun, staged: StagedRows, surroundings: Surroundings): Promise<readonly Step[]> {
  const steps: Step[] = [];
  let held = 0;
  for (const [index, asked] of run.batch.operations.entries()) {
    try {
      const { operation, body } = await readOperation(asked, run, surroundings);
      const first = staged.plans.length;
      const prepared = await operation.prepare(body, first, { ...surroundings, rows: staged });
      held += sizeOf(prepared.effect);
      if (held > resultsLimit(surroundings)) throw tooMuch();
      await staged.stage(prepared.plans);
      steps.push({ ...prepared, operation, first });
    } catch (error) {
      throw inOperation(index, error);
    }
  }
  return steps;
}

/** Each operation by itself: one that fails stops no other. Under a key, each is done once, also where the batch broke off in the middle. */
async function runEach(run: BatchRun, surroundings: Surroundings): Promise<BatchRecord | 'remembered'> {
  const { request, batch, asked, dry } = run;
  const results: OperationResult[] = [];
  let held = 0;
  for (const [index, each] of batch.operations.entries()) {
    const key = asked === null ? null : `${asked.name}:${index}`;
    const result = await runOne(each, key, held, run, surroundings);
    held += result.kind === 'done' ? sizeOf(result.effect) : 0;
    results.push(result);
  }
  const record = recordOf(run, results, surroundings);
  if (dry) return record;
  const unit = { plans: [], memos: memosOf(record, run, surroundings) };
  const outcome = await writeUnit(unit, surroundings.now(), surroundings);
  if (outcome.kind === 'remembered') return 'remembered';
  if (outcome.kind !== 'committed') throw refusal('SERVER_TIMEOUT', `The batch ${request.method} took too long.`);
  return record;
}

async function runOne(
  asked: BatchOperation,
  key: string | null,
  held: number,
  run: BatchRun,
  surroundings: Surroundings,
): Promise<OperationResult> {
  const { correlationId } = run.request.exchange;
  try {
    if (held > resultsLimit(surroundings)) throw tooMuch();
    const { operation, body } = await readOperation(asked, run, surroundings);
    const settling = { body, dry: run.dry, since: surroundings.now() };
    const { outcome, replayed } = await settleOnce(key, operation, settling, surroundings);
    return { ...doneResult({ operation, effect: outcome }), replayed };
  } catch (failure) {
    const error = asApiError(failure);
    if (error.status === 500) surroundings.observe({ kind: 'fault', correlationId, error: failure });
    const body = errorBody(error, correlationId, timestamp(surroundings.now()));
    return { kind: 'failed', error: body, headers: error.headers };
  }
}

/** An operation as the write that it asks for, and its body. @throws {ApiError} what it would get alone */
async function readOperation(
  asked: BatchOperation,
  { request, asked: key }: BatchRun,
  surroundings: Surroundings,
): Promise<{ readonly operation: Operation; readonly body: Body | null }> {
  const alone = subRequest(asked, request, surroundings);
  if (alone.bodyType !== null && !JSON_BODIES.has(alone.bodyType.kind)) {
    throw refusal(
      'REQUEST_MEDIA_TYPE_UNSUPPORTED',
      'The body of an operation is JSON; send other types by themselves.',
    );
  }
  const write = writeOf(alone);
  if (write === null) throw new Error(`${asked.method} ${asked.path} is no write`);
  if (write.dry) {
    throw refusal('REQUEST_PARAMETER_INVALID', 'Send dry_run with the batch, not with an operation of it.', {
      details: [{ field: 'dry_run', message: 'holds for the whole batch' }],
    });
  }
  const { operation } = write;
  const { compiled, takesBody } = operation;
  const mayLackKey =
    asked.method === 'PUT' || asked.method === 'DELETE' || compiled.resource.idempotency === 'optional';
  if (!mayLackKey && key === null) keyName(alone, true, surroundings);
  const body = takesBody ? await readBody(alone, compiled, surroundings.compiled.model.limits) : null;
  return { operation, body };
}

function sizeOf(effect: Effect): number {
  return JSON.stringify(effect).length;
}

function resultsLimit({ compiled }: Surroundings): number {
  return RESULTS * compiled.model.limits.body;
}

function tooMuch(): ApiError {
  const message =
    'The results of the batch are too large to be told together; send these operations in several batches.';
  return refusal('REQUEST_BODY_TOO_LARGE', message);
}

function doneResult({ operation, effect }: Pick<Step, 'operation' | 'effect'>): OperationResult & { kind: 'done' } {
  const { method, preferences } = operation.request;
  return { kind: 'done', method, preferences, replayed: false, effect };
}

function recordOf({ batch }: BatchRun, results: readonly OperationResult[], { uuid, now }: Surroundings): BatchRecord {
  return { id: uuid(), atomic: batch.atomic, at: timestamp(now()), results };
}

/** What is remembered of a batch: under its id; under the key of its request, where it has one, only where that is. */
function memosOf(record: BatchRecord, { request, asked }: BatchRun, { now }: Surroundings): readonly Memo[] {
  const expiresAt = now() + REMEMBERED_FOR;
  const name = batchName(record.id, request);
  const own = { name, request: asked?.request ?? '', outcome: JSON.stringify(record), expiresAt };
  return asked === null ? [own] : [own, { ...asked, outcome: JSON.stringify(name), expiresAt }];
}

/** A failure of an atomic batch: the operation's status and code, its fields prefixed (MET-13). */
function inOperation(index: number, failure: unknown): unknown {
  if (!(failure instanceof ApiError)) return failure;
  const at = `operations[${index}]`;
  const { status, code, message, details, cause } = failure;
  // Other fields say something of the operation's target, which is not this one.
  const retry = failure.headers['Retry-After'];
  const headers = retry === undefined ? {} : { 'Retry-After': retry };
  const told: readonly ErrorDetail[] =
    details.length === 0
      ? [{ field: at, message: 'failed; nothing of the batch was done' }]
      : details.map((detail) => ({ ...detail, field: fieldIn(at, code, detail.field) }));
  return new ApiError(status, code, `${at}: ${message}`, { details: told, headers, cause });
}

/** Where in the batch a fault lies. Names of header fields begin with a capital letter, and names of members never do. */
function fieldIn(operation: string, code: string, field: string): string {
  if (/^(?:REQUEST_PARAMETER|QUERY|REQUEST_URI)_/.test(code)) return `${operation}.path`;
  if (/^[A-Z]/.test(field)) return `${operation}.headers.${field}`;
  if (field === 'body') return `${operation}.body`;
  return field.startsWith('[') ? `${operation}.body${field}` : `${operation}.body.${field}`;
}
