import type { HeaderFields } from '../conventions/headers/header-fields.ts';
import type { ApiResponse, RawRequest } from './handler.ts';

/** A message of an agent, whose caller may use the API. */
export interface AgentMessage {
  readonly request: RawRequest;
  readonly fields: HeaderFields;
  readonly correlationId: string;
  /** True if a page of an origin that the API allows may have sent it. */
  readonly isAllowedOrigin: boolean;
}

/**
 * Answers the messages of agents (OPS-8). The response has the header fields of the protocol alone.
 *
 * @throws {ApiError} for a body that cannot be received
 */
export type AgentEndpoint = (message: AgentMessage) => Promise<ApiResponse>;
