import type { Comparison } from '../../oracle/oracle-collection.ts';
import type { RuledCaller } from '../../oracle/ruled-model.ts';
import type { ListRequest } from '../../oracle/ruled-reads.ts';
import type { RuledServer } from '../../oracle/ruled-server.ts';
import type { WriteRequest } from '../../oracle/ruled-writes.ts';
import { as } from '../support/caller-tokens.ts';
import type { Request } from './random-requests.ts';

/** A request as it is sent. */
export interface SentRequest {
  readonly send: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Puts a request into the words of HTTP. */
export function sentRequest(request: Request, caller: RuledCaller, server: RuledServer): SentRequest {
  const { subject, scopes, claims } = caller;
  const token = subject === null ? {} : as({ subject, scopes: scopes ?? [], claims: claims as never });
  switch (request.kind) {
    case 'item': {
      const { head, resource, path, expand, fields, format } = request;
      const target = withQuery(server.urlOf(resource, path), viewQuery({ expand, fields }));
      return { send: `${head ? 'HEAD' : 'GET'} ${target}`, headers: { ...token, Accept: format } };
    }
    case 'list': {
      const { list, method, format } = request;
      const url = server.urlOf(list.resource, list.within);
      const headers = { ...token, Accept: format };
      if (method !== 'QUERY') return { send: `${method} ${withQuery(url, listQuery(list))}`, headers };
      return {
        send: `QUERY ${url}`,
        headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: listQuery(list).toString(),
      };
    }
    case 'write': {
      const { write, key, format } = request;
      const url = `${server.urlOf(write.resource, write.path)}${write.dry ? '?dry_run=true' : ''}`;
      const headers = {
        ...token,
        ...writeHeaders(write),
        ...(key === null ? {} : { 'Idempotency-Key': key }),
        Accept: format,
      };
      return { send: `${write.method} ${url}`, ...withBody(request, headers) };
    }
    case 'batch': {
      const operations = request.operations.map((write) => {
        const path = server.urlOf(write.resource, write.path).slice('/api/v1'.length);
        return {
          method: write.method,
          path,
          headers: writeHeaders(write),
          ...(write.body === null ? {} : { body: write.body }),
        };
      });
      return { send: 'POST /api/v1/batches', headers: token, body: { atomic: request.atomic, operations } };
    }
    case 'lines': {
      const body = request.bodies.map((each) => `${JSON.stringify(each)}\n`).join('');
      return {
        send: `POST ${server.urlOf(request.resource, request.path)}`,
        headers: { ...token, 'Content-Type': 'application/x-ndjson' },
        body,
      };
    }
    case 'record':
      return { send: `GET /api/v1/batches/${request.id}`, headers: token };
    case 'options':
      return { send: `OPTIONS ${server.urlOf(request.resource, request.path)}`, headers: token };
  }
}

function withBody(
  { write: { body, resource }, content }: Extract<Request, { kind: 'write' }>,
  headers: SentRequest['headers'],
): Pick<SentRequest, 'headers' | 'body'> {
  if (body === null) return { headers };
  if (content === 'json' || Array.isArray(body)) return { headers, body };
  const members = Object.entries(body).map(([name, value]) => [name, value === null ? null : toText(value)] as const);
  if (content === 'form') {
    const pairs = members.map(([name, value]) => (value === null ? name : `${name}=${encodeURIComponent(value)}`));
    return { headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' }, body: pairs.join('&') };
  }
  const elements = members.map(([name, value]) =>
    value === null ? `<${name} xsi:nil="true"/>` : `<${name}>${value}</${name}>`,
  );
  const root = `<${resource.singular} xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">`;
  const text = `${root}${elements.join('')}</${resource.singular}>`;
  return { headers: { ...headers, 'Content-Type': 'application/xml' }, body: text };
}

/** Converts a value to the text of a form field or an XML element. None of the texts has markup. */
function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function writeHeaders({
  method,
  body,
  ifMatch,
  ifNoneMatch,
  minimal,
  lenient,
}: WriteRequest): Readonly<Record<string, string>> {
  const preferences = [...(minimal ? ['return=minimal'] : []), ...(lenient ? ['handling=lenient'] : [])];
  return {
    ...(method === 'PATCH'
      ? { 'Content-Type': `application/${Array.isArray(body) ? 'json-patch' : 'merge-patch'}+json` }
      : {}),
    ...(ifMatch === null ? {} : { 'If-Match': ifMatch === '*' ? '*' : `"${ifMatch}"` }),
    ...(ifNoneMatch ? { 'If-None-Match': '*' } : {}),
    ...(preferences.length === 0 ? {} : { Prefer: preferences.join(', ') }),
  };
}

function withQuery(url: string, query: URLSearchParams): string {
  return query.size === 0 ? url : `${url}?${query.toString()}`;
}

function viewQuery({ expand, fields }: Pick<ListRequest, 'expand' | 'fields'>): URLSearchParams {
  const query = new URLSearchParams();
  if (expand.length > 0) query.set('expand', expand.join(','));
  if (fields !== null) query.set('fields', fields.join(','));
  return query;
}

function listQuery(list: ListRequest): URLSearchParams {
  const query = viewQuery(list);
  for (const each of list.comparisons) query.set(`${each.path}[${each.operator}]`, valueText(each));
  for (const [index, group] of list.alternatives.entries()) {
    for (const each of group) query.set(`any[${index + 1}][${each.path}][${each.operator}]`, valueText(each));
  }
  if (list.search !== null) query.set('q', list.search);
  if (list.sort.length > 0) query.set('sort', list.sort.join(','));
  if (list.total !== null) query.set('include_total', String(list.total));
  query.set('limit', String(list.limit));
  const { position } = list;
  if (position.kind === 'page' || position.kind === 'offset') query.set(position.kind, String(position.number));
  if (position.kind === 'last_id') query.set('last_id', position.id);
  if (position.kind === 'cursor') query.set('after', position.token);
  if (position.kind === 'seek') {
    query.set('after_timestamp', position.time);
    query.set('after_id', position.id);
  }
  return query;
}

function valueText({ values }: Comparison): string {
  return values.map(String).join(',');
}
