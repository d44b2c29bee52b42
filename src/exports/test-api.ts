/** `restwright/test-api`: an API for tests of a model. */
export type { EventEnvelope } from '../conventions/events/event.ts';
export {
  startTestApi,
  type TestApi,
  type TestApiOptions,
  type TestCaller,
  type TestCallerOptions,
  type TestClock,
  type TestFetch,
} from '../test-api.ts';
