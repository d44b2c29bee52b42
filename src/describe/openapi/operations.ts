import type { JsonObject } from '../../conventions/json/json.ts';
import { SECURITY_SCHEME } from './security.ts';
import type { Description } from './described-resource.ts';
import type { SurfaceOperation, OperationAccess } from '../surface/operation.ts';
import { errorResponses, success } from './responses.ts';

/** The texts and bodies of an operation of the surface. */
export interface OperationDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly parameters: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  /** The responses of success, by status. */
  readonly responses: JsonObject;
  readonly operation: SurfaceOperation;
}

/** An operation, with the responses that it has when it fails. */
export function operationObject(given: OperationDescription, to: Description): JsonObject {
  const { operationId, summary, description = summary, tag, parameters, requestBody, responses, operation } = given;
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(to.contract.deprecated === null ? {} : { deprecated: true }),
    ...describeSecurity(operation.access, to),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...responses, ...errorResponses(operation, to) },
  };
}

/** A HEAD: the response to GET without its body, so that no error has a schema (MET-5). */
export function headObject(given: OperationDescription, to: Description): JsonObject {
  const { operationId, summary, tag, parameters, responses, operation } = given;
  const { contract } = to;
  const failed = (phrase: string): JsonObject =>
    success(
      phrase === 'client' ? 'headRefused' : 'headFailed',
      {
        description:
          phrase === 'client' ? 'As for GET, without a body.' : 'The server failed; as for GET, without a body.',
        fields: ['WWW-Authenticate', 'Retry-After', 'Link'],
      },
      to,
    );
  return {
    operationId,
    summary,
    description: 'The header fields of the response to GET.',
    tags: [tag],
    ...(contract.deprecated === null ? {} : { deprecated: true }),
    ...describeSecurity(operation.access, to),
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { ...responses, '4XX': failed('client'), '5XX': failed('server') },
  };
}

/** Credentials that an operation needs; one that needs none may still be sent some. */
export function describeSecurity(
  { authenticated, scopes }: OperationAccess,
  { contract: { model } }: Description,
): JsonObject {
  if (model.auth === null) return {};
  const needed = { [SECURITY_SCHEME]: scopes };
  return { security: authenticated ? [needed] : [{}, needed] };
}

/** OPTIONS of a target (MET-5). */
export function optionsObject(
  given: Pick<OperationDescription, 'operationId' | 'tag' | 'operation'>,
  to: Description,
): JsonObject {
  const fields = [
    'Allow',
    'Accept-Patch',
    'Accept-Post',
    'Accept-Query',
    'Access-Control-Allow-Methods',
    'Access-Control-Allow-Headers',
    'Access-Control-Max-Age',
  ];
  const shown = to.contract.model.cors === null ? fields.slice(0, 4) : fields;
  return operationObject(
    {
      ...given,
      summary: 'List the methods',
      description: 'The methods that the caller may use here, and the media types of bodies.',
      parameters: [],
      responses: { '204': success('options', { description: 'The methods are in Allow.', fields: shown }, to) },
    },
    to,
  );
}
