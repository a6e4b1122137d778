import { ClusterOutage } from '../../cluster/cluster-outage.ts';
import { clockToken } from '../../configuration/configuration.module.ts';
import { Holdings } from '../../coordination/holdings/holdings.ts';
import { activePoliciesToken, sourceOperationsToken } from '../../git-sync/git-sync.module.ts';
import { administrationWriterToken } from '../../ledger/ledger.module.ts';
import { factoryProvider } from '../../provider.ts';
import { ActionGate } from './action-gate.ts';
import { PolicyScopes } from './policy-scopes.ts';
import { RefusalRecorder } from './refusal-recorder.ts';

/** Who may do what, and the record of whom was refused. */
export const accessProviders = [
  factoryProvider(
    PolicyScopes,
    { sources: sourceOperationsToken, activePolicies: activePoliciesToken },
    (ports) => new PolicyScopes(ports),
  ),
  factoryProvider(
    RefusalRecorder,
    { writer: administrationWriterToken, clock: clockToken },
    (options) => new RefusalRecorder(options),
  ),
  factoryProvider(
    ActionGate,
    { fences: Holdings, refusals: RefusalRecorder, outage: ClusterOutage },
    (ports) => new ActionGate(ports),
  ),
];
