import { AdapterError, canonicalSelectorText } from '#kernel';
import { plimsollManager, type ScaleState, type ScaleWrite, type ScaleWriteOutcome } from '#reconciliation';
import type { ApiClient } from '../api/api-client.ts';
import { conflictOf, isUnknownOutcome, transportFailure } from '../api/api-failure.ts';
import { isLater } from '../objects/resource-version.ts';
import type { Timing } from '../time/timing.ts';
import { parseScale, scaleDocument } from './scale-document.ts';
import type { ScaleReader } from './scale-reader.ts';

/** As client-go's DefaultRetry; a rollout bumps the version several times a second. */
const maximumTries = 5;
const firstDelayMilliseconds = 10;

export interface ScaleWriterOptions {
  readonly client: ApiClient;
  readonly reader: ScaleReader;
  readonly timing: Timing;
}

/** Writes scales on exactly the version that was observed. */
export class ScaleWriter {
  readonly #client: ApiClient;
  readonly #reader: ScaleReader;
  readonly #timing: Timing;

  constructor({ client, reader, timing }: ScaleWriterOptions) {
    this.#client = client;
    this.#reader = reader;
    this.#timing = timing;
  }

  /**
   * PUTs the scale. After a 409 it reads again: the same uid, replicas and selector → tried again, since only something
   * else of the object changed; else `Changed`. Where nothing of it has, after the last try, nobody was quicker:
   * `UnfoundedConflict`. Where it cannot be read, a request that was delivered twice may have been made before: `Unknown`.
   * Rejects only when the signal aborts.
   */
  async write(write: ScaleWrite, signal: AbortSignal): Promise<ScaleWriteOutcome> {
    let observed = write.observed;
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#put({ ...write, observed }, signal);
      if (outcome.outcome !== 'Failed' || outcome.failure.code !== 'Conflict') return outcome;
      const present = await this.#reread(write, signal);
      if ('outcome' in present) return present;
      if (!isSameScale(present, observed)) return { outcome: 'Changed', state: present };
      if (tries >= maximumTries)
        return { outcome: 'Failed', failure: conflictOf(outcome.failure, { sent: observed, present }) };
      observed = present;
      await this.#timing.wait(
        firstDelayMilliseconds * 2 ** (tries - 1) * (1 + this.#timing.random() / 10),
        signal,
      );
    }
  }

  async #put(write: ScaleWrite, signal: AbortSignal): Promise<ScaleWriteOutcome> {
    const { target, observed, replicas } = write;
    const path = await this.#reader.pathOf(target).catch(asScaleFailure);
    signal.throwIfAborted();
    if (path instanceof AdapterError) return { outcome: 'Failed', failure: path };
    const failure = write.unwanted?.() ?? null;
    if (failure !== null) return { outcome: 'Failed', failure };
    try {
      const answer = await this.#client.json({
        method: 'PUT',
        path,
        query: { fieldManager: plimsollManager },
        body: scaleDocument(target, observed, replicas),
        signal,
      });
      return this.#outcomeOf(parseScale(answer), write);
    } catch (error) {
      signal.throwIfAborted();
      const failure = asScaleFailure(error);
      return { outcome: isUnknownOutcome(failure) ? 'Unknown' : 'Failed', failure };
    }
  }

  /**
   * What a request came to that was answered with a scale. Admission may keep the count, or make another of it; a scale of
   * another object says nothing of ours, and neither does one of another count without a later version.
   */
  #outcomeOf(answered: ScaleState, { target, observed, replicas }: ScaleWrite): ScaleWriteOutcome {
    const where = `PUT of the scale of ${target.kind} ${target.name}`;
    if (answered.uid !== observed.uid) {
      const message = `${where}: the answer is of uid ${answered.uid}, and ${observed.uid} was written`;
      return { outcome: 'Unknown', failure: { code: 'Malformed', message, retryable: true } };
    }
    if (answered.specReplicas === observed.specReplicas) {
      const message = `${where}: the API server took it, and kept ${answered.specReplicas} in place of ${replicas}: does an admission webhook set the count?`;
      return { outcome: 'Failed', failure: { code: 'NotKept', message, retryable: false } };
    }
    if (!isLater(answered.resourceVersion, observed.resourceVersion)) {
      const message = `${where}: the answer has ${answered.specReplicas} replicas at version ${answered.resourceVersion}, and ${observed.specReplicas} were written over at version ${observed.resourceVersion}`;
      return { outcome: 'Unknown', failure: { code: 'Malformed', message, retryable: true } };
    }
    const writer = { manager: plimsollManager, time: new Date(this.#timing.now()).toISOString() };
    return { outcome: 'Written', state: { ...answered, writer } };
  }

  async #reread({ target }: ScaleWrite, signal: AbortSignal): Promise<ScaleState | ScaleWriteOutcome> {
    try {
      const state = await this.#reader.read(target);
      signal.throwIfAborted();
      return state;
    } catch (error) {
      signal.throwIfAborted();
      return { outcome: 'Unknown', failure: asScaleFailure(error) };
    }
  }
}

/** Whether a write of one is a write of the other: versions change with the rest of the object, too. */
export function isSameScale(present: ScaleState, observed: ScaleState): boolean {
  return (
    present.uid === observed.uid &&
    present.specReplicas === observed.specReplicas &&
    canonicalSelectorText(present.selector) === canonicalSelectorText(observed.selector)
  );
}

/** What a request about a scale failed by. */
export function asScaleFailure(error: unknown): AdapterError {
  return transportFailure('scale', error, []);
}
