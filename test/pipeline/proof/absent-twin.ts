import type { RuledCaller, RuledResource } from '../../oracle/ruled-model.ts';
import { references, type RuledRows } from '../../oracle/ruled-rows.ts';
import type { PatchOperation, WriteRequest } from '../../oracle/ruled-writes.ts';
import type { Request } from './random-requests.ts';

/** No row has it. */
const ABSENT = 'zzz';

/**
 * The same request about a row that is not there, for one about a row that the caller may not see; null for other
 * requests.
 */
export function absentTwin(request: Request, caller: RuledCaller, rows: RuledRows): Request | null {
  const absent = (resource: RuledResource, path: readonly string[]) => absentPath(rows, caller, resource, path);
  switch (request.kind) {
    case 'item':
    case 'options': {
      const path = absent(request.resource, request.path);
      return path === null ? null : { ...request, path };
    }
    case 'list': {
      // A cursor belongs to its collection.
      if (request.list.position.kind === 'cursor') return null;
      const within = absent(request.list.resource, request.list.within);
      return within === null ? null : { ...request, list: { ...request.list, within } };
    }
    case 'lines': {
      const path = absent(request.resource, request.path);
      return path === null ? null : { ...request, path };
    }
    case 'write': {
      const write = absentWrite(request.write, caller, rows);
      return write === null || request.key !== null ? null : { ...request, write };
    }
    case 'batch':
    case 'record':
      return null;
  }
}

/** The twin of a write to a hidden row, below one, or with a reference to one or to an unread one; null for none. */
function absentWrite(write: WriteRequest, caller: RuledCaller, rows: RuledRows): WriteRequest | null {
  const { resource, method } = write;
  const path = absentPath(rows, caller, resource, write.path);
  if (path !== null) return method === 'PUT' && path.at(-1) === ABSENT ? null : { ...write, path };
  const body = readMembers(write);
  if (body === null) return null;
  const current = rows.get(resource, write.path);
  const hidden = references(resource).filter(({ field, target }) => {
    const id = body[field];
    const referred = rows.of(rows.resource(target)).find((each) => each.path.at(-1) === id);
    // A reference that the row has already is kept, and a row may refer to itself.
    const isOwn = referred?.resource === resource && (id === body['id'] || id === write.path.at(-1));
    return referred !== undefined && !isOwn && current?.values[field] !== id && !rows.mayReferTo(caller, referred);
  });
  if (hidden.length === 0) return null;
  return { ...write, body: { ...body, ...Object.fromEntries(hidden.map(({ field }) => [field, ABSENT])) } };
}

/** The path with another id in place of the outermost hidden one; null where all of it is visible, or absent. */
function absentPath(
  rows: RuledRows,
  caller: RuledCaller,
  resource: RuledResource,
  path: readonly string[],
): readonly string[] | null {
  const levels = [...rows.above(resource).toReversed(), resource];
  for (const level of path.keys()) {
    const row = rows.get(levels[level] as RuledResource, path.slice(0, level + 1));
    if (row === null) return null;
    if (!rows.allows('read', caller, row)) return path.map((id, index) => (index === level ? ABSENT : id));
  }
  return null;
}

/** Reads the members of a body; null if there is none, or if it is a JSON patch. */
function readMembers({ body }: WriteRequest): Readonly<Record<string, unknown>> | null {
  return body === null || isPatch(body) ? null : body;
}

function isPatch(body: NonNullable<WriteRequest['body']>): body is readonly PatchOperation[] {
  return Array.isArray(body);
}
