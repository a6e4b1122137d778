import type { ReactElement } from 'react';
import { cutText, isJsonObject, type Json } from '#kernel';
import { Timestamp } from '../components/time/timestamp.tsx';
import { evaluation } from '../messages/evaluation.ts';
import { valueAt } from './json-pointer.ts';

const texts = evaluation.observation;

/** More slows the page down and is read by no one. */
const maximumCharacters = 50_000;

/** What was seen when it was decided: in short, and complete. */
export function ObservationView({ input }: { readonly input: unknown }): ReactElement {
  const value = input as Json;
  const observation = valueAt(value, '/observation');
  const time = valueAt(observation, '/time');
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      {isJsonObject(observation) ? (
        <dl className="facts">
          <dt>{texts.time}</dt>
          <dd>{typeof time === 'string' ? <Timestamp time={time} /> : texts.none}</dd>
          <dt>{texts.scale}</dt>
          <dd>
            {texts.counts(
              countAt(observation, '/scale/specReplicas'),
              countAt(observation, '/scale/statusReplicas'),
            )}
          </dd>
          <dt>{texts.pods}</dt>
          <dd>{lengthAt(observation, '/pods')}</dd>
          <dt>{texts.windows}</dt>
          <dd>{lengthAt(observation, '/windows') || texts.none}</dd>
          <dt>{texts.interventions}</dt>
          <dd>{lengthAt(observation, '/interventions') || texts.none}</dd>
        </dl>
      ) : null}
      <details>
        <summary>{texts.json}</summary>
        {/* It scrolls, so it is reached by keys. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre className="code" tabIndex={0} role="region" aria-label={texts.json}>
          {cutText(text, maximumCharacters)}
        </pre>
        {text.length > maximumCharacters ? (
          <p className="quiet">{texts.cut(maximumCharacters, text.length)}</p>
        ) : null}
      </details>
    </>
  );
}

function countAt(value: Json, pointer: string): string {
  const count = valueAt(value, pointer);
  return typeof count === 'number' ? String(count) : '?';
}

function lengthAt(value: Json, pointer: string): number {
  const list = valueAt(value, pointer);
  return Array.isArray(list) ? list.length : 0;
}
