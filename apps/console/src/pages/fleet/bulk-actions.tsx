import { type ReactElement, useMemo } from 'react';
import { Link } from 'react-router';
import { BulkBar } from '../../components/lists/bulk-bar.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import { links } from '../../navigation/links.ts';
import { ForbiddenPolicyActions, PolicyActions } from '../policy/policy-actions.tsx';
import type { FleetRow } from './fleet-rows.ts';

/** Each policy is one action and one entry of the ledger; whoever wants more means a namespace. */
const maximumPolicies = 50;

/** A release is for one policy, which is looked at before. */
const offered = ['suspend', 'override', 'dryRun'] as const;

/** What can be done to the selected policies. */
export default function BulkActions({ rows, onDone, onClear }: BulkActionsProps): ReactElement {
  const isTooMany = rows.length > maximumPolicies;
  const policies = useMemo(
    () => rows.map(({ namespace, name, origin: { source } }) => ({ namespace, name, source })),
    [rows],
  );
  return (
    <BulkBar count={rows.length} onClear={onClear}>
      {isTooMany ? (
        <span>
          {texts.bulk.tooMany(maximumPolicies)} <Link to={links.interventions}>{texts.bulk.wider}</Link>
        </span>
      ) : null}
      <span className="spring" />
      <PolicyActions policies={policies} offered={offered} isDisabled={isTooMany} onDone={onDone} />
      <ForbiddenPolicyActions policies={policies} offered={offered} />
    </BulkBar>
  );
}

interface BulkActionsProps {
  readonly rows: readonly FleetRow[];
  /** Something may have changed. */
  readonly onDone: () => void;
  readonly onClear: () => void;
}
