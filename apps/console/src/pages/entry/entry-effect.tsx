import type { ComponentProps, ReactElement } from 'react';
import { Link } from 'react-router';
import { CodeBlock } from '../../components/frames/code-block.tsx';
import { Sentence } from '../../components/words/sentence.tsx';
import { countText } from '../../messages/count-text.ts';
import { entry as texts } from '../../messages/entry.ts';
import { links } from '../../navigation/links.ts';
import { InterventionEnd } from './intervention-end.tsx';
import { readEffect, type RecordedPicture, type RecordedPolicyEffect } from './read-effect.ts';

/** What an action did, as its dry run would have said it at that time. */
export function EntryEffect({ effect: given, endedEarly }: EntryEffectProps): ReactElement {
  const effect = readEffect(given);
  if (effect === null) return <p className="quiet">{texts.noEffect}</p>;
  const { summary, total, changes, against, policies } = effect;
  return (
    <>
      <p>
        <Sentence text={summary} />
      </p>
      {endedEarly === null ? null : (
        <p>
          {texts.endedEarly} <InterventionEnd {...endedEarly} />
        </p>
      )}
      {against.map((problem) => (
        <p key={problem} className="problem">
          {texts.forcedAgainst} <Sentence text={problem} />
        </p>
      ))}
      {policies.length === 0 ? null : (
        <ul className="policy-effects">
          {policies.map((each) => (
            <PolicyRow key={`${each.namespace}/${each.name}`} effect={each} />
          ))}
        </ul>
      )}
      {/* What both say is read once. */}
      {policies.length > 0 || changes.length === 0 ? null : (
        <CodeBlock title={texts.inWords} text={changes.join('\n')} />
      )}
      {policies.length > 0 && total > policies.length ? (
        <p className="quiet">{texts.notNamed(total - policies.length)}</p>
      ) : null}
    </>
  );
}

interface EntryEffectProps {
  readonly effect: unknown;
  /** How what the action began ended before it expired; null: it did not, or the action began nothing. */
  readonly endedEarly: ComponentProps<typeof InterventionEnd> | null;
}

const arrows: Readonly<Record<string, string>> = { Up: '▲', Down: '▼' };

function PolicyRow({ effect }: { readonly effect: RecordedPolicyEffect }): ReactElement {
  const { namespace, name, now, then, direction } = effect;
  const arrow = arrows[direction];
  return (
    <li>
      <span className="policy-effect-who">
        <span>
          <span className="quiet">{namespace}/</span>
          <strong>
            <Link to={links.policy({ namespace, name })}>
              <bdi>{name}</bdi>
            </Link>
          </strong>
        </span>
      </span>
      <span className="policy-effect-count" data-direction={arrow === undefined ? undefined : direction}>
        {arrow === undefined ? texts.stays(countOf(now)) : `${arrow} ${countOf(now)} → ${countOf(then)}`}
      </span>
      <span className="policy-effect-bounds">
        {texts.bounds(now?.bounds ?? texts.absent, then?.bounds ?? texts.absent)}
      </span>
      {notesOf(then).map((note) => (
        <span key={note} className="policy-effect-note quiet">
          {note}
        </span>
      ))}
    </li>
  );
}

function countOf(picture: RecordedPicture | null): string {
  const count = picture?.replicas ?? null;
  return count === null ? texts.unknownCount : countText(count);
}

function notesOf(picture: RecordedPicture | null): readonly string[] {
  if (picture === null) return [];
  const stopped = texts.stopped[picture.stopped];
  return [...(stopped === undefined ? [] : [stopped]), ...(picture.isDryRun ? [texts.dryRun] : [])];
}
