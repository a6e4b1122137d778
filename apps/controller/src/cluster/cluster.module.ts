import { Module } from '@nestjs/common';
import type {
  CompetingAutoscalersPort,
  KubernetesEventsPort,
  MetricsPort,
  NativeAutoscalersPort,
  ObjectsPort,
  OwnersPort,
  PodsPort,
  RecommendersPort,
  ReplicaChangesPort,
  ScalePort,
} from '#reconciliation';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { toFieldLog } from '../logging/log-port.ts';
import { LoopActivities } from '../logging/loop-activities.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { ClusterOutage } from './cluster-outage.ts';
import { type Cluster, openCluster } from './open-cluster.ts';

export const clusterToken = portToken<Cluster>('Cluster');
export const podsToken = portToken<PodsPort>('Pods');
export const ownersToken = portToken<OwnersPort>('Owners');
export const objectsToken = portToken<ObjectsPort>('Objects');
export const scaleToken = portToken<ScalePort>('Scale');
export const replicaChangesToken = portToken<ReplicaChangesPort>('ReplicaChanges');
export const nativeAutoscalersToken = portToken<NativeAutoscalersPort>('NativeAutoscalers');
export const competingAutoscalersToken = portToken<CompetingAutoscalersPort>('CompetingAutoscalers');
export const kubernetesEventsToken = portToken<KubernetesEventsPort>('KubernetesEvents');
export const metricsToken = portToken<MetricsPort>('Metrics');
export const recommendersToken = portToken<RecommendersPort>('Recommenders');

const fromCluster = { cluster: clusterToken };

const providers = [
  factoryProvider(
    clusterToken,
    { configuration: configurationToken, logger: loggerToken, activities: LoopActivities },
    ({ configuration, logger, activities }) =>
      openCluster(configuration, { log: toFieldLog(logger), noteWork: activities.note }),
  ),
  factoryProvider(
    ClusterOutage,
    { ...fromCluster, clock: clockToken },
    (options) => new ClusterOutage(options),
  ),
  factoryProvider(podsToken, fromCluster, ({ cluster }): PodsPort => cluster.kubernetes.pods),
  factoryProvider(ownersToken, fromCluster, ({ cluster }): OwnersPort => cluster.kubernetes.owners),
  factoryProvider(objectsToken, fromCluster, ({ cluster }): ObjectsPort => cluster.kubernetes.objects),
  factoryProvider(scaleToken, fromCluster, ({ cluster }): ScalePort => cluster.kubernetes.scales),
  factoryProvider(replicaChangesToken, fromCluster, ({ cluster }) => cluster.kubernetes.replicaChanges),
  factoryProvider(nativeAutoscalersToken, fromCluster, ({ cluster }) => cluster.kubernetes.autoscalers),
  factoryProvider(
    competingAutoscalersToken,
    fromCluster,
    ({ cluster }) => cluster.kubernetes.competingAutoscalers,
  ),
  factoryProvider(kubernetesEventsToken, fromCluster, ({ cluster }) => cluster.kubernetes.events),
  factoryProvider(metricsToken, fromCluster, ({ cluster }): MetricsPort => cluster.metrics),
  factoryProvider(recommendersToken, fromCluster, ({ cluster }) => cluster.metrics.recommenders),
];

/** The cluster that policies are carried out on. */
@Module({ providers, exports: providers })
export class ClusterModule {}
