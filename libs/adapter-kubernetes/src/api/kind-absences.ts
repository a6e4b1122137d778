import { AdapterError, apiGroupOf, type JsonObject } from '#kernel';
import type { Timing } from '../time/timing.ts';
import type { ApiClient } from './api-client.ts';
import { groupPathOf, kindKey, type KindName } from './kind-name.ts';
import { object, objects, text } from './kube-object.ts';

/** Whether the API server serves a kind. `Unconfirmed`: it says no, but not for long enough to act on. */
export type KindPresence =
  | { readonly kind: 'Served' }
  | { readonly kind: 'Absent' }
  | { readonly kind: 'Unconfirmed'; readonly message: string };

/** An answer of discovery is shared by everyone who asks within this time. */
const sharedMilliseconds = 15_000;
/** An aggregated API or a CustomResourceDefinition that is not there for a moment comes back within this time. */
const confirmationMilliseconds = 30_000;
/** A CustomResourceDefinition that is replaced is gone for as long as its operator takes to install it. */
const replacementMilliseconds = 10 * 60_000;
/** Answers that are kept per kind; 15 s apart, they span three times the confirmation. */
const maximumAnswers = 8;
/** Kinds that are not served, as references in pods name them: the oldest goes when one more comes. */
const maximumAbsentKinds = 2_000;
/** Kinds that were served or are targets: far more than any cluster has. */
const maximumKnownKinds = 20_000;

/** A kind that was served to this process, or that a policy targets. */
interface KnownKind {
  readonly isServed: boolean;
  /** When discovery first said no; undefined: it never did. */
  readonly vanishedAt: number | undefined;
}

interface DiscoveryDocument {
  readonly askedAt: number;
  readonly body: Promise<JsonObject>;
}

/**
 * Which kinds the API server certainly does not serve. A pod whose owner's kind is not served is left out of its
 * workload, which can shrink it, so a single answer is not enough: discovery must say no twice, 30 s apart, both times
 * asked after the pod was seen; and a kind that was ever served, or that a policy targets, must have been gone for ten
 * minutes.
 */
export class KindAbsences {
  readonly #client: ApiClient;
  readonly #timing: Timing;
  readonly #documents = new Map<string, DiscoveryDocument>();
  readonly #known = new Map<string, KnownKind>();
  /** When the answers that a kind is not served were asked for, oldest first. */
  readonly #answers = new Map<string, readonly number[]>();

  constructor(client: ApiClient, timing: Timing) {
    this.#client = client;
    this.#timing = timing;
  }

  /** Remembers that discovery listed the kind. */
  noteServed(kind: KindName): void {
    const key = kindKey(kind);
    this.#answers.delete(key);
    this.#setKnown(key, { isServed: true, vanishedAt: this.#known.get(key)?.vanishedAt });
  }

  /** Remembers that a policy targets the kind. */
  noteTarget(kind: KindName): void {
    const key = kindKey(kind);
    if (!this.#known.has(key)) this.#setKnown(key, { isServed: true, vanishedAt: undefined });
  }

  /** Whether discovery has said within ten minutes that a kind which was served, or is a target, is not. */
  hasVanishedLately(kind: KindName): boolean {
    const vanishedAt = this.#known.get(kindKey(kind))?.vanishedAt;
    return vanishedAt !== undefined && this.#timing.elapsed() - vanishedAt < replacementMilliseconds;
  }

  /**
   * Whether the kind is served in any version of its group, asked of discovery and not of a cache.
   *
   * @param since answers that were asked for earlier confirm nothing; milliseconds of `Timing.elapsed`
   * @throws AdapterError where discovery cannot be asked, or contradicts itself.
   */
  async presenceOf(kind: KindName, since: number): Promise<KindPresence> {
    const { isServed, askedAt } = await this.#ask(kind);
    if (isServed) {
      this.noteServed(kind);
      return { kind: 'Served' };
    }
    this.#noteAbsent(kind, askedAt);
    return this.#absenceOf(kind, since);
  }

  #absenceOf(kind: KindName, since: number): KindPresence {
    const notServed = `the API server serves no kind ${kind.kind} in the group of ${kind.apiVersion}`;
    if (this.hasVanishedLately(kind)) {
      return {
        kind: 'Unconfirmed',
        message: `${notServed}, but did, or a policy targets it: believed 10 minutes after it vanished`,
      };
    }
    const answers = (this.#answers.get(kindKey(kind)) ?? []).filter((askedAt) => askedAt >= since);
    const [first] = answers;
    const last = answers.at(-1);
    const isConfirmed = first !== undefined && last !== undefined && last - first >= confirmationMilliseconds;
    return isConfirmed
      ? { kind: 'Absent' }
      : { kind: 'Unconfirmed', message: `${notServed}: believed after two answers 30 s apart` };
  }

  #noteAbsent(kind: KindName, askedAt: number): void {
    const key = kindKey(kind);
    const known = this.#known.get(key);
    if (known?.isServed === true) this.#known.set(key, { isServed: false, vanishedAt: askedAt });
    const answers = this.#answers.get(key) ?? [];
    if (answers.at(-1) === askedAt) return;
    this.#answers.delete(key);
    if (this.#answers.size >= maximumAbsentKinds) {
      const [oldest] = this.#answers.keys();
      if (oldest !== undefined) this.#answers.delete(oldest);
    }
    this.#answers.set(key, [...answers, askedAt].slice(-maximumAnswers));
  }

  #setKnown(key: string, known: KnownKind): void {
    if (this.#known.size < maximumKnownKinds || this.#known.has(key)) this.#known.set(key, known);
  }

  async #ask(kind: KindName): Promise<{ readonly isServed: boolean; readonly askedAt: number }> {
    const group = apiGroupOf(kind.apiVersion);
    const list = await this.#read(group === '' ? '/api' : '/apis');
    const versions = group === '' ? coreVersions(list.body) : versionsOf(list.body, group);
    const documents = await Promise.all(versions.map((version) => this.#read(groupPathOf(version))));
    return {
      isServed: documents.some(({ body }) => kindsOf(body).includes(kind.kind)),
      askedAt: Math.min(list.askedAt, ...documents.map(({ askedAt }) => askedAt)),
    };
  }

  async #read(path: string): Promise<{ readonly askedAt: number; readonly body: JsonObject }> {
    const known = this.#documents.get(path);
    const now = this.#timing.elapsed();
    if (known !== undefined && now - known.askedAt < sharedMilliseconds)
      return { askedAt: known.askedAt, body: await known.body };

    const body = this.#client.json({ path }).then(object);
    this.#documents.set(path, { askedAt: now, body });
    try {
      return { askedAt: now, body: await body };
    } catch (error) {
      if (this.#documents.get(path)?.body === body) this.#documents.delete(path);
      throw error;
    }
  }
}

/** @throws AdapterError `Malformed` where the list of groups is none, or is empty, which no API server's is. */
function versionsOf(body: JsonObject, group: string): readonly string[] {
  const groups = objects(body['groups']);
  if (groups.length === 0) throw malformed('the list of API groups is empty');
  const found = groups.find((one) => text(one['name']) === group);
  return objects(found?.['versions']).map((version) => text(version['groupVersion']));
}

function coreVersions(body: JsonObject): readonly string[] {
  const versions = Array.isArray(body['versions']) ? body['versions'].map((version) => text(version)) : [];
  if (versions.length === 0) throw malformed('the list of core API versions is empty');
  return versions;
}

function kindsOf(body: JsonObject): readonly string[] {
  if (!Array.isArray(body['resources'])) throw malformed('an answer of discovery has no resources');
  return objects(body['resources']).map((resource) => text(resource['kind']));
}

function malformed(message: string): AdapterError {
  return new AdapterError({ code: 'Malformed', message, retryable: true });
}
