import type { Json } from '../../conventions/json.ts';
import { objectOf } from '../values/access.ts';
import type { DefinedModel } from './define-model.ts';
import { documentSchema } from '../document/document-schema.ts';
import type { ReportProblem } from '../document/model-error.ts';
import { plainSchema } from './library-schema.ts';
import type { Path } from '../values/path.ts';
import { isRecord, plainData } from './module-values.ts';
import { isCodeMember, CODE_MEMBERS, type UncheckedCode } from '../compile/compile-code.ts';
import { resourceSchema } from '../document/resource-schema.ts';
import { suggestName, reportUnknownMember } from '../document/unknown-name.ts';

/** A model in TypeScript, taken apart: what a document would say, and the code of its resources by their names. */
export interface DefinitionParts {
  readonly data: Json;
  readonly code: ReadonlyMap<string, UncheckedCode>;
}

const MODEL_MEMBERS = [...Object.keys(objectOf(documentSchema['properties'])), 'services'];
const RESOURCE_MEMBERS = [...Object.keys(objectOf(resourceSchema['properties'])), ...CODE_MEMBERS];
/** What a hook gets of the write: a service of such a name would be hidden by it. */
const WRITE_INFO_MEMBERS = ['caller', 'correlationId', 'at'];

/** Takes a definition apart. Members that nothing reads, and data that JSON cannot say, are announced. */
export function splitDefinition({ definition, services }: DefinedModel, report: ReportProblem): DefinitionParts {
  for (const name of Object.keys(services).filter((each) => WRITE_INFO_MEMBERS.includes(each))) {
    report(['services', name], `hooks get ${name} from the write`, 'give the service another name');
  }
  const code = new Map<string, UncheckedCode>();
  const data = readMembers(definition, [], MODEL_MEMBERS, report, (member, held) => {
    if (member === 'services') return undefined;
    if (member !== 'resources' || !isRecord(held)) return plainData(held, [member], report);
    const resources = Object.entries(held).map(([name, resource]) => {
      if (!isRecord(resource)) return [name, plainData(resource, [member, name], report)];
      code.set(name, Object.fromEntries(Object.entries(resource).filter(([each]) => isCodeMember(each))));
      return [name, readResource(resource, [member, name], report)];
    });
    return Object.fromEntries(resources);
  });
  return { data, code };
}

function readResource(resource: object, path: Path, report: ReportProblem): Json {
  return readMembers(resource, path, RESOURCE_MEMBERS, report, (member, held) => {
    if (isCodeMember(member)) return undefined;
    const at = [...path, member];
    return member === 'schema' ? plainSchema(held, at, report) : plainData(held, at, report);
  });
}

/** @param read the data of a known member; undefined where it is none */
function readMembers(
  value: unknown,
  path: Path,
  known: readonly string[],
  report: ReportProblem,
  read: (member: string, held: unknown) => Json | undefined,
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
