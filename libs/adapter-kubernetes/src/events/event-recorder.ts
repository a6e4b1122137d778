import { createHash } from 'node:crypto';
import { cutText, escapeControls, type JsonObject, messageOf } from '#kernel';
import type { KubernetesEvent, KubernetesEventsPort, LogPort } from '#reconciliation';
import { type Access, isManaged } from '../api/access.ts';
import type { ApiClient, ApiRequest } from '../api/api-client.ts';
import { hasCode } from '../api/api-failure.ts';
import type { Timing } from '../time/timing.ts';
import { EventBudget } from './event-budget.ts';

export interface EventRecorderOptions {
  readonly client: Pick<ApiClient, 'json'>;
  readonly access: Access;
  readonly timing: Timing;
  readonly log: LogPort;
  /** `source.component` of every event. */
  readonly component: string;
}

/** Events are for people: beyond this many that wait, the newest are dropped. A first start has some for each policy. */
const maximumQueue = 10_000;
/** After each: what thousands of policies have to tell at once takes no time from their passes. */
const pauseMilliseconds = 10;
/** Equal events are counted up for as long; the API server forgets an event after an hour. */
const aggregationMilliseconds = 10 * 60_000;
/** So many equal events are counted up at once; after them the count is written once in {@link countingMilliseconds}. */
const promptCount = 5;
const countingMilliseconds = 5 * 60_000;
const maximumRemembered = 10_000;
/** The API's own bound. */
const maximumMessageLength = 1_024;
/** Of the 253 that a name may have. */
const maximumSubjectLength = 200;

/** A refusal is told for as long as the last one is not older: rights that were given since show with the next event. */
const refusalMilliseconds = 60 * 60_000;
const maximumRefusals = 1_000;

/** What every authorizer's refusal says; admission has other words. */
const unauthorized = / cannot \w+ resource /;
const terminating = / because it is being terminated$/;

/** What became of the events since the start. */
export interface EventCounts {
  readonly delivered: number;
  readonly dropped: number;
  /** Since when a Role does not allow them in some namespace, in milliseconds of `Timing.elapsed`; undefined: it does. */
  readonly refusedSince: number | undefined;
}

/** In milliseconds of `Timing.elapsed`. */
interface Refusal {
  /** It is no Role's: a quota, a webhook or a policy of the cluster's own refuses them. */
  readonly isByAdmission: boolean;
  readonly since: number;
  readonly lastAt: number;
}

interface Recorded {
  readonly name: string;
  readonly firstTimestamp: string;
  readonly count: number;
  /** When the latest came, and when the count was written, in milliseconds of `Timing.elapsed`. */
  readonly at: number;
  readonly writtenAt: number;
}

/**
 * Writes Kubernetes Events (core/v1, as the HPA controller does): equal ones within ten minutes are one with a count,
 * each object has a budget, and nothing here ever fails or delays a pass. Where nothing may be written, nothing is queued.
 */
export class EventRecorder implements KubernetesEventsPort {
  readonly #options: EventRecorderOptions;
  readonly #queue: KubernetesEvent[] = [];
  readonly #recorded = new Map<string, Recorded>();
  readonly #budget: EventBudget;
  /** By verb and namespace. */
  readonly #refusals = new Map<string, Refusal>();
  #sending: Promise<void> | undefined;
  #delivered = 0;
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#budget = new EventBudget(options.timing);
  }

  emit(event: KubernetesEvent): void {
    const { isReadOnly, namespaces } = this.#options.access;
    if (isReadOnly || !isManaged(namespaces, event.subject.namespace)) return;
    if (this.#isCountedLater(event)) return;
    if (this.#queue.length >= maximumQueue || !this.#budget.take(subjectKey(event))) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(event);
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
  }

  /** Counts an event that keeps coming without writing it: what lasts must not fill the object's budget. */
  #isCountedLater(event: KubernetesEvent): boolean {
    const key = identityOf(event);
    const recorded = this.#recorded.get(key);
    if (recorded === undefined || recorded.count < promptCount) return false;
    const at = this.#options.timing.elapsed();
    const isRepeat = at - recorded.at < aggregationMilliseconds;
    if (!isRepeat || at - recorded.writtenAt >= countingMilliseconds) return false;
    this.#remember(key, { ...recorded, count: recorded.count + 1, at });
    return true;
  }

  get counts(): EventCounts {
    const now = this.#options.timing.elapsed();
    const refused = [...this.#refusals.values()].filter(
      ({ isByAdmission, lastAt }) => !isByAdmission && now - lastAt < refusalMilliseconds,
    );
    return {
      delivered: this.#delivered,
      dropped: this.#dropped,
      refusedSince: refused.length === 0 ? undefined : Math.min(...refused.map(({ since }) => since)),
    };
  }

  async #send(): Promise<void> {
    for (let event = this.#queue.shift(); event !== undefined; event = this.#queue.shift()) {
      try {
        await this.#deliver(event);
        this.#delivered += 1;
      } catch {
        this.#dropped += 1;
      }
      await this.#options.timing.wait(pauseMilliseconds);
    }
  }

  /**
   * A refusal is told, once per verb and namespace; other failures pass by themselves, and with a namespace that is being
   * deleted goes all that could be told in it.
   */
  async #write(verb: 'create' | 'patch', namespace: string, request: ApiRequest): Promise<void> {
    const right = `${verb} ${namespace}`;
    try {
      await this.#options.client.json(request);
      this.#refusals.delete(right);
    } catch (error) {
      const message = messageOf(error);
      if (hasCode(error, 'Forbidden') && !terminating.test(message))
        this.#noteRefusal(right, { verb, namespace, message });
      throw error;
    }
  }

  #noteRefusal(
    right: string,
    fields: { readonly verb: string; readonly namespace: string; readonly message: string },
  ): void {
    const lastAt = this.#options.timing.elapsed();
    const known = this.#refusals.get(right);
    if (known === undefined && this.#refusals.size >= maximumRefusals) return;
    const isByAdmission = !unauthorized.test(fields.message);
    const isKnown = known?.isByAdmission === isByAdmission;
    this.#refusals.set(right, { isByAdmission, since: isKnown ? known.since : lastAt, lastAt });
    const text = isByAdmission ? 'the API server refuses Events' : 'a Role does not allow Events';
    if (!isKnown) this.#options.log.write({ level: 'warn', text, fields });
  }

  async #deliver(event: KubernetesEvent): Promise<void> {
    const key = identityOf(event);
    const recorded = this.#recorded.get(key);
    const { timing } = this.#options;
    const at = timing.elapsed();
    const isRepeat = recorded !== undefined && at - recorded.at < aggregationMilliseconds;
    const next: Recorded = isRepeat
      ? { ...recorded, count: recorded.count + 1, at, writtenAt: at }
      : {
          name: eventName(event, timing.now()),
          firstTimestamp: secondsOnly(event.time),
          count: 1,
          at,
          writtenAt: at,
        };
    const wasCounted = isRepeat && (await this.#count(event, next));
    if (!wasCounted) await this.#create(event, next);
    this.#remember(key, next);
  }

  /** False where the API server has forgotten the event. */
  async #count(event: KubernetesEvent, { name, count }: Recorded): Promise<boolean> {
    try {
      await this.#write('patch', event.subject.namespace, {
        method: 'PATCH',
        path: `${collectionPath(event)}/${name}`,
        contentType: 'application/merge-patch+json',
        body: { count, lastTimestamp: secondsOnly(event.time) },
      });
      return true;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return false;
      throw error;
    }
  }

  async #create(event: KubernetesEvent, recorded: Recorded): Promise<void> {
    const path = collectionPath(event);
    const body = eventDocument(event, recorded, this.#options.component);
    await this.#write('create', event.subject.namespace, { method: 'POST', path, body });
  }

  #remember(key: string, recorded: Recorded): void {
    this.#recorded.delete(key);
    if (this.#recorded.size >= maximumRemembered) {
      const [oldest] = this.#recorded.keys();
      if (oldest !== undefined) this.#recorded.delete(oldest);
    }
    this.#recorded.set(key, recorded);
  }
}

function eventDocument(event: KubernetesEvent, recorded: Recorded, component: string): JsonObject {
  const { subject, type, reason, message } = event;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: recorded.name, namespace: subject.namespace },
    involvedObject: { ...subject },
    type,
    reason,
    // Reasons that people give are in it, and terminals show it.
    message: cutText(escapeControls(message), maximumMessageLength),
    source: { component },
    firstTimestamp: recorded.firstTimestamp,
    lastTimestamp: secondsOnly(event.time),
    count: recorded.count,
  };
}

function collectionPath({ subject }: KubernetesEvent): string {
  return `/api/v1/namespaces/${encodeURIComponent(subject.namespace)}/events`;
}

function subjectKey({ subject }: KubernetesEvent): string {
  return `${subject.namespace}/${subject.kind}/${subject.name}`;
}

function identityOf(event: KubernetesEvent): string {
  return JSON.stringify([
    subjectKey(event),
    event.subject.uid ?? '',
    event.type,
    event.reason,
    event.message,
  ]);
}

/** Unique without a round trip: the subject's name, the time, and a hash of its content. */
function eventName(event: KubernetesEvent, now: number): string {
  const hash = createHash('sha256').update(identityOf(event)).digest('hex').slice(0, 8);
  // The API server takes no name with a part that ends with a hyphen, or with an empty one.
  const subject = /^.*[^-.]/.exec(event.subject.name.slice(0, maximumSubjectLength))?.[0] ?? '';
  return `${subject}.${now.toString(16)}${hash}`;
}

/** `metav1.Time` has whole seconds. */
function secondsOnly(time: string): string {
  return time.replace(/\.\d+/, '');
}
