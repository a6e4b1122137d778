import { eventReasons } from '../outcome/event-reasons.ts';
import type { KubernetesEvent, KubernetesEventsPort } from './kubernetes-events.port.ts';

/** Keeps the events that were emitted, and takes only those that are listed. */
export class FakeKubernetesEvents implements KubernetesEventsPort {
  readonly emitted: KubernetesEvent[] = [];

  emit(event: KubernetesEvent): void {
    const { type, reason } = event;
    const listed: Readonly<Record<string, string>> = eventReasons;
    if (listed[reason] !== type && !isOfLifecycle(event))
      throw new Error(`the event ${type} ${reason} is not among eventReasons`);
    this.emitted.push(event);
  }
}

function isOfLifecycle({ type, reason }: KubernetesEvent): boolean {
  return type === 'Warning' && /^(FailedGet[A-Z]\w*|[A-Z]\w*NotOK)$/.test(reason);
}
