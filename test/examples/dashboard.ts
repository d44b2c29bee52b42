import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The folder of the examples. */
export const MONITORING = path.join(import.meta.dirname, '..', '..', 'examples', 'monitoring');

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** A query of the dashboard. */
export interface DashboardQuery {
  readonly panel: string;
  readonly query: string;
}

/** The queries of all panels, as Grafana sends them for all jobs. @param interval for rates, such as `5s` */
export function dashboardQueries(interval: string): readonly DashboardQuery[] {
  const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(
    readFileSync(path.join(MONITORING, 'dashboard.json'), 'utf8'),
  );
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      panel: title,
      query: expr.replaceAll('$__rate_interval', interval).replaceAll('$job', '.*'),
    })),
  );
}
