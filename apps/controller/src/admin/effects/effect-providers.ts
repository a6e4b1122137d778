import { SettledWindows, StandingInterventions } from '#reconciliation';
import { clockToken } from '../../configuration/configuration.module.ts';
import { ModeInForce } from '../../configuration/mode-in-force.ts';
import { activePoliciesToken } from '../../git-sync/git-sync.module.ts';
import { factoryProvider } from '../../provider.ts';
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
      controller: ModeInForce,
    },
    (ports) => new ChangeEffects(ports),
  ),
];
