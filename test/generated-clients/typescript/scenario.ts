import { env, stdout } from 'node:process';

/** The results of every client, which has to print them: expected-report.json. */
export interface Report {
  created: { title: string; tags: string[]; price: string | null; unit: 'mm' | 'cm' | undefined };
  read: { title: string | undefined; author: string | undefined };
  pages: (string | undefined)[][];
  changed: { title: string; is_same_revision: boolean };
  refused: { status: number; code: 'BOOK_PRECONDITION_FAILED'; details: number };
}

/** True for `any`, which every use of the type would satisfy. */
export type IsAny<T> = 0 extends 1 & T ? true : false;

export const ORIGIN = env['API_ORIGIN'] ?? '';
export const HEADERS = { Authorization: `Bearer ${env['API_TOKEN']}` };

/** The titles of the books, of which a page holds five. */
export const TITLES = Array.from({ length: 12 }, (_, index) => `Volume ${String(index + 1).padStart(2, '0')}`);

export function print(report: Report): void {
  stdout.write(`${JSON.stringify(report)}\n`);
}

/** @throws {Error} where a response is not the expected one */
export function required<T>(value: T | undefined | null | void, response: unknown): T {
  if (value === undefined || value === null) throw new Error(`unexpected response: ${JSON.stringify(response)}`);
  return value;
}
