import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import { effects as texts } from '../../messages/effects.ts';
import { links } from '../../navigation/links.ts';
import { SeverityShape } from '../states/state-badge.tsx';
import type { PolicyEffectPartsFragment } from './action-effect.generated.ts';
import { changingFirst } from './sum-effects.ts';

/** As many are read before agreeing; the others are a click away. */
const shownAtFirst = 8;

/** What is done to each policy: its count now and then, its bounds, whose it is, and what else of its document changes. */
export function PolicyEffects({
  effects,
  total,
  warnings,
  linksTo,
}: PolicyEffectsProps): ReactElement | null {
  const [isWhole, setWhole] = useState(false);
  if (effects.length === 0) return null;
  const ordered = changingFirst(effects);
  const shown = isWhole ? ordered : ordered.slice(0, shownAtFirst);
  const hidden = effects.length - shown.length;
  return (
    <>
      <ul className="policy-effects">
        {shown.map((effect, index) => {
          const key = `${effect.policy.namespace}/${effect.policy.name}`;
          // Several actions can act on one policy.
          return (
            <PolicyEffectRow
              key={`${index} ${key}`}
              effect={effect}
              warnings={warnings?.get(key)}
              isLinked={linksTo === 'Policies'}
            />
          );
        })}
      </ul>
      {hidden === 0 ? null : (
        <button type="button" className="button policy-effects-more" onClick={() => setWhole(true)}>
          {texts.showAll(effects.length)}
        </button>
      )}
      {total > effects.length ? <p className="quiet">{texts.notNamed(total - effects.length)}</p> : null}
    </>
  );
}

interface PolicyEffectsProps {
  /** In the order in which they are to be read. */
  readonly effects: readonly PolicyEffectPartsFragment[];
  /** How many they are, where the server does not name them all. */
  readonly total: number;
  /** What is to be looked at twice, by `namespace/name`. */
  readonly warnings?: ReadonlyMap<string, readonly string[]>;
  /** A page that says what would be done has links to the policies; a dialog has not. */
  readonly linksTo?: 'Policies';
}

function PolicyEffectRow({ effect, warnings = [], isLinked }: RowProps): ReactElement {
  const { policy, now, target, team, changes, notes } = effect;
  const { namespace, name } = policy;
  const who = [
    ...(target === null ? [] : [`${target.kind} ${target.name}`]),
    ...(team === null ? [] : [texts.team(team)]),
  ];
  const others = changes.filter((change) => !/^(min|max)Replicas /.test(change));
  return (
    <li>
      <span className="policy-effect-who">
        <span>
          <span className="quiet">{namespace}/</span>
          <strong>
            {isLinked && now !== null ? (
              <Link to={links.policy(policy)}>
                <bdi>{name}</bdi>
              </Link>
            ) : (
              <bdi>{name}</bdi>
            )}
          </strong>
        </span>
        {who.length === 0 ? null : <span className="quiet">{who.join(' · ')}</span>}
      </span>
      <Count effect={effect} />
      <Bounds effect={effect} />
      {warnings.map((warning) => (
        <span key={warning} className="policy-effect-note policy-effect-warning">
          <SeverityShape severity="attention" /> {warning}
        </span>
      ))}
      {[...others, ...notes].map((note) => (
        <span key={note} className="policy-effect-note quiet">
          {note}
        </span>
      ))}
    </li>
  );
}

interface RowProps {
  readonly effect: PolicyEffectPartsFragment;
  readonly warnings: readonly string[] | undefined;
  readonly isLinked: boolean;
}

const arrows = { Up: '▲', Down: '▼' } as const;

/** The count that follows at once is the largest thing of the row. */
function Count({ effect: { present, then, direction } }: EffectProps): ReactElement {
  const next = then?.replicas ?? null;
  if (direction === 'Up' || direction === 'Down') {
    return (
      <span className="policy-effect-count" data-direction={direction}>
        <span aria-hidden="true">{arrows[direction]} </span>
        {texts.count(present)} → <strong>{texts.count(next)}</strong>
        <span className="policy-effect-word"> {texts.difference((next ?? 0) - (present ?? 0))}</span>
      </span>
    );
  }
  return <span className="policy-effect-count">{texts.stays(direction === 'None' ? present : null)}</span>;
}

function Bounds({ effect: { now, then } }: EffectProps): ReactElement {
  const [before, after] = [boundsText(now), boundsText(then)];
  if (before === after) return <span className="policy-effect-bounds quiet">{texts.bounds(after)}</span>;
  return (
    <span className="policy-effect-bounds">
      {now === null ? texts.comes : `${texts.bounds(before)} → `}
      <strong>{after}</strong>
    </span>
  );
}

interface EffectProps {
  readonly effect: PolicyEffectPartsFragment;
}

function boundsText(picture: PolicyEffectPartsFragment['now'] | PolicyEffectPartsFragment['then']): string {
  return picture === null ? texts.leaves : `${picture.minReplicas}–${picture.maxReplicas}`;
}
