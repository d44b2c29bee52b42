import type { JsonObject } from '../conventions/json.ts';
import type { Report } from './fault.ts';
import type { Path } from './path.ts';

/** A part of a document that is being compiled, where it stands and whom its faults are told. */
export interface Declaration {
  readonly declared: JsonObject;
  readonly path: Path;
  readonly report: Report;
}
