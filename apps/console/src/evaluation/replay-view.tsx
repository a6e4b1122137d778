import { type ReactElement, useMemo } from 'react';
import { engineVersion } from '#decision';
import { type Json, type JsonDifference, shortText } from '#kernel';
import { evaluation } from '../messages/evaluation.ts';
import type { RecordedDecisionFragment } from './decision-record.generated.ts';
import { replay } from './replay.ts';

const texts = evaluation.replay;

/** As many as say what is wrong. */
const maximumShown = 20;

/** Longer values are cut. */
const maximumCharacters = 100;

/** Whether the decision comes out the same in this browser, and if not, where it differs. */
export function ReplayView({ record }: { readonly record: RecordedDecisionFragment }): ReactElement {
  const result = useMemo(() => replay(record), [record]);
  if (result.kind === 'Same') {
    return (
      <p>
        <strong className="replay-result" data-result="same">
          {texts.same}
        </strong>{' '}
        {texts.sameText} <span className="quiet">({texts.engine(engineVersion)})</span>
      </p>
    );
  }
  if (result.kind === 'Unusable') {
    return (
      <p className="problem">
        {texts.unusable} <code>{result.message}</code>
      </p>
    );
  }
  const { differences, isOtherEngine } = result;
  return (
    <>
      <p className="problem">
        <strong>{texts.different(differences.length)}.</strong> {texts.differentText}{' '}
        {isOtherEngine ? texts.otherEngine(record.engineVersion, engineVersion) : null}
      </p>
      <Differences differences={differences} />
    </>
  );
}

function Differences({ differences }: { readonly differences: readonly JsonDifference[] }): ReactElement {
  return (
    <>
      <table className="evaluation-table">
        <thead>
          <tr>
            <th scope="col">{texts.place}</th>
            <th scope="col">{texts.recorded}</th>
            <th scope="col">{texts.recomputed}</th>
          </tr>
        </thead>
        <tbody>
          {differences.slice(0, maximumShown).map(({ path, recorded, recomputed }) => (
            <tr key={path}>
              <td>
                <code>{path}</code>
              </td>
              <td>{shown(recorded)}</td>
              <td>{shown(recomputed)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {differences.length > maximumShown ? (
        <p className="quiet">{texts.others(differences.length - maximumShown)}</p>
      ) : null}
    </>
  );
}

function shown(value: Json | undefined): string {
  return value === undefined ? texts.nothing : shortText(JSON.stringify(value), maximumCharacters);
}
