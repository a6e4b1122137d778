import { isJsonObject, type JsonObject } from '#kernel';
import type { SimulationClock } from '../clock/simulation-clock.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { apiVersionOf, resourceKey } from '../registry/resource-definition.ts';
import type { ResourceRegistry } from '../registry/resource-registry.ts';
import type { ObjectStore } from '../storage/object-store.ts';
import { decodeBody, decodeObject, parseBody, validationOf } from './decode-object.ts';
import { discover } from './discovery.ts';
import { ListPages } from './list-pages.ts';
import { matchesFilter, parseFilter, parseRevision, tooLargeRevision } from './list-query.ts';
import { chooseRepresentation } from './media-type.ts';
import { deleted, ObjectDeleter } from './object-deleter.ts';
import { ObjectWriter, type WriteOptions } from './object-writer.ts';
import { isApply, patchJson } from './patch-json.ts';
import { representList, representObject } from './represent.ts';
import { addressOf, checkSubresource, deleteOptions, parseWatch, writeOptions } from './request-options.ts';
import { findTarget, type HttpRequest, type ResourceTarget, type Verb, verbOf } from './resource-request.ts';
import { scaleConfiguration, scalePathsOf, toScale, withScale } from './scale.ts';
import { badRequest, expired, methodNotAllowed, unknownResource } from './status-error.ts';
import type { WatchRequest } from './watch-session.ts';
import { applyWithoutManager, checkName } from './write-errors.ts';

/** What goes back: an answer at once, or a stream. */
export type ApiAnswer =
  | {
      readonly type: 'Answer';
      readonly code: number;
      readonly body: JsonObject | string;
      readonly warnings?: readonly string[];
    }
  | { readonly type: 'Watch'; readonly watch: WatchRequest };

/** The API without HTTP: a request in, an answer out; what is refused is thrown as StatusError. */
export class ApiServer {
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
  readonly pages = new ListPages();
  readonly #store: ObjectStore;
  readonly #registry: ResourceRegistry;
  readonly #verbs: Readonly<Record<Verb, (target: ResourceTarget, request: HttpRequest) => ApiAnswer>> = {
    get: (target, request) => this.#get(target, request),
    list: (target, request) => this.#list(target, request),
    watch: (target, request) => ({ type: 'Watch', watch: parseWatch(target, request) }),
    create: (target, request) => this.#create(target, request),
    update: (target, request) => this.#update(target, request),
    patch: (target, request) => this.#patch(target, request),
    delete: (target, request) => this.#delete(target, request),
    deletecollection: (target, request) => this.#deleteCollection(target, request),
  };

  constructor(store: ObjectStore, registry: ResourceRegistry, clock: SimulationClock) {
    this.#store = store;
    this.#registry = registry;
    this.writer = new ObjectWriter(store, clock);
    this.deleter = new ObjectDeleter(store, clock);
  }

  /**
   * Answers a request for discovery or for objects.
   *
   * @throws StatusError for everything that Kubernetes refuses
   */
  handle(request: HttpRequest): ApiAnswer {
    const target = findTarget(request.path, this.#registry);
    if (target === undefined) return this.#discover(request);
    const verb = verbOf(request, target.name !== undefined);
    if (verb === undefined) throw methodNotAllowed();
    return this.#verbs[verb](target, request);
  }

  #discover({ path, method }: HttpRequest): ApiAnswer {
    const found = discover(path, this.#registry);
    if (found !== undefined && method === 'GET') return answer(200, found);
    // Below a served version the answer is a Status, below one of definitions and elsewhere plain text.
    const [, root, group, version] = path.split('/');
    const base = root === 'api' ? `/api/${group ?? ''}` : `/apis/${group ?? ''}/${version ?? ''}`;
    const isOfDefinitions = this.#registry
      .all()
      .some((resource) => resource.custom && base === `/apis/${apiVersionOf(resource)}`);
    if (discover(base, this.#registry) !== undefined && !isOfDefinitions) throw unknownResource();
    return answer(404, '404 page not found\n');
  }

  #get(target: ResourceTarget, request: HttpRequest): ApiAnswer {
    const object = this.writer.get(addressOf(target));
    if (target.subresource === 'scale') return answer(200, toScale(object, scalePathsOf(target.resource)));
    checkSubresource(target);
    return answer(200, this.#shown(object, request));
  }

  #list(target: ResourceTarget, request: HttpRequest): ApiAnswer {
    const { resource, namespace } = target;
    const { query } = request;
    const representation = chooseRepresentation(request.accept);
    const limit = Number(query.get('limit') ?? 0);
    const token = query.get('continue') ?? '';
    if (token !== '')
      return answer(200, representList(resource, this.pages.next(token, limit), representation));
    this.#checkRevision(query);
    const filter = parseFilter(target, query);
    const all = this.#store.list(resourceKey(resource), namespace);
    const isWhole = filter.labels.length === 0 && filter.fields.length === 0;
    const items = isWhole ? all : all.filter((object) => matchesFilter(object, filter));
    const page = this.pages.first(items, this.#store.revision, limit);
    // As upstream: how many remain is not known where a selector would have to be tried on them.
    const shown = isWhole ? page : { ...page, remaining: undefined };
    return answer(200, representList(resource, shown, representation));
  }

  #checkRevision(query: URLSearchParams): void {
    const revision = parseRevision(query) ?? 0;
    if (revision > this.#store.revision) throw tooLargeRevision(revision, this.#store.revision);
    // Only the present state is kept; an exact older one is gone, as after a compaction.
    const isExact = query.get('resourceVersionMatch') === 'Exact' && revision < this.#store.revision;
    if (isExact) throw expired(revision, this.#store.revision);
  }

  #create(target: ResourceTarget, request: HttpRequest): ApiAnswer {
    const { resource, namespace = '', name } = target;
    if (name !== undefined || (resource.namespaced && namespace === '')) throw methodNotAllowed();
    const { object, warnings } = decodeBody(request, resource);
    const created = this.writer.create({ resource, namespace }, object, writeOptions(target, request));
    return { type: 'Answer', code: 201, body: this.#shown(created, request), warnings };
  }

  #update(target: ResourceTarget, request: HttpRequest): ApiAnswer {
    const address = addressOf(target);
    const options = writeOptions(target, request);
    if (target.subresource === 'scale') {
      const scale = parseBody(request.body, 'Scale');
      if (!isJsonObject(scale)) throw badRequest('the body is not a Scale object');
      return this.#writeScale(target, () => scale, options);
    }
    checkSubresource(target);
    const { object, warnings } = decodeBody(request, target.resource);
    checkName(address.name, object);
    const updated = this.writer.update(address, () => object, options);
    return { type: 'Answer', code: 200, body: this.#shown(updated, request), warnings };
  }

  #patch(target: ResourceTarget, request: HttpRequest): ApiAnswer {
    const options = writeOptions(target, request);
    const { resource, subresource } = target;
    if (isApply(request)) return this.#apply(target, request, options);
    if (subresource === 'scale') {
      const live = toScale(this.writer.get(addressOf(target)), scalePathsOf(resource));
      return this.#writeScale(target, () => patchJson(live, request, resource), options);
    }
    checkSubresource(target);
    let warnings: readonly string[] = [];
    const change = (live: KubeObject): JsonObject => {
      const decoded = decodeObject(patchJson(live, request, resource), resource, validationOf(request));
      warnings = decoded.warnings;
      return decoded.object;
    };
    const patched = this.writer.update(addressOf(target), change, options);
    return { type: 'Answer', code: 200, body: this.#shown(patched, request), warnings };
  }

  #apply(target: ResourceTarget, request: HttpRequest, options: WriteOptions): ApiAnswer {
    const { resource, subresource } = target;
    const force = request.query.get('force') === 'true';
    if (request.query.get('fieldManager') === null) throw applyWithoutManager();
    const parsed = parseBody(request.body, resource.kind);
    if (subresource === 'scale') {
      const paths = scalePathsOf(resource);
      const configuration = scaleConfiguration(parsed, paths);
      const { object } = this.writer.apply(addressOf(target), configuration, { ...options, force });
      return answer(200, toScale(object, paths));
    }
    checkSubresource(target);
    const { object: configuration, warnings } = decodeObject(parsed, resource, validationOf(request));
    const { object, created } = this.writer.apply(addressOf(target), configuration, { ...options, force });
    return { type: 'Answer', code: created ? 201 : 200, body: this.#shown(object, request), warnings };
  }

  #writeScale(target: ResourceTarget, scale: () => JsonObject, options: WriteOptions): ApiAnswer {
    const { resource } = target;
    const paths = scalePathsOf(resource);
    const updated = this.writer.update(
      addressOf(target),
      (live) => withScale(live, scale(), resource),
      options,
    );
    return answer(200, toScale(updated, paths));
  }

  #delete(target: ResourceTarget, request: HttpRequest): ApiAnswer {
    if (target.subresource !== undefined) throw methodNotAllowed();
    const { object, isGone } = this.deleter.delete(addressOf(target), deleteOptions(request));
    const isPod = resourceKey(target.resource) === '/pods';
    return answer(200, isGone && !isPod ? deleted(target.resource, object) : object);
  }

  #shown(object: KubeObject, request: HttpRequest): JsonObject {
    return representObject(object, chooseRepresentation(request.accept));
  }

  #deleteCollection(target: ResourceTarget, request: HttpRequest): ApiAnswer {
    const { resource, namespace } = target;
    if (resource.namespaced && namespace === undefined) throw methodNotAllowed();
    const filter = parseFilter(target, request.query);
    const options = deleteOptions(request);
    const items = this.#store
      .list(resourceKey(resource), namespace)
      .filter((object) => matchesFilter(object, filter));
    for (const { metadata } of items)
      this.deleter.delete({ resource, namespace: namespace ?? '', name: metadata.name }, options);

    return answer(200, representList(resource, { items, revision: this.#store.revision }, 'Object'));
  }
}

function answer(code: number, body: JsonObject | string): ApiAnswer {
  return { type: 'Answer', code, body };
}
