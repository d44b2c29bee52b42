import type { JsonObject } from '../../conventions/json/json.ts';
import type { Path } from '../path.ts';
import type { ReportProblem } from './model-error.ts';

/** A part of a document while it is compiled: its JSON, its path and where to report problems. */
export interface CompileContext {
  readonly declared: JsonObject;
  readonly path: Path;
  readonly report: ReportProblem;
}
