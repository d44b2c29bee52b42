import { parse } from 'csv-parse/sync';
import { CursorMark, Mark } from '../../oracle/ruled-reads.ts';
import type { Seen } from '../support/api-under-test.ts';

/** A value of a format that has no types. */
type Raw = string | null | readonly Raw[] | { readonly [name: string]: Raw };

/** The comparable parts of an expected and a served body. */
interface Compared {
  readonly expected: unknown;
  readonly served: unknown;
}

/**
 * A body that is not JSON as JSON, with the types of what is expected (NEG-1, NEG-4, NEG-6).
 *
 * @param expected the body as JSON
 * @returns the parts of the two that must be equal; a format without facts about a page has them in header fields
 */
export function decodedBody(expected: unknown, { headers, text }: Pick<Seen, 'headers' | 'text'>): Compared {
  const type = (headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
  if (type === 'application/json' || type.endsWith('+json')) return { expected, served: JSON.parse(text) };
  if (type.endsWith('xml')) return { expected, served: typed(expected, xmlTree(text)) };
  if (!isPage(expected)) return { expected, served: typed(expected, textTree(text)) };
  const facts = { total: headers.get('x-total-count') ?? null, next: headers.get('x-next-cursor') ?? null };
  const { data, page } = expected;
  const next = page['next_cursor'] ?? null;
  const rows = type === 'text/csv' ? data.map(({ links: _links, ...row }) => row) : data;
  const total = typeof page['total_count'] === 'number' ? `${page['total_count']}` : null;
  return { expected: { rows, total, next }, served: { rows: pageRows(rows, type, text), ...facts } };
}

interface ExpectedPage {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly page: Readonly<Record<string, unknown>>;
}

function isPage(body: unknown): body is ExpectedPage {
  return typeof body === 'object' && body !== null && 'data' in body && 'page' in body;
}

function pageRows(expected: readonly unknown[], type: string, text: string): readonly unknown[] {
  switch (type) {
    case 'application/x-ndjson':
      return text.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]));
    case 'text/csv':
      return parse<Readonly<Record<string, string>>>(text, { columns: true }).map((row, index) =>
        typed(expected[index], row),
      );
    case 'text/plain':
      return text
        .split('\n\n')
        .filter((part) => part !== '')
        .map((part, index) => typed(expected[index], textTree(part)));
    default:
      throw new Error(`there is no page as ${type}`);
  }
}

/** A raw value with the types of an expected one. What is not expected keeps its text, and so differs. */
function typed(expected: unknown, raw: Raw): unknown {
  if (expected instanceof Mark) return typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw;
  if (expected instanceof CursorMark || typeof expected === 'string') return raw;
  if (typeof expected === 'symbol' || typeof expected === 'number') return Number(raw);
  if (typeof expected === 'boolean') return raw === 'true' ? true : raw === 'false' ? false : raw;
  if (Array.isArray(expected)) {
    if (raw === '' || raw === '[]') return [];
    return Array.isArray(raw) ? raw.map((each: Raw, index) => typed(expected[index], each)) : raw;
  }
  if (typeof expected !== 'object' || expected === null) return raw === '' ? null : raw;
  if (raw === '' || raw === '{}') return {};
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw;
  const members = new Map(Object.entries(expected));
  return Object.fromEntries(Object.entries(raw).map(([name, each]) => [name, typed(members.get(name), each)]));
}

/** Elements as members; those in `data` as a list. Nothing else repeats in the models of these tests. */
function xmlTree(text: string): Raw {
  const tokens = [...text.matchAll(/<\?.*?\?>|<\/[^>]+>|<([\w:-]+)([^>]*?)(\/?)>|[^<]+/g)];
  let at = 0;
  const element = (): { readonly name: string; readonly value: Raw } => {
    const [, name = '', attributes = '', isEmpty] = tokens[at++] ?? [];
    if (isEmpty === '/') return { name, value: attributes.includes('xsi:nil="true"') ? null : '' };
    const children: { readonly name: string; readonly value: Raw }[] = [];
    let content = '';
    for (; !tokens[at]?.[0].startsWith('</'); ) {
      if (tokens[at]?.[0].startsWith('<')) children.push(element());
      else content += tokens[at++]?.[0] ?? '';
    }
    at += 1;
    if (name === 'data') return { name, value: children.map(({ value }) => value) };
    if (children.length === 0) return { name, value: unescaped(content) };
    return { name, value: Object.fromEntries(children.map((each) => [each.name, each.value])) };
  };
  while (/^<\?|^\s+$/.test(tokens[at]?.[0] ?? '')) at += 1;
  return element().value;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** `a.data[0].id: x` in each line. */
function textTree(text: string): Raw {
  const root: Record<string, unknown> = {};
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [path, value] = [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)];
    const steps = path.split(/\.|(?=\[)/).map((step) => (step.startsWith('[') ? Number(step.slice(1, -1)) : step));
    let node = root;
    for (const [level, step] of steps.entries()) {
      if (level === steps.length - 1) node[step] = value;
      else node = (node[step] ??= typeof steps[level + 1] === 'number' ? [] : {}) as Record<string, unknown>;
    }
  }
  return root as Raw;
}
