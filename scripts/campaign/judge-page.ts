import { isObject, toList, member, type Received, toText } from './client.ts';
import { type Fault, faultsWhere } from './fault.ts';

const TECHNIQUES = ['page', 'offset', 'cursor', 'keyset', 'time', 'seek'];
const RELATIONS = ['self', 'first', 'prev', 'next', 'last'];

/** Members of `page` that each technique has (PAGE-1). */
const POSITIONS: Readonly<Record<string, readonly string[]>> = {
  page: ['page'],
  offset: ['offset'],
  cursor: ['after', 'next_cursor', 'prev_cursor'],
  keyset: ['last_id'],
  time: ['start_time', 'before', 'next_cursor', 'prev_cursor'],
  seek: ['after_timestamp', 'after_id'],
};

/** Judges a page by the rules of every page (PAGE-1, PAGE-2). */
export function pageFaults({ body, headers }: Received): readonly Fault[] {
  const page = member(body, 'page');
  const links = member(body, 'links');
  const data = toList(member(body, 'data'));
  const technique = toText(member(page, 'technique'));
  const count = member(page, 'count');
  const limit = member(page, 'limit');
  const hasNext = typeof member(links, 'next') === 'string';
  const total = member(page, 'total_count');
  const isExact = member(page, 'total_count_relation') === 'eq';
  const pages = member(page, 'total_pages');
  return faultsWhere([
    [TECHNIQUES.includes(technique), '[PAGE-1] technique', technique],
    [count === data.length, '[PAGE-1] count is the length of data', `${toText(count)} of ${data.length}`],
    [typeof limit === 'number' && limit >= data.length && limit <= 20, '[PAGE-3] limit', toText(limit)],
    [member(page, 'has_more') === hasNext, '[PAGE-1] has_more means links.next', JSON.stringify(page)],
    [(POSITIONS[technique] ?? []).every((name) => isObject(page) && name in page), '[PAGE-1] position', technique],
    [isObject(links) && 'self' in links && 'first' in links, '[PAGE-2] self and first', JSON.stringify(links)],
    [technique !== 'cursor' || (member(page, 'next_cursor') !== null) === hasNext, '[PAGE-1] next_cursor', ''],
    [total === null || Number(total) >= Number(count), '[PAGE-1] total_count', toText(total)],
    [(total === null) === (member(page, 'total_count_relation') === null), '[PAGE-1] total_count_relation', ''],
    [
      pages === null || (isExact && pages === Math.ceil(Number(total) / Number(limit))),
      '[PAGE-1] total_pages only with an exact total',
      JSON.stringify(page),
    ],
    [
      !isObject(links) || sameLinks(headers['link'] ?? '', links),
      '[PAGE-2] Link has the same links',
      headers['link'] ?? '',
    ],
  ]);
}

function sameLinks(field: string, links: object): boolean {
  if (field === '') return JSON.stringify(links).length > 3_000;
  const given = [...field.matchAll(/<([^>]*)>; rel="([a-z]+)"/g)].map(([, target, relation]) => [relation, target]);
  const named = given.filter(([relation]) => RELATIONS.includes(relation ?? ''));
  const wanted = Object.entries(links).filter(([relation]) => RELATIONS.includes(relation));
  return JSON.stringify(named.map(String).toSorted()) === JSON.stringify(wanted.map(String).toSorted());
}
