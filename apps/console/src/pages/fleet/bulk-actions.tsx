import { type ReactElement, useState } from 'react';
import type { ScalingDirection } from '../../api/schema.generated.ts';
import { type Caller, mayAct, session } from '../../api/session.ts';
import { useStore } from '../../app/store.ts';
import { ActionDialog } from '../../components/action-dialog.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import { carryOutAll, previewAll } from './bulk-requests.ts';
import { type FleetRow, rowKey } from './fleet-rows.ts';

/** Each policy is one action and one entry of the ledger; whoever wants more means a namespace. */
const maximumPolicies = 50;

const directions: readonly ScalingDirection[] = ['Both', 'Down', 'Up'];

/** What can be done to the selected policies. */
export default function BulkActions({ rows, onClear }: BulkActionsProps): ReactElement {
  const [action, setAction] = useState<'suspend' | 'dryRun' | undefined>();
  const isTooMany = rows.length > maximumPolicies;
  return (
    <div className="fleet-bulk" role="toolbar" aria-label={texts.bulk.selected(rows.length)}>
      <strong>{texts.bulk.selected(rows.length)}</strong>
      {isTooMany ? <span>{texts.bulk.tooMany(maximumPolicies)}</span> : null}
      <span className="spring" />
      <button type="button" className="button" disabled={isTooMany} onClick={() => setAction('suspend')}>
        {texts.bulk.suspend}
      </button>
      <button type="button" className="button" disabled={isTooMany} onClick={() => setAction('dryRun')}>
        {texts.bulk.dryRun}
      </button>
      <button type="button" className="button" onClick={onClear}>
        {texts.bulk.clear}
      </button>
      {action === undefined ? null : (
        <BulkDialog kind={action} rows={rows} onClose={() => setAction(undefined)} />
      )}
    </div>
  );
}

interface BulkActionsProps {
  readonly rows: readonly FleetRow[];
  readonly onClear: () => void;
}

function BulkDialog({ kind, rows, onClose }: BulkDialogProps): ReactElement {
  const [direction, setDirection] = useState<ScalingDirection>('Both');
  const current = useStore(session);
  const request = { kind, direction, rows };
  return (
    <ActionDialog
      title={texts.bulk[kind]}
      requires={{
        role: 'operator',
        namespace: strictest(rows, 'caller' in current ? current.caller : undefined),
      }}
      hasExpiry
      previewKey={`${direction} ${rows.map(rowKey).join(' ')}`}
      preview={(expires) => previewAll({ ...request, expires })}
      carryOut={({ reason, expires }) => carryOutAll({ ...request, expires, reason })}
      onClose={onClose}
    >
      {kind === 'suspend' ? (
        <label className="labelled">
          {texts.bulk.direction}
          <select
            className="field"
            value={direction}
            onChange={({ target }) =>
              setDirection(directions.find((each) => each === target.value) ?? 'Both')
            }
          >
            {directions.map((each) => (
              <option key={each} value={each}>
                {texts.bulk.directions[each]}
              </option>
            ))}
          </select>
        </label>
      ) : null}
    </ActionDialog>
  );
}

interface BulkDialogProps {
  readonly kind: 'suspend' | 'dryRun';
  readonly rows: readonly FleetRow[];
  readonly onClose: () => void;
}

/** A namespace of the rows in which the caller may not act, where there is one. */
function strictest(rows: readonly FleetRow[], caller: Caller | undefined): string {
  const refused = rows.find(
    ({ namespace }) => caller === undefined || !mayAct(caller, 'operator', namespace),
  );
  return (refused ?? rows[0])?.namespace ?? '';
}
