import type { KubernetesEvent, KubernetesEventsPort } from './kubernetes-events.port.ts';

/** Keeps the events that were emitted. */
export class FakeKubernetesEvents implements KubernetesEventsPort {
  readonly emitted: KubernetesEvent[] = [];

  emit(event: KubernetesEvent): void {
    this.emitted.push(event);
  }
}
