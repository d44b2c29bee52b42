import { isJsonObject, type Json, type JsonObject } from '../../conventions/json/json.ts';
import { readArray, readObject, readString } from '../../model/values/access.ts';

/** An OpenAPI description (2.0 to 3.2). All references are local. */
export class DescribedApi {
  readonly document: JsonObject;
  /**
   * The results of `objectSchema`. Null also while a schema is being merged, so that an `allOf` that contains itself
   * ends there.
   */
  readonly #objects = new Map<JsonObject, JsonObject | null>();

  constructor(document: JsonObject) {
    this.document = document;
  }

  /** The value that a reference leads to, or the value itself. Null for a reference without target, or to itself. */
  resolve(value: Json | undefined): JsonObject | null {
    let resolved = value;
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      if (!isJsonObject(resolved)) return null;
      const reference = readString(resolved['$ref']);
      if (reference === null) return resolved;
      resolved = this.#target(reference);
    }
    return null;
  }

  /** The JSON schema of the body of a request: in 2.0, of its parameter in the body. */
  bodySchema(operation: Json | undefined): Json | undefined {
    const { requestBody, parameters } = readObject(operation);
    if (requestBody !== undefined) return this.#contentSchema(requestBody);
    return readArray(parameters)
      .map((each) => this.resolve(each))
      .find((each) => each?.['in'] === 'body')?.['schema'];
  }

  /** The JSON schema of a request body or of a response; responses of 2.0 have it without a media type. */
  #contentSchema(holder: Json | undefined): Json | undefined {
    const { content: declared, schema } = this.resolve(holder) ?? {};
    if (declared === undefined) return schema;
    const content = readObject(declared);
    const types = Object.keys(content);
    const type = types.find((each) => /[/+]json\b/i.test(each)) ?? types.find((each) => ANY_TYPE.test(each)) ?? '';
    return readObject(content[type])['schema'];
  }

  /** The JSON schema of the first successful response of an operation. */
  responseSchema(operation: Json | undefined): Json | undefined {
    const responses = Object.entries(readObject(readObject(operation)['responses']));
    const [, response] =
      responses.find(([status, each]) => status.startsWith('2') && this.#contentSchema(each) !== undefined) ?? [];
    return this.#contentSchema(response);
  }

  /** The properties and required names of a schema of an object, with those of `allOf`. Null for another schema. */
  objectSchema(value: Json | undefined): JsonObject | null {
    const schema = this.resolve(value);
    if (schema === null) return null;
    const known = this.#objects.get(schema);
    if (known !== undefined) return known;
    this.#objects.set(schema, null);
    const merged = this.#merged(schema);
    this.#objects.set(schema, merged);
    return merged;
  }

  #merged(schema: JsonObject): JsonObject | null {
    const parts = readArray(schema['allOf']).map((part) => this.objectSchema(part));
    if (!isJsonObject(schema['properties']) && parts.every((part) => part === null)) return null;
    const all = [...parts.filter((part) => part !== null), schema];
    return {
      type: 'object',
      properties: Object.assign({}, ...all.map((part) => readObject(part['properties']))),
      required: [...new Set(all.flatMap((part) => readArray(part['required'])))],
    };
  }

  #target(reference: string): Json | undefined {
    if (!reference.startsWith('#/')) return undefined;
    let value: Json | undefined = this.document;
    for (const step of reference.slice(2).split('/')) {
      const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
      value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    }
    return value;
  }
}

/** Ranges that contain JSON, as some frameworks declare what they answer. */
const ANY_TYPE = /^(?:\*|application)\/\*/i;

/** References to references. */
const MAX_STEPS = 20;

/** The component that a schema refers to, as `#/components/schemas/Pet`; null for an inline schema. */
export function referencedComponent(value: Json | undefined): string | null {
  return isJsonObject(value) ? readString(value['$ref']) : null;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
