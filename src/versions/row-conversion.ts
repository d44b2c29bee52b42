import type { Json } from '../conventions/json/json.ts';
import type { Field, Model, OlderVersion, Resource } from '../model/model.ts';
import { memberAssertions } from '../model/values/assertion.ts';
import { describeReason } from '../model/values/messages.ts';
import { absentValue, storedForm, type StoredForm } from '../model/values/stored-form.ts';
import { ConversionError } from '../model/values/conversion-error.ts';
import { compileAssertion, dedupeViolations, type FindViolations } from '../model/values/validator.ts';
import type { FieldValues, Row } from '../plan/plan.ts';
import { findContractMapping } from './contract-mapping.ts';
import { findLosses, type LostValue } from './lost-values.ts';
import type { ResourceMapping } from './resource-mapping.ts';
import { isShownAs } from './shown-values.ts';

/** A reason why a stored row of an older contract is not the same row in the newest one. */
export type ConversionProblem =
  /** A function of the model has failed. Its fields have their defaults. */
  | { readonly kind: 'failed'; readonly field: string; readonly message: string }
  /** A value of the newest contract that its schema does not allow. */
  | { readonly kind: 'invalid'; readonly field: string; readonly message: string }
  | LostValue;

/** The values of the newest contract for a row, by field, in their stored form. */
export interface ConvertedValues {
  readonly values: FieldValues;
  readonly problems: readonly ConversionProblem[];
}

/** Converts stored rows of one resource from an older contract to the newest one (VER-5c). */
export interface RowConversion {
  /** The resource in the older contract. */
  readonly older: Resource;
  readonly stored: Resource;
  /** The fields of the older contract that are stored in another form, or no longer. */
  readonly from: readonly Field[];
  /** The fields of the newest contract that hold them. */
  readonly to: readonly Field[];
  /** Set where rows of the newest contract are converted back to an older one. */
  readonly isReturn?: true;

  /** @param values of the fields in `from` */
  convert(values: FieldValues): ConvertedValues;
}

/** Converts rows that instances of both contracts write. */
export interface PairedConversion extends RowConversion {
  /**
   * Converts a row that an instance of the older model has changed. What its change leaves as it is shown keeps its
   * stored value.
   *
   * @param current the values of the fields in `to`
   */
  update(values: FieldValues, current: FieldValues): ConvertedValues;

  /**
   * Converts a row back that an instance of the newest model has written: the values of the fields in `from`. Those
   * that mean what the row holds stay, and so do those of which the newest contract holds nothing.
   *
   * @param values of the fields in `to`
   * @param before the values of the fields in `from`; null for a new row
   */
  revert(values: FieldValues, before: FieldValues | null): ConvertedValues;

  /** Finds values of the fields in `to` that the newest schema does not allow. */
  findInvalid(values: FieldValues): readonly ConversionProblem[];
}

/** The differences between the stored rows of two contracts. */
export interface StoredDifference<C extends RowConversion = RowConversion> {
  /** The newest model: each resource and field with the name that it has in the older contract (`was`, `x-was`). */
  readonly model: Model;
  /** By the name of the resource; none for one whose rows differ in names alone. */
  readonly conversions: ReadonlyMap<string, C>;
}

/**
 * Finds the differences between rows that an older contract has stored, as its newest one, and those of the newest.
 *
 * @param version one of the versions of the model, with its changes, or the contract of former names
 */
export function findStoredDifference(model: Model, version: OlderVersion): StoredDifference<PairedConversion> {
  const { resources: mappings } = findContractMapping(model, version);
  const resources = new Map<string, Resource>();
  const conversions = new Map<string, PairedConversion>();
  for (const [name, resource] of model.resources) {
    const older = version.model.resources.get(name);
    const mapping = mappings.get(name);
    const renamed = older === undefined ? resource : { ...resource, was: earlierTable(older, resource) };
    const conversion = mapping === undefined ? null : planConversion(mapping);
    resources.set(name, mapping === undefined ? renamed : withEarlierFields(renamed, mapping, conversion));
    if (conversion !== null) conversions.set(name, conversion);
  }
  return { model: { ...model, resources }, conversions };
}

/**
 * The table of a resource in a model whose newest contract has it. The server's own resources have one name in all
 * contracts, and some of them another collection: `webhook_secrets` are `/webhooks/{id}/secrets`.
 */
export function contractTable({ name, collection, compact }: Resource): string {
  return compact ? name : collection.replaceAll('-', '_');
}

/** The name that a table had while the older contract was the newest one. */
function earlierTable(older: Resource, { name, was }: Resource): string | null {
  const table = contractTable(older);
  return table === name ? was : table;
}

/** Names the fields of which only the name differs, and the values of new fields in rows of the older contract. */
function withEarlierFields(
  resource: Resource,
  mapping: ResourceMapping,
  conversion: ResourceConversion | null,
): Resource {
  // The values of rows that are created without any: those of `fill`.
  const fills = mapping.up({}, null);
  const fields = resource.fields.map((field): Field => {
    const from = conversion?.isConverted(field.name) === true ? null : findSameField(mapping, field.name);
    const was = from === field.name ? null : from;
    const fill = from === null ? fills[field.name] : undefined;
    return { ...field, was, ...(fill === undefined || fill === null ? {} : { default: fill }) };
  });
  return { ...resource, fields, field: new Map(fields.map((field) => [field.name, field])) };
}

/**
 * The field of the older contract that has the values of a stored one. Null where there is none, and where another
 * field of the older contract has its name: columns cannot exchange theirs.
 */
function findSameField(mapping: ResourceMapping, name: string): string | null {
  const from = mapping.sameField(name);
  return from !== name && mapping.older.field.has(name) ? null : from;
}

function planConversion(mapping: ResourceMapping): ResourceConversion | null {
  const { older, stored } = mapping;
  const same = new Set(
    stored.fields.flatMap(({ name }) => {
      const from = findSameField(mapping, name);
      return from === null ? [] : [from];
    }),
  );
  const isOwn = ({ name }: Field): boolean => name !== older.parent?.field;
  const from = older.fields.filter((field) => isOwn(field) && !same.has(field.name));
  if (from.length === 0) return null;
  const written = new Set(mapping.columns(from.map(({ name }) => name)));
  const to = stored.fields.filter(({ name }) => written.has(name));
  return new ResourceConversion(mapping, from, to);
}

/** The system members of a row that is only converted. */
export const NO_ROW: Pick<Row, 'id' | 'created_at' | 'updated_at' | 'revision'> = {
  id: '',
  created_at: '',
  updated_at: '',
  revision: 0,
};

class ResourceConversion implements PairedConversion {
  readonly older: Resource;
  readonly stored: Resource;
  readonly from: readonly Field[];
  readonly to: readonly Field[];
  readonly #mapping: ResourceMapping;
  readonly #findViolations: FindViolations;
  readonly #forms: readonly (readonly [Field, StoredForm])[];

  constructor(mapping: ResourceMapping, from: readonly Field[], to: readonly Field[]) {
    this.older = mapping.older;
    this.stored = mapping.stored;
    this.from = from;
    this.to = to;
    this.#mapping = mapping;
    this.#findViolations = compileAssertion({
      type: 'object',
      properties: memberAssertions(to, this.stored.schema),
    });
    this.#forms = to.map((field) => [field, storedForm(field)]);
  }

  isConverted(name: string): boolean {
    return this.to.some((field) => field.name === name);
  }

  convert(before: FieldValues): ConvertedValues {
    try {
      const values = this.#complete(this.#mapping.up(before, null));
      return {
        values,
        problems: [...this.findInvalid(values), ...this.#listLosses(before, values)],
      };
    } catch (error) {
      return { values: this.#complete({}), problems: [this.#describeFailure(error)] };
    }
  }

  findInvalid(values: FieldValues): readonly ConversionProblem[] {
    return describeViolations(this.#findViolations(values));
  }

  update(before: FieldValues, current: FieldValues): ConvertedValues {
    return this.#attempt(
      () => this.#complete(this.#mapping.up(before, { ...current, ...NO_ROW })),
      () => current,
    );
  }

  revert(values: FieldValues, before: FieldValues | null): ConvertedValues {
    const kept = before ?? Object.fromEntries(this.from.map((field) => [field.name, absentValue(field)]));
    return this.#attempt(
      () => {
        const shown = this.#mapping.down({ ...values, ...NO_ROW });
        const held = (field: Field): boolean => before !== null && this.#isMeant(field, before, values);
        return Object.fromEntries(
          this.from.map((field): [string, Json] => [
            field.name,
            held(field) ? (kept[field.name] ?? null) : storedForm(field)(shown[field.name] ?? absentValue(field)),
          ]),
        );
      },
      () => kept,
    );
  }

  /** Checks if a stored value of the older contract means what the newest one holds, or if that holds nothing of it. */
  #isMeant(field: Field, before: FieldValues, values: FieldValues): boolean {
    const { name } = field;
    if (this.#mapping.columns([name]).length === 0) return true;
    const meant = this.#mapping.up({ [name]: before[name] ?? null }, { ...values, ...NO_ROW });
    return this.to.every((each) => isShownAs(meant[each.name] ?? null, values[each.name] ?? null, each));
  }

  #attempt(convert: () => FieldValues, fallback: () => FieldValues): ConvertedValues {
    try {
      return { values: convert(), problems: [] };
    } catch (error) {
      return { values: fallback(), problems: [this.#describeFailure(error)] };
    }
  }

  /** Functions of models may throw anything. */
  #describeFailure(error: unknown): ConversionProblem {
    const failure = error instanceof ConversionError ? (error.cause ?? error) : error;
    const message = failure instanceof Error ? failure.message : String(failure);
    return { kind: 'failed', field: this.from.map(({ name }) => name).join(', '), message };
  }

  #complete(values: FieldValues): FieldValues {
    return Object.fromEntries(
      this.#forms.map(([field, form]): [string, Json] => [
        field.name,
        form(values[field.name] === undefined ? absentValue(field) : (values[field.name] ?? null)),
      ]),
    );
  }

  /** A row means in the older contract afterwards what it meant before. */
  #listLosses(before: FieldValues, values: FieldValues): readonly ConversionProblem[] {
    const after = this.#mapping.down({ ...values, ...NO_ROW });
    return findLosses(this.from, before, after);
  }
}

/** Describes the values that a schema does not allow. */
export function describeViolations(violations: ReturnType<FindViolations>): readonly ConversionProblem[] {
  return dedupeViolations(violations).map(({ path, reason, value }) => ({
    kind: 'invalid',
    field: path.filter((step) => typeof step === 'string').join('.'),
    message: reason.kind === 'unknown' ? 'is not declared' : describeReason(reason, value),
  }));
}
