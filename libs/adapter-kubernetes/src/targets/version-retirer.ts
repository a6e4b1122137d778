import type { AdapterError } from '#kernel';
import type {
  ScaleState,
  ScaleWriteFailure,
  VersionRetirement,
  VersionRetirementOutcome,
} from '#reconciliation';
import type { ApiClient } from '../api/api-client.ts';
import { conflictOf, hasCode, transportFailure, unretired } from '../api/api-failure.ts';
import { versionApplyOf } from '../objects/field-managers.ts';
import { appliedScale, parseScale } from './scale-document.ts';
import type { ScaleReader } from './scale-reader.ts';

/** Server-side apply; JSON is YAML. */
const applyPatchType = 'application/apply-patch+yaml';

/** Makes versions of targets former ones, by an apply to `/scale` that changes who owns the count, and not the count. */
export class VersionRetirer {
  readonly #client: ApiClient;
  readonly #reader: ScaleReader;

  constructor(client: ApiClient, reader: ScaleReader) {
    this.#client = client;
    this.#reader = reader;
  }

  /** Does what `ScalePort.retireVersion` says. Rejects only when the signal aborts. */
  async retire(retirement: VersionRetirement, signal: AbortSignal): Promise<VersionRetirementOutcome> {
    try {
      return await this.#apply(retirement, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failure = transportFailure('version', error, []);
      return unretired(hasCode(failure, 'Conflict') ? await this.#conflictOf(failure, retirement) : failure);
    }
  }

  async #conflictOf(
    failure: AdapterError,
    { target, observed }: VersionRetirement,
  ): Promise<ScaleWriteFailure> {
    const present = await this.#reader.readObject(target).catch(() => undefined);
    return present === undefined ? failure : conflictOf(failure, { sent: observed, present });
  }

  async #apply(retirement: VersionRetirement, signal: AbortSignal): Promise<VersionRetirementOutcome> {
    const { target, observed } = retirement;
    const path = await this.#reader.pathOf(target);
    const { resourceVersion, metadata } = await this.#reader.readObject(target);
    // Who owns the count is known of the version that is read, and the apply is for that version alone.
    if (resourceVersion !== observed.resourceVersion) return { kind: 'Changed' };
    const { manager, count } = versionApplyOf(metadata);
    const failure = retirement.unwanted();
    if (failure !== null) return { kind: 'Unknown', message: failure.message };
    const answer = await this.#client.json({
      method: 'PATCH',
      path,
      // By force: zero is no value of a Scale, so that who applies it takes it over.
      query: { fieldManager: manager, force: 'true' },
      contentType: applyPatchType,
      body: appliedScale(target, observed, count),
      signal,
    });
    return outcomeOf(parseScale(answer), observed);
  }
}

function outcomeOf(scale: ScaleState, observed: ScaleState): VersionRetirementOutcome {
  if (scale.resourceVersion === observed.resourceVersion)
    return { kind: 'Refused', message: `the API server kept the version ${observed.resourceVersion}` };
  return { kind: 'Retired', state: { ...scale, ...(observed.writer && { writer: observed.writer }) } };
}
