import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { PassTime } from '../../components/facts/pass-time.tsx';
import { Dialog } from '../../components/frames/dialog.tsx';
import { StateBadge } from '../../components/states/state-badge.tsx';
import { Sentence } from '../../components/words/sentence.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import { restOf, stateTexts } from '../../messages/states.ts';
import { links } from '../../navigation/links.ts';
import { type FleetRow, rowKey } from './fleet-rows.ts';
import { shownStates } from './fleet-view.ts';

/** All that a row says, where it has no room for: each state with its sentence, and the latest pass. */
export default function RowInWords({ row, onClose }: RowInWordsProps): ReactElement {
  const { status } = row;
  const states = shownStates(row);
  return (
    <Dialog title={rowKey(row)} onClose={onClose}>
      <ul className="fleet-words">
        {states.length === 0 ? (
          <li>
            <span className="badge">{restOf(status).word}</span> {restOf(status).sentence}
          </li>
        ) : null}
        {states.map((state) => (
          <li key={state}>
            <StateBadge state={state} /> {stateTexts[state].sentence}
          </li>
        ))}
        {status === null ? null : (
          <li className="quiet">
            <Sentence text={status.message} /> · <PassTime {...status} />
          </li>
        )}
      </ul>
      <footer className="dialog-footer">
        <Link className="button" to={links.policy(row)}>
          {texts.openRow}
        </Link>
      </footer>
    </Dialog>
  );
}

interface RowInWordsProps {
  readonly row: FleetRow;
  readonly onClose: () => void;
}
