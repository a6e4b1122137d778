/** The object that an event is about. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent where the object could not be read. */
  readonly uid?: string;
}

/**
 * A Kubernetes Event to be. `reason` is upstream's name where upstream has the event.
 *
 * @see docs/spec/horizontal-pod-autoscaler-rules.md "Names of metrics in reasons and Events"
 */
export interface KubernetesEvent {
  readonly subject: EventSubject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly time: string;
}

/** Events on the cluster's objects: for people, never needed for a decision. */
export interface KubernetesEventsPort {
  /**
   * Queues an event and returns at once; never throws. The queue is bounded, equal events are counted up as
   * Kubernetes does, and what cannot be delivered is dropped and counted.
   */
  emit(event: KubernetesEvent): void;
}
