import { SettledWindows, StandingInterventions } from '#reconciliation';
import { clockToken } from '../../configuration/configuration.module.ts';
import { activePoliciesToken } from '../../git-sync/git-sync.module.ts';
import { factoryProvider } from '../../provider.ts';
import { PolicyModes } from '../policies/policy-modes.ts';
import { PolicyReports } from '../policies/policy-reports.ts';
import { ChangeEffects } from './change-effects.ts';
import { InterventionEffects } from './intervention-effects.ts';

/** What an action would do. */
export const effectProviders = [
  factoryProvider(
    InterventionEffects,
    {
      interventions: StandingInterventions,
      activePolicies: activePoliciesToken,
      reports: PolicyReports,
      windows: SettledWindows,
      clock: clockToken,
    },
    (ports) => new InterventionEffects(ports),
  ),
  factoryProvider(
    ChangeEffects,
    {
      interventions: StandingInterventions,
      activePolicies: activePoliciesToken,
      reports: PolicyReports,
      windows: SettledWindows,
      clock: clockToken,
      modes: PolicyModes,
    },
    (ports) => new ChangeEffects(ports),
  ),
];
