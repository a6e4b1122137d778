import type { ReactElement } from 'react';
import { actions } from '../messages/actions.ts';
import { timeZone } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import type { ActionEffectPartsFragment } from './action-effect.generated.ts';
import { formatTime } from './format-time.ts';

/** As many as are read before agreeing; the others are counted. */
const maximumShown = 8;

/** What an action will do, per policy: counts and bounds now and then. */
export function EffectView({ effect }: { readonly effect: ActionEffectPartsFragment }): ReactElement {
  const zone = useStore(timeZone);
  const { summary, until } = effect;
  const shown = effect.policies.slice(0, maximumShown);
  return (
    <>
      {/* Times in it are written as everywhere. */}
      <p>{until === null ? summary : summary.replaceAll(until, formatTime(until, zone))}</p>
      {shown.length === 0 ? null : (
        <ul className="effect-policies">
          {shown.map(({ policy, now, then, notes }, index) => (
            // Several actions can act on one policy.
            <li key={`${index} ${policy.namespace}/${policy.name}`}>
              <span>
                <span className="quiet">{policy.namespace}/</span>
                <bdi>{policy.name}</bdi>
              </span>
              <span>
                {pictureText(now) === pictureText(then) ? null : `${pictureText(now)} → `}
                <strong>{pictureText(then)}</strong>
              </span>
              {notes.map((note) => (
                <span key={note} className="quiet">
                  {note}
                </span>
              ))}
            </li>
          ))}
        </ul>
      )}
      {shown.length > 0 && effect.total > shown.length ? (
        <p className="quiet">{actions.others(effect.total - shown.length)}</p>
      ) : null}
      {effect.changes.length === 0 ? null : <pre className="code">{effect.changes.join('\n')}</pre>}
      {effect.problems.map((problem) => (
        <p key={problem} className="problem">
          {problem}
        </p>
      ))}
    </>
  );
}

type Picture = ActionEffectPartsFragment['policies'][number]['now'];

function pictureText(picture: Picture): string {
  if (picture === null) return actions.unknownCount;
  const { replicas, minReplicas, maxReplicas } = picture;
  return `${replicas ?? actions.unknownCount} (${minReplicas}–${maxReplicas})`;
}
