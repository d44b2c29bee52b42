import type { Field, Model, Resource } from '../../../model/model.ts';
import { readObject } from '../../../model/values/access.ts';
import { digest } from '../../../platform/digest.ts';

/** A digest of what each field of each resource allows. Requests are checked against these rules, tables are not. */
export type FieldRules = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The rules of a model. */
export function fieldRules({ resources }: Model): FieldRules {
  return Object.fromEntries(
    [...resources].map(([name, resource]) => [
      name,
      Object.fromEntries(resource.fields.map((field) => [field.name, digestRule(resource, field)])),
    ]),
  );
}

/**
 * The fields of a resource whose rules differ from the recorded ones. A field without a recorded rule is new, or of a
 * database that an older version wrote.
 */
export function changedFields(resource: Resource, recorded: FieldRules): readonly Field[] {
  const known = recorded[resource.name] ?? recorded[resource.was ?? ''] ?? {};
  return resource.fields.filter((field) => {
    const rule = known[field.name] ?? known[field.was ?? ''];
    return rule !== undefined && rule !== digestRule(resource, field);
  });
}

function digestRule({ schema }: Resource, { name, type }: Field): string {
  return digest(JSON.stringify([type, readObject(schema['properties'])[name] ?? null]));
}
