import type { Model } from '../../../model/model.ts';
import { recordedFields } from '../../../plan/events/recorded-values.ts';
import type { RelatedFields } from '../../../plan/related-values.ts';
import { type ModelProfile, profileModel, type ResourceProfile } from '../../sql/schema/model-profile.ts';
import { neighbourProblems, STOP } from '../../sql/schema/neighbours.ts';
import { formerProblems } from './former-problems.ts';
import type { SharedTable } from './shared-table.ts';
import type { SharedTables } from './shared-tables.ts';

/**
 * The profile of the older of two models as instances of the newer one see its rows. Fields have later names, and
 * those that are converted have the form of the newer model.
 */
export function convertProfile(before: ModelProfile, model: Model, { tables }: SharedTables): ModelProfile {
  const after = profileModel(model);
  const resources = Object.entries(before.resources).map(([name, resource]): [string, ResourceProfile] => {
    const table = tables.find((each) => each.name === name);
    return [name, table === undefined ? resource : convertResource(resource, table, after.resources[name] ?? resource)];
  });
  return { ...before, resources: Object.fromEntries(resources) };
}

function convertResource(before: ResourceProfile, table: SharedTable, after: ResourceProfile): ResourceProfile {
  const { from = [], to = [] } = table.conversion ?? {};
  const gone = new Set(from.map(({ name }) => name));
  const later = new Map([...table.renamed].map(([name, was]) => [was, name]));
  const same = Object.entries(before.fields).flatMap(([name, field]) =>
    gone.has(name) ? [] : [[later.get(name) ?? name, field] as const],
  );
  const converted = to.flatMap(({ name }) => {
    const field = after.fields[name];
    return field === undefined ? [] : [[name, field] as const];
  });
  const rename = (path: string): string => {
    const [name = '', ...rest] = path.split('.');
    return [later.get(name) ?? name, ...rest].join('.');
  };
  return {
    ...before,
    fields: Object.fromEntries([...same, ...converted]),
    search: before.search.map(rename).toSorted(),
    judged: before.judged.map((each) => later.get(each) ?? each).toSorted(),
  };
}

/** Finds the reasons for which instances of two models cannot run side by side while their rows are converted. */
export function sharedProblems(before: ModelProfile, model: Model, shared: SharedTables): readonly string[] {
  const after = profileModel(model);
  return [
    ...neighbourProblems(convertProfile(before, model, shared), model),
    ...formerProblems(before, model, shared),
    ...[...shared.difference.model.resources.values()].flatMap(({ name, was }) =>
      was !== null && before.resources[name] === undefined && before.resources[was] !== undefined
        ? [`${name} is renamed from ${was}, the name that the old instances use: ${STOP}`]
        : [],
    ),
    ...shared.tables.flatMap((table) =>
      tableProblems(table, before.resources[table.name], after.resources[table.name]),
    ),
    ...relatedProblems(model, shared),
  ];
}

/** Finds policies that compare converted fields of rows that references lead to: these are recorded in one form. */
function relatedProblems({ resources }: Model, { tables }: SharedTables): readonly string[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  return [...resources.values()].flatMap((resource) =>
    listCompared(recordedFields(resources)(resource).related).flatMap(([target, field]) =>
      byName.get(target)?.isConverted(field) === true
        ? [`${resource.name} has row policies that compare ${field} of ${target}, which is converted: ${STOP}`]
        : [],
    ),
  );
}

/** The fields of related rows that are recorded, each with its resource. */
function listCompared(related: readonly RelatedFields[]): readonly (readonly [resource: string, field: string])[] {
  return related.flatMap((each) => [
    ...each.fields.map((field) => [each.resource, field] as const),
    ...listCompared(each.related),
  ]);
}

function tableProblems(
  table: SharedTable,
  before: ResourceProfile | undefined,
  after: ResourceProfile | undefined,
): readonly string[] {
  const { name, conversion } = table;
  if (before === undefined || after === undefined || conversion === null) return [];
  const missing = conversion.from.filter((field) => before.fields[field.name] === undefined);
  const referring = [...conversion.from, ...conversion.to].filter(({ reference }) => reference !== null);
  const searched = after.search.filter((path) => table.isConverted(path.split('.')[0] ?? path));
  const judged = after.judged.filter((field) => table.isConverted(field));
  return [
    ...missing.map(
      (field) => `${name}.${field.name} is in no row of the database: serve version ${STOP_BEFORE} first; or ${STOP}`,
    ),
    ...referring.map((field) => `${name}.${field.name} refers to other rows and is converted: ${STOP}`),
    ...searched.map(
      (path) =>
        `${name} is searched by ${path}, which is converted, and whose words the old instances do not write: ${STOP}`,
    ),
    ...judged.map((field) => `${name} has row policies that compare ${field}, which is converted: ${STOP}`),
  ];
}

const STOP_BEFORE = 'that versions lists';
