const WIDTH = 300;
const HEIGHT = 64;

export interface PlotProps {
  readonly title: string;
  /** The last value as text. */
  readonly current: string;
  readonly label: string;
  /** Null where nothing was measured: the line has a gap. */
  readonly values: readonly (number | null)[];
  /** The number of values that fill the width. */
  readonly most: number;
}

/** A line of values over time, from 0 to the largest of them. */
export function Plot({ title, current, label, values, most }: PlotProps) {
  const top = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const step = WIDTH / (most - 1);
  const start = WIDTH - (values.length - 1) * step;
  const points = values.map((value, index) =>
    value === null
      ? null
      : `${(start + index * step).toFixed(1)},${(HEIGHT - 1 - (value / top) * (HEIGHT - 3)).toFixed(1)}`,
  );
  return (
    <figure className="plot">
      <figcaption>
        <span className="hint">{title}</span> <strong>{current}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <path className="axis" d={`M0 ${HEIGHT - 1}H${WIDTH}`} vectorEffect="non-scaling-stroke" />
        <path className="line" d={toPath(points)} vectorEffect="non-scaling-stroke" />
      </svg>
    </figure>
  );
}

function toPath(points: readonly (string | null)[]): string {
  return points
    .flatMap((point, index) => {
      if (point === null) return [];
      const before = points[index - 1] ?? null;
      // A single point has no length: a short line shows it.
      return [before === null ? `M${point}h0.5` : `L${point}`];
    })
    .join('');
}
