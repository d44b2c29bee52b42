import type { Json, JsonObject } from '../../conventions/json/json.ts';
import { compareNamed, flag, matched, type Pair } from '../../model/diff/comparers.ts';
import { type Difference, difference, inside, type Place, shown } from '../../model/diff/difference.ts';
import { isSameJson } from '../../model/diff/keywords.ts';
import { readObject, readString } from '../../model/values/access.ts';
import { type Resolved, resolve } from './api-description.ts';
import type { SchemaPlace } from './schema-comparer.ts';
import type { ComparedDescriptions } from './compared-descriptions.ts';

/** The differences of the parameters of an operation. */
export function compareParameters(
  [was, is]: Pair<ReadonlyMap<string, Resolved>>,
  at: Place,
  of: ComparedDescriptions,
): readonly Difference[] {
  return compareNamed(matched(was, is), {
    both: (pair, key) => compareParameter(key, pair, { at, of }),
    added: ({ value }) => {
      const isRequired = value['required'] === true;
      const kind = isRequired ? 'required-parameter-added' : 'parameter-added';
      return difference(kind, at, `a new${isRequired ? ' required' : ''} parameter: ${parameterName(value)}`);
    },
    removed: ({ value }) => difference('parameter-removed', at, `no longer has the parameter ${parameterName(value)}`),
  });
}

/** A place, and the descriptions that are compared. */
interface ContentContext {
  readonly at: Place;
  readonly of: ComparedDescriptions;
}

/** The parameters that name the version of the API, whose values differ between versions. */
const VERSION_PARAMETERS: ReadonlySet<string> = new Set(['query:api_version', 'header:api-version']);

const PARAMETER_REQUIRED = flag(
  ['parameter-required', 'is required'],
  ['parameter-not-required', 'is no longer required'],
);
const BODY_REQUIRED = flag(
  ['body-required', 'a body is required'],
  ['body-not-required', 'a body is no longer required'],
);

function compareParameter(key: string, pair: Pair<Resolved>, { at: owner, of }: ContentContext): readonly Difference[] {
  const { name } = pair[1];
  if (name !== null && of.isKnown(pair)) return [];
  const [was, is] = [pair[0].value, pair[1].value];
  const at = { ...owner, path: name === null ? `${owner.path} ${parameterName(is)}` : shown(name) };
  return [
    ...PARAMETER_REQUIRED(was['required'] === true, is['required'] === true, at, pair),
    ...(isSameJson(readStyle(was), readStyle(is))
      ? []
      : [
          difference(
            'parameter-style-changed',
            at,
            `is written as ${shown(readStyle(is))}, was ${shown(readStyle(was))}`,
          ),
        ]),
    ...(VERSION_PARAMETERS.has(key) ? [] : of.schemas.compare(parameterSchema(was), parameterSchema(is), at)),
  ];
}

/** `query.limit`, without spaces and control characters. */
function parameterName({ name, in: place }: JsonObject): string {
  return `${readString(place) ?? ''}.${shown(name)}`;
}

/** Reads the serialization of a parameter, with the defaults of OpenAPI. */
function readStyle({ in: place, style, explode, content, allowReserved }: JsonObject): JsonObject {
  const written = readString(style) ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const media = Object.keys(readObject(content))[0];
  return {
    style: written,
    explode: explode ?? written === 'form',
    ...(allowReserved === true ? { allowReserved } : {}),
    ...(media === undefined ? {} : { content: media }),
  };
}

function parameterSchema({ schema, content }: JsonObject): Json | undefined {
  return schema ?? readObject(Object.values(readObject(content))[0])['schema'];
}

/** The differences of the bodies of two requests. */
export function compareBodies(
  [was, is]: Pair<Json | undefined>,
  owner: Place,
  of: ComparedDescriptions,
): readonly Difference[] {
  if (is === undefined) return was === undefined ? [] : [difference('body-removed', owner, 'no longer has a body')];
  const pair: Pair<Resolved> = [resolve(was, of.descriptions[0]), resolve(is, of.descriptions[1])];
  const [before, after] = [pair[0].value, pair[1].value];
  const isRequired = after['required'] === true;
  if (was === undefined) {
    if (isRequired) return [difference('body-required', owner, 'a body is required')];
    return [difference('body-added', owner, 'may have a body')];
  }
  const { name } = pair[1];
  if (name !== null && of.isKnown(pair)) return [];
  const at = { ...owner, path: name === null ? `${owner.path} body` : shown(name) };
  return [
    ...BODY_REQUIRED(before['required'] === true, isRequired, at, pair),
    ...compareContent([before['content'], after['content']], at, of),
  ];
}

/** The differences of the responses of an operation, by status. */
export function compareResponses(
  [was, is]: Pair<Json | undefined>,
  owner: Place,
  of: ComparedDescriptions,
): readonly Difference[] {
  const statuses = (responses: Json | undefined): ReadonlyMap<string, Json> =>
    new Map(Object.entries(readObject(responses)));
  return compareNamed(matched(statuses(was), statuses(is)), {
    both: (responses, status) => compareResponse(status, responses, { at: owner, of }),
    added: (_added, status) => difference('response-added', owner, `may be answered with ${shown(status)}`),
    removed: (_removed, status) => {
      const isSuccess = /^[123]/.test(status);
      const what = `is no longer answered with ${shown(status)}`;
      return difference(isSuccess ? 'success-response-removed' : 'error-response-removed', owner, what);
    },
  });
}

function compareResponse(
  status: string,
  responses: Pair<Json>,
  { at: owner, of }: ContentContext,
): readonly Difference[] {
  const pair: Pair<Resolved> = [resolve(responses[0], of.descriptions[0]), resolve(responses[1], of.descriptions[1])];
  const { name } = pair[1];
  if (name !== null && of.isKnown(pair)) return [];
  const at = { ...owner, path: name === null ? `${owner.path} ${shown(status)}` : shown(name) };
  const [was, is] = [pair[0].value, pair[1].value];
  return [
    ...compareHeaders([was['headers'], is['headers']], at, of),
    ...compareContent([was['content'], is['content']], at, of),
  ];
}

function compareHeaders(
  headers: Pair<Json | undefined>,
  owner: Place,
  of: ComparedDescriptions,
): readonly Difference[] {
  const [was, is] = headers.map((each, side) => readHeaders(each, side === 0 ? 0 : 1, of));
  if (was === undefined || is === undefined) return [];
  return compareNamed(matched(was, is), {
    both: (pair, field) => {
      const { name } = pair[1];
      if (name !== null && of.isKnown(pair)) return [];
      const at = { ...owner, path: name === null ? `${owner.path} ${shown(field)}` : `headers.${shown(name)}` };
      return of.schemas.compare(parameterSchema(pair[0].value), parameterSchema(pair[1].value), at);
    },
    added: (_added, field) => difference('header-added', owner, `has the field ${shown(field)}`),
    removed: ({ value }, field) => {
      const kind = value['required'] === true ? 'required-header-removed' : 'header-removed';
      return difference(kind, owner, `no longer has the field ${shown(field)}`);
    },
  });
}

function readHeaders(headers: Json | undefined, side: 0 | 1, of: ComparedDescriptions): ReadonlyMap<string, Resolved> {
  const fields = Object.entries(readObject(headers)).filter(([name]) => name.toLowerCase() !== 'content-type');
  return new Map(fields.map(([name, value]) => [name.toLowerCase(), resolve(value, of.descriptions[side])]));
}

/** The differences of the media types of a body, and of what it contains in each of them. */
function compareContent(contents: Pair<Json | undefined>, at: Place, of: ComparedDescriptions): readonly Difference[] {
  const types = contents.map(
    (content, side) =>
      new Map(
        Object.entries(readObject(content)).map(([type, value]) => [
          of.mediaType(type, side === 0 ? 0 : 1),
          readObject(value),
        ]),
      ),
  );
  const [was, is] = types;
  if (was === undefined || is === undefined) return [];
  return compareNamed(matched(was, is), {
    both: (pair, type) => compareMedia(pair, { ...at, path: `${at.path} ${shown(type)}`, isForm: FORMS.has(type) }, of),
    added: (_added, type) => difference('media-type-added', at, `has the media type ${shown(type)}`),
    removed: (_removed, type) => difference('media-type-removed', at, `no longer has the media type ${shown(type)}`),
  });
}

const FORMS: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data']);

function compareMedia([was, is]: Pair<JsonObject>, at: SchemaPlace, of: ComparedDescriptions): readonly Difference[] {
  const encoding = compareEncoding([readObject(was['encoding']), readObject(is['encoding'])], at);
  // Descriptions before OpenAPI 3.2 have no schemas of lines.
  if ('itemSchema' in was !== 'itemSchema' in is) return encoding;
  return [
    ...encoding,
    ...of.schemas.compare(was['schema'], is['schema'], at),
    ...of.schemas.compare(was['itemSchema'], is['itemSchema'], at),
  ];
}

/** Compares the encoding of members of a form that both have. */
function compareEncoding([was, is]: Pair<JsonObject>, at: Place): readonly Difference[] {
  return Object.keys(is).flatMap((name) => {
    if (!Object.hasOwn(was, name) || isSameJson(was[name], is[name])) return [];
    return [difference('values-changed', inside(at, shown(name)), 'is written in another way')];
  });
}
