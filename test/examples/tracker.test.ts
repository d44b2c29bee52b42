import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import tracker from '../../examples/tracker.ts';
import { type ApiUnderTest, apiUnderTest } from '../pipeline/support/api-under-test.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

const PROJECT = { id: 'p', name: 'P' };

interface Outcome {
  readonly status: number;
  readonly number: number | null;
}

/** Sends POSTs of issues at the same time, in turn to each of several APIs. */
function createIssues(apis: readonly ApiUnderTest[], count: number, status = 'CLOSED'): Promise<readonly Outcome[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const api = apis[index % apis.length];
      if (api === undefined) throw new Error('no API');
      const body = { project_id: 'p', title: `issue ${index}`, status };
      const seen = await api.send({ send: 'POST /api/v1/issues', body });
      return { status: seen.status, number: seen.body.number ?? null };
    }),
  );
}

async function listNumbers(api: ApiUnderTest): Promise<readonly number[]> {
  const { body } = await api.send({ send: 'GET /api/v1/issues?limit=100&sort=created_at' });
  return body.data.map((issue: { readonly number: number }) => issue.number);
}

/** Two APIs on one file, as two processes have them. */
async function twoApis(context: TestContext): Promise<readonly [ApiUnderTest, ApiUnderTest]> {
  const database = path.join(temporaryDirectory(context), 'tracker.db');
  const apis = [await apiUnderTest(tracker, { database }), await apiUnderTest(tracker, { database })] as const;
  context.after(() => Promise.all(apis.map((api) => api.close())));
  return apis;
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('numbers per project', () => {
  it('[MET-1] leave out and repeat none under concurrent requests, and events name both writes', async () => {
    await using api = await apiUnderTest(tracker);
    await api.send({ send: 'POST /api/v1/projects', body: PROJECT });
    await api.newEvents();
    const created = await createIssues([api], 40);
    assert.deepEqual(new Set(created.map(({ status }) => status)), new Set([201]));
    assert.deepEqual(
      [...(await listNumbers(api))].sort((a, b) => a - b),
      range(40),
    );
    const { body } = await api.send({ send: 'GET /api/v1/projects/p' });
    assert.equal(body.last_number, 40);
    const types = (await api.newEvents()).map(({ type }) => type);
    assert.equal(types.filter((type) => type === 'issue.created').length, 40);
    assert.equal(types.filter((type) => type === 'project.updated').length, 40);
  });

  it('[MET-1] leave out and repeat none over two processes', async (context) => {
    const apis = await twoApis(context);
    await apis[0].send({ send: 'POST /api/v1/projects', body: PROJECT });
    const created = await createIssues(apis, 40);
    assert.deepEqual(new Set(created.map(({ status }) => status)), new Set([201]));
    assert.deepEqual(
      [...(await listNumbers(apis[1]))].sort((a, b) => a - b),
      range(40),
    );
  });

  it('[MET-13] count the operations of an atomic batch and the lines of NDJSON', async () => {
    await using api = await apiUnderTest(tracker);
    await api.send({ send: 'POST /api/v1/projects', body: PROJECT });
    const operations = range(3).map((n) => ({
      method: 'POST',
      path: '/issues',
      body: { project_id: 'p', title: `t${n}`, status: 'CLOSED' },
    }));
    const batch = await api.send({ send: 'POST /api/v1/batches', body: { atomic: true, operations } });
    assert.equal(batch.status, 201);
    assert.deepEqual(
      batch.body.results.map((result: { readonly body: { readonly number: number } }) => result.body.number),
      [1, 2, 3],
    );
    const lines = range(5).map((n) => JSON.stringify({ project_id: 'p', title: `l${n}`, status: 'CLOSED' }));
    const headers = { 'Content-Type': 'application/x-ndjson' };
    await api.send({ send: 'POST /api/v1/issues', headers, body: `${lines.join('\n')}\n` });
    assert.deepEqual(
      [...(await listNumbers(api))].sort((a, b) => a - b),
      range(8),
    );
  });

  it('[MET-10] report a project that does not exist, and [MET-14] take no number in a dry run', async () => {
    await using api = await apiUnderTest(tracker);
    await api.row({
      send: 'POST /api/v1/issues',
      body: { project_id: 'none', title: 't' },
      status: 400,
      has: { errorCode: 'ISSUE_INVALID' },
    });
    await api.send({ send: 'POST /api/v1/projects', body: PROJECT });
    const dry = await api.send({
      send: 'POST /api/v1/issues?dry_run=true',
      body: { project_id: 'p', title: 't' },
    });
    assert.ok(dry.status < 300, dry.text);
    assert.equal((await createIssues([api], 1))[0]?.number, 1);
  });
});

describe('at most five open issues', () => {
  const accepted = (outcomes: readonly Outcome[]): number => outcomes.filter(({ status }) => status === 201).length;

  it('[CACHE-3] are five under concurrent requests: the others are refused by the hook', async () => {
    await using api = await apiUnderTest(tracker);
    await api.send({ send: 'POST /api/v1/projects', body: PROJECT });
    const outcomes = await createIssues([api], 20, 'OPEN');
    assert.equal(accepted(outcomes), 5);
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set([201, 409]));
  });

  it('[CACHE-3] are five over two processes', async (context) => {
    const apis = await twoApis(context);
    await apis[0].send({ send: 'POST /api/v1/projects', body: PROJECT });
    assert.equal(accepted(await createIssues(apis, 20, 'OPEN')), 5);
  });

  it('[MET-13] are five in an atomic batch, also where issues are reopened', async () => {
    await using api = await apiUnderTest(tracker);
    await api.send({ send: 'POST /api/v1/projects', body: PROJECT });
    const body = (n: number, status: string): object => ({ project_id: 'p', title: `t${n}`, status });
    const closed = await api.send({ send: 'POST /api/v1/issues', body: body(0, 'CLOSED') });
    const five = range(5).map((n) => ({ method: 'POST', path: '/issues', body: body(n, 'OPEN') }));
    await api.newEvents();
    const reopen = { method: 'PATCH', path: `/issues/${closed.body.id}`, body: { status: 'OPEN' } };
    await api.row({
      send: 'POST /api/v1/batches',
      body: { atomic: true, operations: [...five, reopen] },
      status: 409,
      has: { errorCode: 'ISSUE_CONFLICT' },
    });
    await api.row({
      send: 'POST /api/v1/batches',
      body: { atomic: true, operations: [...five.slice(1), reopen] },
      status: 201,
      events: [...range(4).flatMap(() => ['project.updated', 'issue.created']), 'issue.updated'],
    });
    assert.equal(accepted(await createIssues([api], 3, 'OPEN')), 0);
  });

  it('[MET-7] are counted again for an issue that another process closed meanwhile', async (context) => {
    const apis = await twoApis(context);
    await apis[0].send({ send: 'POST /api/v1/projects', body: PROJECT });
    await createIssues(apis, 5, 'OPEN');
    const { body } = await apis[1].send({ send: 'GET /api/v1/issues?status=OPEN&limit=1' });
    await apis[1].send({ send: `PATCH /api/v1/issues/${body.data[0].id}`, body: { status: 'CLOSED' } });
    assert.equal(accepted(await createIssues([apis[0]], 2, 'OPEN')), 1);
  });
});
