import { AdapterError } from '#kernel';
import type { ScaleState, ScaleTarget } from '#reconciliation';
import type { ApiClient } from '../api/api-client.ts';
import { type KubeObject, parseKubeObject } from '../api/kube-object.ts';
import { objectPath, type RestMapper } from '../api/rest-mapper.ts';
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
   * @throws AdapterError `NoScale` where its kind has none; what `RestMapper.mappingOf` throws.
   */
  async pathOf(target: ScaleTarget): Promise<string> {
    const mapping = await this.#mapper.mappingOf(target.apiVersion, target.kind);
    if (mapping.hasScale) return `${objectPath(mapping, target)}/scale`;
    const message = `${target.kind} of ${mapping.apiVersion} has no scale subresource`;
    throw new AdapterError({ code: 'NoScale', message, retryable: false });
  }

  /** The scale as it is now. @throws AdapterError */
  async read(target: ScaleTarget): Promise<ScaleState> {
    return parseScale(await this.#client.json({ path: await this.pathOf(target) }));
  }

  /** The scale as it is now, and who wrote its replicas: a scale carries no managedFields, the object does. @throws AdapterError */
  async readWithWriter(target: ScaleTarget): Promise<ScaleState> {
    const [scale, { metadata }] = await Promise.all([this.read(target), this.readObject(target)]);
    const writer = replicasWriterOf(metadata);
    return writer === undefined ? scale : { ...scale, writer };
  }

  /** The object behind a scale as it is now, its metadata only. @throws AdapterError */
  async readObject(target: ScaleTarget): Promise<KubeObject> {
    const mapping = await this.#mapper.mappingOf(target.apiVersion, target.kind);
    const request = { path: objectPath(mapping, target), accept: acceptOfObject('Metadata') };
    return parseKubeObject(await this.#client.json(request));
  }
}
