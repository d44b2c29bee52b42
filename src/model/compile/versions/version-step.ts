import { isJsonObject, type Json, type JsonObject } from '../../../conventions/json/json.ts';
import { type ReportProblem, suggestName } from '../../document/model-error.ts';
import type { Resource, Shape, VersionChange } from '../../model.ts';
import type { Converters } from '../../typescript/version-converters.ts';
import { readObject } from '../../values/access.ts';
import type { Path } from '../../path.ts';
import { compileShape } from '../fields/field-types.ts';
import { resolveReferences } from '../fields/resolve-refs.ts';

/** A version and its successor, while the changes between them are read. */
export interface VersionStep {
  /** MAJOR.MINOR.PATCH. */
  readonly older: string;
  readonly successor: string;
  /** The resources of the successor by name. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The document of the successor. */
  readonly document: JsonObject;
  readonly converters: Converters;
  readonly report: ReportProblem;
}

/** A change that makes, removes or renames fields. */
export type FieldChange = Extract<VersionChange, { kind: 'rename' | 'without' | 'with' | 'move' | 'convert' }>;

/** The changes of one kind to a resource, as declared. */
export interface DeclaredPart {
  readonly resource: Resource;
  readonly declared: Json | undefined;
  readonly at: Path;
  readonly step: VersionStep;
}

/** A change with what else is declared of it. */
export interface DeclaredChange<C extends VersionChange = VersionChange> {
  readonly change: C;
  readonly at: Path;
  /** The schemas of the fields that it makes in the older version, by name, `$ref`s resolved. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
}

const NO_SCHEMAS: ReadonlyMap<string, JsonObject> = new Map();

/** A change that makes no field of another schema. */
export function plainChange<C extends VersionChange>(change: C, at: Path): DeclaredChange<C> {
  return { change, at, schemas: NO_SCHEMAS };
}

/** Reports that the successor does not have what a change names. @param thing such as `field nme in products` */
export function reportUnknown(
  { older, successor, report }: VersionStep,
  at: Path,
  thing: string,
  { name, known }: { readonly name: string; readonly known: Iterable<string> },
): void {
  report(at, `${successor}, the successor of ${older}, has no ${thing}`, suggestName(name, known));
}

/** Reports a change that takes part in no other one. */
export function reportSecond({ older, successor, report }: VersionStep, at: Path, thing: string): void {
  report(at, `two changes from ${older} to ${successor} name ${thing}`, 'remove one of them');
}

/** Keywords of fields that are stored. */
const STORED_KEYWORDS = ['x-unique', 'x-references', 'x-was', 'x-source', 'x-shown-once'];

/**
 * Reads the schema of a field that the older version alone has. It is not stored: keywords about its storage are
 * reported.
 */
export function readSchema(
  declared: Json | undefined,
  path: Path,
  step: VersionStep,
): { readonly schema: JsonObject; readonly shape: Shape } {
  const schema = resolveReferences(readObject(declared), step.document, path, step.report);
  for (const keyword of STORED_KEYWORDS.filter((each) => each in schema)) {
    const cause = `${keyword} does not apply to a field of ${step.older} that ${step.successor} does not have`;
    step.report([...path, keyword], cause, 'remove it');
  }
  for (const at of listFormerNames(schema)) {
    const cause = `x-was does not apply to a member of a field of ${step.older} that ${step.successor} does not have`;
    const fix = `remove it, and write the name that ${step.older} has; the rename of a member that ${step.successor} stores is a move of the same change`;
    step.report([...path, ...at], cause, fix);
  }
  return { schema, shape: compileShape({ declared: schema, path, report: step.report }, 'field') };
}

/** The paths of former names inside of a schema. */
function listFormerNames(schema: JsonObject): readonly Path[] {
  const members = Object.entries(readObject(schema['properties'])).map(([name, held]) => ({
    step: ['properties', name],
    held: readObject(held),
  }));
  const values = ['items', 'additionalProperties'].flatMap((keyword) => {
    const held = schema[keyword];
    return isJsonObject(held) ? [{ step: [keyword], held }] : [];
  });
  return [
    ...members.flatMap(({ step, held }) => ('x-was' in held ? [[...step, 'x-was']] : [])),
    ...[...members, ...values].flatMap(({ step, held }) => listFormerNames(held).map((inner) => [...step, ...inner])),
  ];
}
