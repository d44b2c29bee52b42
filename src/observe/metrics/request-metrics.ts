import type { RequestObservation } from '../observation.ts';
import { type Counter, CounterFamily, type Histogram, HistogramFamily } from './instruments.ts';
import { knownMethod, OTHER } from './known-method.ts';
import type { Label, MetricFamily } from './metric-family.ts';

/** Seconds: the buckets that OpenTelemetry advises for the durations of HTTP requests. */
const DURATIONS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Bytes: 256 to 16 MiB in factors of four. */
const SIZES: readonly number[] = Array.from({ length: 9 }, (_, index) => 256 * 4 ** index);

/** Error codes of one route by name; an application may throw errors of its own. */
const MAX_CODES = 100;

/** The series of one method and route. */
interface RouteSeries {
  readonly method: string;
  readonly labels: readonly Label[];
  /** null before there was a body. */
  requestSize: Histogram | null;
  responseSize: Histogram | null;
  readonly outcomes: OutcomeSeries[];
  readonly errors: Map<string, Counter>;
}

/** The series of one status and contract. */
interface OutcomeSeries {
  readonly status: number;
  readonly version: string | null;
  readonly duration: Histogram;
}

/**
 * The metrics of requests, under the names and units of OpenTelemetry's semantic conventions (OPS-2). Its labels have
 * patterns and names, never data: their values are bounded by the model. Each request looks up its series by the
 * pattern, which is one string for all requests, and then in short lists. This costs less than a key of all labels.
 */
export class RequestMetrics {
  readonly #durations = new HistogramFamily(
    { name: 'http_server_request_duration_seconds', help: 'Duration of HTTP requests until the response begins.' },
    DURATIONS,
  );
  readonly #requestSizes = new HistogramFamily(
    { name: 'http_server_request_body_size_bytes', help: 'Size of request bodies of known length, as received.' },
    SIZES,
  );
  readonly #responseSizes = new HistogramFamily(
    { name: 'http_server_response_body_size_bytes', help: 'Size of response bodies that are not streamed, as sent.' },
    SIZES,
  );
  readonly #errors = new CounterFamily({
    name: 'restwright_http_errors_total',
    help: 'Error responses by the code in their body.',
  });
  readonly #overload = new CounterFamily(
    { name: 'restwright_overload_refused_total', help: 'Requests that were refused because of overload.' },
    [[]],
  );
  readonly #refused = this.#overload.of([]);
  readonly #routes = new Map<string | null, RouteSeries[]>();

  record(request: RequestObservation): void {
    const { errorCode, requestSize, responseSize } = request;
    const series = this.#seriesOf(request);
    this.#outcomeOf(series, request).duration.record(request.duration / 1_000);
    if (requestSize !== null && requestSize > 0)
      (series.requestSize ??= this.#requestSizes.of(series.labels)).record(requestSize);
    if (responseSize !== null && responseSize > 0)
      (series.responseSize ??= this.#responseSizes.of(series.labels)).record(responseSize);
    if (errorCode === null) return;
    this.#errorsOf(series, errorCode).add();
    if (errorCode === 'SERVER_OVERLOADED') this.#refused.add();
  }

  families(): readonly MetricFamily[] {
    return [this.#durations, this.#requestSizes, this.#responseSizes, this.#errors, this.#overload].map((each) =>
      each.family(),
    );
  }

  #seriesOf({ method, route }: RequestObservation): RouteSeries {
    let routes = this.#routes.get(route);
    if (routes === undefined) this.#routes.set(route, (routes = []));
    for (const each of routes) if (each.method === method) return each;
    const known = knownMethod(method);
    return routes.find((each) => each.method === known) ?? this.#addSeries(routes, known, route);
  }

  #addSeries(routes: RouteSeries[], method: string, route: string | null): RouteSeries {
    const labels: readonly Label[] = [
      ['http_request_method', method],
      ['http_route', route ?? ''],
    ];
    const made: RouteSeries = {
      method,
      labels,
      requestSize: null,
      responseSize: null,
      outcomes: [],
      errors: new Map(),
    };
    routes.push(made);
    return made;
  }

  #outcomeOf({ labels, outcomes }: RouteSeries, { status, version }: RequestObservation): OutcomeSeries {
    for (const each of outcomes) if (each.status === status && each.version === version) return each;
    const all: readonly Label[] = [
      ...labels,
      ['http_response_status_code', String(status)],
      ['api_version', version ?? ''],
    ];
    const made = { status, version, duration: this.#durations.of(all) };
    outcomes.push(made);
    return made;
  }

  #errorsOf({ labels, errors }: RouteSeries, code: string): Counter {
    const name = errors.has(code) || errors.size < MAX_CODES ? code : OTHER;
    const known = errors.get(name);
    if (known !== undefined) return known;
    const made = this.#errors.of([...labels, ['error_code', name]]);
    errors.set(name, made);
    return made;
  }
}
