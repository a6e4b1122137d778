import { Module } from '@nestjs/common';
import { administrationScope, sourceScope } from '#ledger';
import { FleetBrake, Reconciler } from '#reconciliation';
import { AdminModule } from '../admin/admin.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { TokenAuthenticator } from '../auth/identities/token-authenticator.ts';
import { ClusterModule, clusterToken } from '../cluster/cluster.module.ts';
import {
  clockToken,
  configurationChangesToken,
  configurationToken,
  loggerToken,
} from '../configuration/configuration.module.ts';
import { InterventionLimit } from '../configuration/intervention-limit.ts';
import { ModeInForce } from '../configuration/mode-in-force.ts';
import { recordSettings } from '../configuration/record-settings.ts';
import { Holdings } from '../coordination/holdings/holdings.ts';
import { SharedSettings } from '../coordination/leases/shared-settings.ts';
import { clusterBindingToken } from '../database/ledger-database.module.ts';
import { ForgeModule, observedSources } from '../forge/forge.module.ts';
import { ForgeObserver } from '../forge/forge-observer.ts';
import { GitSyncModule, policySyncToken } from '../git-sync/git-sync.module.ts';
import { administrationWriterToken, LedgerModule, ledgerToken } from '../ledger/ledger.module.ts';
import { factoryProvider } from '../provider.ts';
import { ReconcileModule } from '../reconcile/reconcile.module.ts';
import { ReportSchedules } from '../reports/report-schedules.ts';
import { ReportsModule } from '../reports/reports.module.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { WebhooksModule, webhookSources } from '../webhooks/webhooks.module.ts';
import { ConfigurationReload, type Reconfigurable } from './configuration-reload.ts';
import { ReloadWatch } from './reload-watch.ts';

const providers = [
  factoryProvider(
    ConfigurationReload,
    {
      configuration: configurationToken,
      changes: configurationChangesToken,
      fences: Holdings,
      sharedSettings: SharedSettings,
      ledger: ledgerToken,
      writer: administrationWriterToken,
      sync: policySyncToken,
      observer: ForgeObserver,
      webhooks: WebhookReceiver,
      authenticator: TokenAuthenticator,
      cluster: clusterToken,
      reconciler: Reconciler,
      interventionLimit: InterventionLimit,
      brake: FleetBrake,
      reportSchedules: ReportSchedules,
      binding: clusterBindingToken,
      mode: ModeInForce,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ configuration, changes, binding, clock, logger, ...followers }) => {
      const { fences, ledger, writer, sync, observer, webhooks, authenticator, cluster, reconciler } =
        followers;
      const { interventionLimit, brake, reportSchedules, sharedSettings, mode } = followers;
      /** In the order in which they follow: who may call, what is written, how it is decided, and what by. */
      const parts: readonly Reconfigurable[] = [
        {
          // Another replica takes those of new sources when it becomes the leader.
          prepare: async ({ sources }) => {
            if (fences.holds(administrationScope))
              await fences.extend(sources.map(({ name }) => sourceScope(name)));
          },
          apply: none,
        },
        { prepare: sync.prepare, apply: none },
        // Last of what may fail, so that the ledger has no change that was not made.
        {
          prepare: async (changed) => {
            // Each replica follows the configuration, and one of them records it.
            if (fences.holds(administrationScope))
              await recordSettings(changed, { ledger, writer, clock, binding });
          },
          apply: none,
        },
        { apply: (changed) => sharedSettings.reconfigure(changed) },
        { apply: ({ log }) => (logger.level = log.level) },
        { apply: ({ auth }) => auth.tokens.length > 0 && authenticator.replace(auth.tokens) },
        { apply: (changed) => cluster.reconfigure(changed) },
        { apply: (changed) => mode.reconfigure(changed) },
        { apply: (changed) => reconciler.reconfigure(changed) },
        { apply: (changed) => interventionLimit.reconfigure(changed.interventions) },
        { apply: (changed) => brake.reconfigure(changed.fleetBrake) },
        { apply: ({ reports }) => reportSchedules.reconfigure(reports.schedules) },
        { apply: (changed) => observer.reconfigure(observedSources(changed)) },
        { apply: (changed) => webhooks.reconfigure(webhookSources(changed)) },
        { apply: sync.reconfigure },
      ];
      return new ConfigurationReload({
        configuration,
        load: changes?.load,
        parts,
        now: () => clock.now(),
        logger,
      });
    },
  ),
  factoryProvider(
    ReloadWatch,
    { changes: configurationChangesToken, reload: ConfigurationReload },
    ({ changes, reload }) => new ReloadWatch(changes, reload),
  ),
];

/** Changes of the configuration while the controller runs. */
@Module({
  imports: [
    LedgerModule,
    ClusterModule,
    ForgeModule,
    GitSyncModule,
    ReconcileModule,
    ReportsModule,
    WebhooksModule,
    AuthModule,
    AdminModule,
  ],
  providers,
  exports: providers,
})
export class ReloadModule {}

const none = (): void => undefined;
