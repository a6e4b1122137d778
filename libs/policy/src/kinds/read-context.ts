import type { NamespaceSource } from '../rules/metadata.ts';

/** What a reader may know beside the document. */
export interface ReadContext extends NamespaceSource {
  /** Names of the configured Prometheus servers; absent: any name is taken on trust. */
  readonly prometheusServers?: ReadonlySet<string>;
  /** Hosts (`host` or `host:port`) of the configured recommenders; absent: any host is taken on trust. */
  readonly recommenderHosts?: ReadonlySet<string>;
  /** Whether the cluster's HorizontalPodAutoscaler has `selectionStrategy`; absent: it has not. */
  readonly rendersSelectionStrategy?: boolean;
}
