import type { ReactElement } from 'react';
import { decision } from '../../messages/decision.ts';
import type { MetricPartsFragment } from './decision.generated.ts';

const texts = decision.pods;

/** As many names as are read at a look; the others are counted. */
const maximumNames = 40;

/** The pods of a metric: those that count, and those that do not, each with why. */
export function PodsView({ pods }: Pick<MetricPartsFragment, 'pods'>): ReactElement {
  const groups = groupsOf(pods).filter(({ names }) => names.length > 0);
  if (groups.length === 0) return <p className="quiet">{texts.none}</p>;
  return (
    <ul className="pods">
      {groups.map(({ id, title, names }) => (
        <li key={id} className="pods-group" data-group={id}>
          <details open={id === 'filtered'}>
            <summary>
              <span className="pods-count">{names.length}</span> {title}
              <Dots count={names.length} />
            </summary>
            <p className="pods-names">{names.slice(0, maximumNames).join(', ')}</p>
            {names.length > maximumNames ? (
              <p className="quiet">{texts.others(names.length - maximumNames)}</p>
            ) : null}
          </details>
        </li>
      ))}
    </ul>
  );
}

interface PodGroup {
  readonly id: string;
  readonly title: string;
  readonly names: readonly string[];
}

function groupsOf({
  ready,
  unready,
  missing,
  ignored,
  filteredOut,
}: MetricPartsFragment['pods']): readonly PodGroup[] {
  return [
    { id: 'counted', title: texts.counted, names: ready },
    { id: 'unready', title: texts.unready, names: unready },
    { id: 'missing', title: texts.missing, names: missing },
    { id: 'ignored', title: texts.ignored, names: ignored },
    {
      id: 'filtered',
      title: texts.filtered,
      names: filteredOut.map(({ pod, reason }) => `${pod} (${texts.why[reason]})`),
    },
  ];
}

/** A dot per pod, as far as there is room. */
function Dots({ count }: { readonly count: number }): ReactElement {
  const shown = Math.min(count, maximumNames);
  return (
    <svg className="pods-dots" width={shown * 8} height="8" aria-hidden="true">
      {Array.from({ length: shown }, (_, index) => (
        <circle key={index} cx={index * 8 + 4} cy="4" r="2.75" />
      ))}
    </svg>
  );
}
