import { AdapterError } from '#kernel';
import type { ScaleState, ScaleTarget } from '#reconciliation';
import type { ApiClient, ApiRequest } from '../api/api-client.ts';
import { isUnservedApi } from '../api/api-failure.ts';
import { type KubeObject, parseKubeObject } from '../api/kube-object.ts';
import { objectPath, type RestMapper, type RestMapping } from '../api/rest-mapper.ts';
import { acceptOfObject } from '../informer/watched-resource.ts';
import { replicasWriterOf } from '../objects/field-managers.ts';
import { parseScale } from './scale-document.ts';

/** Reads scales of the API server, any kind that has one. */
export class ScaleReader {
  readonly #client: ApiClient;
  readonly #mapper: RestMapper;

  constructor(client: ApiClient, mapper: RestMapper) {
    this.#client = client;
    this.#mapper = mapper;
  }

  /**
   * The path of a target's scale.
   *
   * @throws AdapterError `NoScale` where its kind has none; `NotNamespaced` where its objects are of the whole cluster; what
   *   `RestMapper.mappingOf` throws.
   */
  async pathOf(target: ScaleTarget): Promise<string> {
    const mapping = await this.#mappingOf(target);
    if (mapping.hasScale) return `${objectPath(mapping, target)}/scale`;
    const message = `${target.kind} of ${mapping.apiVersion} has no scale subresource`;
    throw new AdapterError({ code: 'NoScale', message, retryable: false });
  }

  /** The scale as it is now. @throws AdapterError */
  async read(target: ScaleTarget): Promise<ScaleState> {
    return parseScale(await this.#get(async () => ({ path: await this.pathOf(target) })));
  }

  /** The scale as it is now, and who wrote its replicas: a scale carries no managedFields, the object does. @throws AdapterError */
  async readWithWriter(target: ScaleTarget): Promise<ScaleState> {
    const object = this.readObject(target);
    // Of two that fail the scale says why, whichever fails first: else the reason would go back and forth.
    object.catch(() => undefined);
    const scale = await this.read(target);
    const writer = replicasWriterOf((await object).metadata);
    return writer === undefined ? scale : { ...scale, writer };
  }

  /** The object behind a scale as it is now, its metadata only. @throws AdapterError */
  async readObject(target: ScaleTarget): Promise<KubeObject> {
    const accept = acceptOfObject('Metadata');
    return parseKubeObject(
      await this.#get(async () => ({ path: objectPath(await this.#mappingOf(target), target), accept })),
    );
  }

  /** What a policy of one namespace would do to an object of the whole cluster is no namespace's to decide. */
  async #mappingOf({ apiVersion, kind }: ScaleTarget): Promise<RestMapping> {
    const mapping = await this.#mapper.mappingOf(apiVersion, kind);
    if (mapping.isNamespaced) return mapping;
    const message = `a ${kind} of ${mapping.apiVersion} belongs to no namespace, and is not scaled`;
    throw new AdapterError({ code: 'NotNamespaced', message, retryable: false });
  }

  /** Asks discovery again where the path leads to nothing: the definition may have been removed, or replaced by another. */
  async #get(requestOf: () => Promise<ApiRequest>): Promise<unknown> {
    try {
      return await this.#client.json(await requestOf());
    } catch (error) {
      if (!isUnservedApi(error)) throw error;
      this.#mapper.refresh();
      return this.#client.json(await requestOf());
    }
  }
}
