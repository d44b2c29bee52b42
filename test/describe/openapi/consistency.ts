import { Ajv2020 } from 'ajv/dist/2020.js';
import { isJsonObject, type Json, type JsonObject } from '../../../src/conventions/json/json.ts';
import { formats } from '../../../src/model/values/formats.ts';

/** A validator of the schemas of descriptions, which asserts every format. */
export function descriptionValidator(): Ajv2020 {
  // Most validators check one value: optimizing their code would take longer than it saves.
  const code = { optimize: false };
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true, logger: false, code });
  for (const [name, { test }] of Object.entries(formats)) ajv.addFormat(name, test);
  ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
  ajv.addFormat('uri-reference', (text) => URL.canParse(text, 'http://localhost'));
  ajv.addFormat('decimal', (text) => /^-?\d+(?:\.\d+)?$/.test(text));
  return ajv;
}

/** Every object of a document, with where it is. */
export function* listObjects(value: Json | undefined, at = '#'): Generator<readonly [at: string, object: JsonObject]> {
  if (Array.isArray(value)) for (const [index, each] of value.entries()) yield* listObjects(each, `${at}/${index}`);
  if (!isJsonObject(value)) return;
  yield [at, value];
  for (const [name, each] of Object.entries(value)) yield* listObjects(each, `${at}/${name}`);
}

/** The value at a JSON pointer below the root. */
export function resolved(document: JsonObject, reference: Json | undefined): Json | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce<Json | undefined>((held, step) => (isJsonObject(held) ? held[step] : undefined), document);
}

/** The operations of a description, with their method and path. */
export function listOperations(
  document: JsonObject,
): readonly { readonly path: string; readonly method: string; readonly operation: JsonObject }[] {
  const paths = member(document, 'paths');
  return Object.keys(paths).flatMap((path) => {
    const item = member(paths, path);
    const further = member(item, 'x-oai-additionalOperations');
    const entries = [...Object.entries(item), ...Object.entries(further)];
    return entries.flatMap(([name, operation]) => {
      const method = name.toUpperCase();
      const isMethod = METHODS.has(method) && isJsonObject(operation);
      return isMethod ? [{ path, method, operation }] : [];
    });
  });
}

const METHODS = new Set(['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

/** A string, empty where the value is none. */
export function requireString(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A member that is an object; an empty one where it is not. */
export function member(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** Lists the contradictions in a description. */
export function contradictions(document: JsonObject): readonly string[] {
  return [
    ...brokenReferences(document),
    ...unusedComponents(document),
    ...repeatedOperations(document),
    ...pathProblems(document),
    ...schemaProblems(document),
  ];
}

function brokenReferences(document: JsonObject): readonly string[] {
  return [...listObjects(document)].flatMap(([at, { $ref }]) =>
    $ref === undefined || isJsonObject(resolved(document, $ref))
      ? []
      : [`${at}: ${JSON.stringify($ref)} leads nowhere`],
  );
}

function unusedComponents(document: JsonObject): readonly string[] {
  const used = new Set([...listObjects(document)].map(([, { $ref }]) => $ref));
  const { securitySchemes: _schemes, ...sections } = member(document, 'components');
  return Object.entries(sections).flatMap(([section, components]) =>
    Object.keys(isJsonObject(components) ? components : {}).flatMap((name) => {
      const reference = `#/components/${section}/${name}`;
      const isValid = /^[A-Za-z0-9._-]+$/.test(name);
      return used.has(reference) && isValid ? [] : [`${reference} is ${isValid ? 'not used' : 'no valid name'}`];
    }),
  );
}

function repeatedOperations(document: JsonObject): readonly string[] {
  const ids = listOperations(document).map(({ operation }) => requireString(operation['operationId']));
  return ids.filter((id, index) => !/^[a-z]\w*$/.test(id) || ids.indexOf(id) < index).map((id) => `operationId ${id}`);
}

/** Each name in a path is a parameter, and no parameter is there twice. */
function pathProblems(document: JsonObject): readonly string[] {
  return listOperations(document).flatMap(({ path, method, operation }) => {
    const own = [member(member(document, 'paths'), path)['parameters'], operation['parameters']];
    const parameters = own
      .flatMap((list) => (Array.isArray(list) ? list : []))
      .map((each: Json) => findParameter(document, each));
    const names = parameters.map(({ name, in: place }) => `${requireString(place)} ${requireString(name)}`);
    const declared = names.filter((name) => name.startsWith('path ')).sort();
    const written = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => `path ${name}`).sort();
    return [
      ...(declared.join() === written.join() ? [] : [`${method} ${path} has the parameters ${declared.join()}`]),
      ...names.filter((name, index) => names.indexOf(name) < index).map((name) => `${method} ${path}: ${name} twice`),
    ];
  });
}

function findParameter(document: JsonObject, given: Json): JsonObject {
  const found = isJsonObject(given) && given['$ref'] !== undefined ? resolved(document, given['$ref']) : given;
  return isJsonObject(found) ? found : {};
}

/** Each schema is one, and its examples and default match it. */
function schemaProblems(document: JsonObject): readonly string[] {
  const ajv = descriptionValidator();
  ajv.addSchema(document, 'description');
  // Many places have the same schema, whose values are the same too.
  const errorsBySchema = new Map<string, readonly string[]>();
  const findErrors = (schema: JsonObject, values: readonly Json[]): readonly string[] => {
    const validate = ajv.compile(rebased(schema));
    return values.flatMap((value) => (validate(value) ? [] : [ajv.errorsText(validate.errors)]));
  };
  return [...listObjects(document)].flatMap(([at, object]) => {
    const isSchema = /\/schema$|\/components\/schemas\/[^/]+$|\/itemSchema$/.test(at);
    if (!isSchema) return [];
    if (!ajv.validateSchema(object)) return [`${at}: ${ajv.errorsText(ajv.errors)}`];
    const { examples, default: fallback } = object;
    const values = [...(Array.isArray(examples) ? examples : []), ...(fallback === undefined ? [] : [fallback])];
    if (values.length === 0) return [];
    const errors = errorsBySchema.getOrInsertComputed(JSON.stringify(object), () => findErrors(object, values));
    return errors.map((error) => `${at}: ${error}`);
  });
}

/** A schema whose references are to the schemas of the document, by its name in the validator. */
export function rebased(schema: JsonObject): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"description#/'));
  return copy;
}
