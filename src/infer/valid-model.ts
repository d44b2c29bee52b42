import { loadModel } from '../model/compile/load-model.ts';
import { ModelError, type ModelProblem } from '../model/document/model-error.ts';
import type { Model } from '../model/model.ts';
import type { MemberDraft, ModelDraft, ResourceDraft, SchemaDraft } from './model-draft.ts';
import { writeModel } from './write-model.ts';

/** A model that the compiler accepts, and its text. */
export interface ValidModel {
  readonly text: string;
  readonly model: Model;
}

/** Each round leaves out at least one part. */
const MAX_ROUNDS = 200;

const PLACE =
  /^resources\.(?<resource>\w+)(?:\.schema\.(?:properties\.(?<field>\w+)(?<inside>[.[].*)?|required.*)|\.(?<setting>\w+).*)?$/;

/**
 * Writes a model that the compiler accepts: what it refuses of a draft is left out, with its reason as a comment. It
 * accepts the model with the resources that are comments, too.
 *
 * @param schema path or URL of the JSON Schema of models
 * @param file the name of the model, for messages
 * @throws {ModelError} for a problem at no part that can be left out
 */
export function writeValidModel(draft: ModelDraft, schema: string, file: string): ValidModel {
  let current = draft;
  for (let round = 0; ; round += 1) {
    const text = writeModel(current, schema);
    try {
      const suggested = uncommentResources(current);
      if (suggested.length > 0) loadModel({ file, text: writeModel({ ...current, resources: suggested }, schema) });
      return { text, model: loadModel({ file, text }).model };
    } catch (error) {
      if (!(error instanceof ModelError) || round === MAX_ROUNDS) throw error;
      const repaired = withoutProblems(current, error.problems);
      if (repaired === null) throw error;
      current = repaired;
    }
  }
}

/** The resources that are comments, as they are without the marks. No others refer to them, and they to none. */
function uncommentResources({ resources }: ModelDraft): readonly ResourceDraft[] {
  return resources.filter(({ isComment }) => isComment === true).map((each) => ({ ...each, isComment: false }));
}

/** The first problem at each resource: others may follow from it. Null where none of them is at a part of the draft. */
function withoutProblems(draft: ModelDraft, problems: readonly ModelProblem[]): ModelDraft | null {
  const first = new Map<string, ModelProblem>();
  for (const problem of problems) {
    const { resource = '' } = PLACE.exec(problem.path)?.groups ?? {};
    if (!first.has(resource)) first.set(resource, problem);
  }
  let changed = false;
  const lost: string[] = [];
  const resources = draft.resources.flatMap((resource) => {
    const problem = first.get(resource.name);
    const repaired = problem === undefined ? resource : withoutProblem(resource, problem);
    changed ||= repaired !== resource;
    if (repaired === null) lost.push(`Left out: ${resource.name}: ${problem?.cause ?? ''}`);
    return repaired === null ? [] : [repaired];
  });
  return changed ? { ...draft, resources, notes: [...draft.notes, ...lost] } : null;
}

/** Null for a resource that is left out as a whole. */
function withoutProblem(resource: ResourceDraft, { path, cause }: ModelProblem): ResourceDraft | null {
  const { field, inside = '', setting } = PLACE.exec(path)?.groups ?? {};
  if (field !== undefined) return withoutField(resource, field, inside, cause);
  if (setting === undefined || !Object.hasOwn(resource.settings, setting)) return null;
  const { [setting]: value, ...settings } = resource.settings;
  return {
    ...resource,
    settings,
    notes: [...resource.notes, `left out: ${setting} ${JSON.stringify(value)}: ${cause}`],
  };
}

function withoutField(resource: ResourceDraft, name: string, inside: string, cause: string): ResourceDraft | null {
  const field = resource.fields.find((each) => each.name === name);
  if (field === undefined) return null;
  const kept = inside.includes('x-references')
    ? withoutReference(field, cause)
    : withoutKeyword(field, inside.slice(1), cause);
  if (kept !== null) return { ...resource, fields: resource.fields.map((each) => (each === field ? kept : each)) };
  const fields = resource.fields.filter((each) => each !== field);
  return { ...resource, fields, notes: [...resource.notes, `left out: ${name}: ${cause}`] };
}

/** Leaves out a constraint or the default of a field. One that had a default may be left out by clients. */
function withoutKeyword(field: MemberDraft, keyword: string, cause: string): MemberDraft | null {
  const { [keyword]: value, ...keywords } = field.schema.keywords;
  if (value === undefined || keyword === 'type') return null;
  const notes = [...field.schema.notes, `left out: ${keyword} ${JSON.stringify(value)}: ${cause}`];
  const required = field.required && keyword !== 'default';
  return { ...field, required, schema: { ...field.schema, keywords, notes } };
}

/** Keeps the ids of a reference that cannot be declared, as plain text. */
function withoutReference(field: MemberDraft, cause: string): MemberDraft | null {
  const { schema } = field;
  const holder = schema.items ?? schema;
  if (!('x-references' in holder.keywords)) return null;
  const { 'x-references': _reference, ...keywords } = holder.keywords;
  const plain: SchemaDraft = { ...holder, keywords };
  const notes = [...schema.notes, `no reference: ${cause}`];
  return { ...field, schema: { ...(schema.items === null ? plain : { ...schema, items: plain }), notes } };
}
