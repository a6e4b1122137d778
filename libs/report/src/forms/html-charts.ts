import { escapeHtml } from './escape-html.ts';

/** What a chart has above one place of its axis; several values stand on each other. */
export interface Bar {
  readonly label: string;
  /** Null: not known. */
  readonly values: readonly (number | null)[];
}

/** A series of a chart: its name, and the class that colours it. */
export interface Series {
  readonly name: string;
  readonly colour: 'primary' | 'secondary';
}

const size = { width: 720, height: 200, left: 56, bottom: 24, top: 12 } as const;
const maximumLabels = 6;
const gridLines = 4;

/** A chart of standing bars as SVG, with a title of each bar for whoever points at it. */
export function barChart(title: string, series: readonly Series[], bars: readonly Bar[]): string {
  const top = niceMaximum(Math.max(0, ...bars.map(({ values }) => sumOf(values))));
  const plot = { width: size.width - size.left, height: size.height - size.bottom - size.top };
  const step = plot.width / Math.max(1, bars.length);
  const labelEvery = Math.ceil(bars.length / maximumLabels);
  const shapes = bars.map(({ label, values }, index) => {
    const x = size.left + index * step;
    let y = size.top + plot.height;
    const rects = values.map((value, at) => {
      const height = ((value ?? 0) / top) * plot.height;
      y -= height;
      return `<rect class="${series[at]?.colour ?? 'primary'}" x="${round(x + step * 0.12)}" y="${round(y)}" width="${round(step * 0.76)}" height="${round(height)}"/>`;
    });
    const says = series.map(({ name }, at) => `${name}: ${valueText(values[at] ?? null)}`).join(', ');
    const text =
      index % labelEvery === 0
        ? `<text x="${round(x + step / 2)}" y="${size.height - 8}" text-anchor="middle">${escapeHtml(label)}</text>`
        : '';
    return `<g><title>${escapeHtml(`${label}, ${says}`)}</title>${rects.join('')}</g>${text}`;
  });
  const grid = [...Array(gridLines + 1).keys()].map((line) => {
    const y = round(size.top + plot.height - (line / gridLines) * plot.height);
    return `<line x1="${size.left}" x2="${size.width}" y1="${y}" y2="${y}"/><text x="${size.left - 6}" y="${y + 4}" text-anchor="end">${numberText((top * line) / gridLines)}</text>`;
  });
  const legend =
    series.length < 2
      ? ''
      : `<p class="legend">${series.map(({ name, colour }) => `<span class="${colour}"></span>${escapeHtml(name)}`).join(' ')}</p>`;
  return `<figure><figcaption>${escapeHtml(title)}</figcaption>${legend}<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${escapeHtml(title)}">${grid.join('')}${shapes.join('')}</svg></figure>`;
}

const rowHeight = 22;

/** A chart of lying bars, one per name. */
export function rankChart(title: string, bars: readonly Bar[]): string {
  const top = Math.max(1e-9, ...bars.map(({ values }) => sumOf(values)));
  const height = bars.length * rowHeight + 4;
  const shapes = bars.map(({ label, values }, index) => {
    const value = sumOf(values);
    const y = index * rowHeight + 2;
    const width = round((value / top) * 380);
    return `<text x="232" y="${y + 14}" text-anchor="end">${escapeHtml(shortened(label))}<title>${escapeHtml(label)}</title></text><rect class="primary" x="240" y="${y + 2}" width="${width}" height="${rowHeight - 6}"/><text x="${round(246 + width)}" y="${y + 14}">${numberText(value)}</text>`;
  });
  return `<figure><figcaption>${escapeHtml(title)}</figcaption><svg viewBox="0 0 ${size.width} ${height}" role="img" aria-label="${escapeHtml(title)}">${shapes.join('')}</svg></figure>`;
}

function shortened(label: string): string {
  return label.length <= 34 ? label : `…${label.slice(-33)}`;
}

function sumOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** The next of 1, 2, 4, 8 times a power of ten, so that quarters of it are short numbers. */
function niceMaximum(value: number): number {
  if (value <= 0) return 4;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 8].find((factor) => factor * power >= value) ?? 10) * power;
}

function numberText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });
}

function valueText(value: number | null): string {
  return value === null ? 'not known' : numberText(value);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
