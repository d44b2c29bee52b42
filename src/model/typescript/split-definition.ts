import type { Json } from '../../conventions/json/json.ts';
import { documentSchema } from '../document/document-schema.ts';
import { type ReportProblem, reportUnknownMember, suggestName } from '../document/model-error.ts';
import { resourceSchema } from '../document/resource-schema.ts';
import type { PolicyFunction } from '../policy.ts';
import { readObject } from '../values/access.ts';
import type { Path } from '../path.ts';
import type { DefinedModel } from './define-model.ts';
import { plainSchema, standardValidate } from './library-schema.ts';
import { type Callable, isCallable, isRecord, plainData } from './module-values.ts';
import type { StandardValidate } from './refinements.ts';
import { type Converters, splitVersions } from './version-converters.ts';

/** The members of a resource that are functions. All others are data. */
const CODE_MEMBERS = ['computed', 'before', 'check', 'after'] as const;

type CodeMember = (typeof CODE_MEMBERS)[number];

/** The code of a resource as its module exports it, before its types are checked. */
export type UncheckedCode = Readonly<Partial<Record<CodeMember, unknown>>> & {
  /** The functions that generate values, by field. */
  readonly generated?: ReadonlyMap<string, Callable>;
  /** The validation of a library's schema; null for a JSON Schema. */
  readonly validate: StandardValidate | null;
  /** The functions of `access.rows`, by operation. */
  readonly rows?: ReadonlyMap<string, PolicyFunction>;
};

/**
 * A TypeScript model, split into the JSON of a document, the code of its resources, by name, and that of its older
 * versions.
 */
interface DefinitionParts {
  readonly data: Json;
  readonly code: ReadonlyMap<string, UncheckedCode>;
  readonly converters: Converters;
}

const MODEL_MEMBERS = [...Object.keys(readObject(documentSchema['properties'])), 'services'];
const RESOURCE_MEMBERS = [...Object.keys(readObject(resourceSchema['properties'])), ...CODE_MEMBERS];
/** Members of `WriteInfo`, which would hide services of the same name. */
const WRITE_INFO_MEMBERS = ['caller', 'correlationId', 'at'];

/** Splits a definition into data and code. Reports unknown members and data that JSON cannot represent. */
export function splitDefinition({ definition, services }: DefinedModel, report: ReportProblem): DefinitionParts {
  for (const name of Object.keys(services).filter((each) => WRITE_INFO_MEMBERS.includes(each))) {
    report(['services', name], `the name ${name} is reserved: it is part of every hook context`, 'rename the service');
  }
  const code = new Map<string, UncheckedCode>();
  const model = { value: definition, path: [], known: MODEL_MEMBERS };
  const versions = splitVersions(definition.versions, report);
  const data = readMembers(model, report, (member, value) => {
    if (member === 'services') return undefined;
    if (member === 'versions') return versions.data;
    if (member !== 'resources' || !isRecord(value)) return plainData(value, [member], report);
    const resources = Object.entries(value).map(([name, resource]) => {
      if (!isRecord(resource)) return [name, plainData(resource, [member, name], report)];
      const members = Object.entries(resource).filter(([each]) => isCodeMember(each));
      const { access } = resource;
      code.set(name, {
        ...Object.fromEntries(members),
        generated: pickFunctions(resource['generated']),
        rows: pickFunctions(isRecord(access) ? access['rows'] : undefined),
        validate: standardValidate(resource['schema']),
      });
      return [name, readResource(resource, [member, name], report)];
    });
    return Object.fromEntries(resources);
  });
  return { data, code, converters: versions.converters };
}

function isCodeMember(name: string): name is CodeMember {
  return CODE_MEMBERS.some((member) => member === name);
}

function readResource(resource: object, path: Path, report: ReportProblem): Json {
  return readMembers({ value: resource, path, known: RESOURCE_MEMBERS }, report, (member, value) => {
    if (isCodeMember(member)) return undefined;
    const at = [...path, member];
    if (member === 'schema') return plainSchema(value, at, report);
    return plainData(omitFunctions(member, value), at, report);
  });
}

/** The functions among the members of an object that has data and functions. */
function pickFunctions(value: unknown): ReadonlyMap<string, Callable> {
  const members = isRecord(value) ? Object.entries(value) : [];
  return new Map(members.flatMap(([name, held]) => (isCallable(held) ? [[name, held] as const] : [])));
}

/** A member of a resource without its functions: `generated` and `access.rows` have data and functions. */
function omitFunctions(member: string, value: unknown): unknown {
  if (member === 'generated') return withoutFunctions(value);
  if (member !== 'access' || !isRecord(value) || value['rows'] === undefined) return value;
  return { ...value, rows: withoutFunctions(value['rows']) };
}

function withoutFunctions(value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([, held]) => !isCallable(held))) : value;
}

interface MembersSource {
  readonly value: unknown;
  readonly path: Path;
  readonly known: readonly string[];
}

/** @param read returns the data of a known member; undefined to omit it */
function readMembers(
  { value, path, known }: MembersSource,
  report: ReportProblem,
  read: (member: string, value: unknown) => Json | undefined,
): Json {
  if (!isRecord(value)) return plainData(value, path, report);
  const members: [string, Json][] = [];
  for (const [member, held] of Object.entries(value)) {
    if (held === undefined) continue;
    if (known.includes(member)) {
      const data = read(member, held);
      if (data !== undefined) members.push([member, data]);
    } else {
      reportUnknownMember(report, [...path, member], suggestName(member, known, 'remove it'));
    }
  }
  return Object.fromEntries(members);
}
