import { clockToken } from '../../configuration/configuration.module.ts';
import { activePoliciesToken, sourceOperationsToken } from '../../git-sync/git-sync.module.ts';
import { factoryProvider } from '../../provider.ts';
import { SourceAccess } from './source-access.ts';
import { SourceQueries } from './source-queries.ts';

/** What callers see of the sources. */
export const sourceProviders = [
  factoryProvider(
    SourceAccess,
    { sources: sourceOperationsToken, activePolicies: activePoliciesToken },
    (ports) => new SourceAccess(ports),
  ),
  factoryProvider(
    SourceQueries,
    { sources: sourceOperationsToken, access: SourceAccess, clock: clockToken },
    (ports) => new SourceQueries(ports),
  ),
];
