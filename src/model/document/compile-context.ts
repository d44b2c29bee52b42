import type { JsonObject } from '../../conventions/json.ts';
import type { ReportProblem } from './model-error.ts';
import type { Path } from '../values/path.ts';

/** A part of a document that is being compiled, where it stands and whom its faults are told. */
export interface CompileContext {
  readonly declared: JsonObject;
  readonly path: Path;
  readonly report: ReportProblem;
}
