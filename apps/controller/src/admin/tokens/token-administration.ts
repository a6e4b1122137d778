import { randomUUID } from 'node:crypto';
import { AdapterError, parseInstant } from '#kernel';
import type { LedgerWriter, StoredToken } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { type Grant, mayAct, mayGrant, ownerOf, type Principal } from '../../auth/callers/principal.ts';
import { randomToken } from '../../auth/identities/token-authenticator.ts';
import type { TokenRegistry } from '../../auth/identities/token-registry.ts';
import type { DeletionTime } from '../../database/deletion-time.ts';
import type { ActionGate } from '../access/action-gate.ts';
import { recordAccepted } from '../actions/record-accepted.ts';
import { QueryError } from '../requests/query-error.ts';
import { forgettableTokens } from './forgettable-tokens.ts';

/** Tokens that are valid at a time, of one owner and of all; each is kept in memory. */
const maximumTokensOfOwner = 50;
const maximumTokens = 2_000;

/** Tokens that one owner makes within an hour, revoked ones included: each is kept for a while, and two entries. */
const maximumMadeHourly = 100;

/** Namespaces of all grants of one token: each is compared with those of whatever is looked at. */
const maximumNamespaces = 200;

/** Expired tokens are shown for so long. */
const keptDays = 90;

const hourMilliseconds = 3_600_000;
const dayMilliseconds = 24 * hourMilliseconds;

/** A token as callers see it. */
export type TokenView = Omit<StoredToken, 'sha256' | 'parent'>;

/** A token that is to be made. */
export interface TokenRequest {
  readonly principal: Principal;
  /** What it is for; its name in the ledger is the owner's with this behind it: `ann/ci`. */
  readonly name: string;
  readonly grants: readonly Grant[];
  /** RFC 3339 with its zone. */
  readonly expires: string;
  readonly reason: string;
}

/** A token that is to be revoked. */
export interface TokenRevocation {
  readonly principal: Principal;
  readonly id: string;
  readonly reason: string;
}

/** A token that was made: shown once. */
export interface CreatedToken {
  readonly token: string;
  readonly view: TokenView;
}

/**
 * API tokens, as people make, list and revoke them. Everyone may make tokens of what they may do themselves, and no more:
 * neither more grants, nor a later end than that of the token that they come with, nor another identity in approvals. One
 * token is made or revoked at a time, so that none is made with one that is being revoked.
 */
export class TokenAdministration {
  readonly #ports: {
    readonly registry: TokenRegistry;
    readonly gate: ActionGate;
    readonly writer: Pick<LedgerWriter, 'append'>;
    readonly time: Pick<DeletionTime, 'now'>;
    readonly clock: Pick<ClockPort, 'now'>;
    readonly maximumDays: number;
  };
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: {
    readonly registry: TokenRegistry;
    readonly gate: ActionGate;
    readonly writer: Pick<LedgerWriter, 'append'>;
    readonly time: Pick<DeletionTime, 'now'>;
    readonly clock: Pick<ClockPort, 'now'>;
    readonly maximumDays: number;
  }) {
    this.#ports = ports;
  }

  /** The caller's own tokens, newest first; to an administrator of all namespaces, everyone's. */
  list(caller: Principal): readonly TokenView[] {
    return this.#ports.registry
      .list()
      .filter((token) => isVisible(caller, token))
      .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
      .map(viewOf);
  }

  /** Makes a token, which is in the answer and nowhere else. @throws QueryError */
  create(request: TokenRequest): Promise<CreatedToken> {
    return this.#exclusively(() => this.#create(request));
  }

  /**
   * Revokes a token and those that were made with it, on every process within a second; one that is revoked stays as it is.
   *
   * @throws QueryError
   */
  revoke(request: TokenRevocation): Promise<TokenView> {
    return this.#exclusively(() => this.#revoke(request));
  }

  async #create(request: TokenRequest): Promise<CreatedToken> {
    const { name, grants, expires } = request;
    const given = { token: name, grants: grantsText(grants), expires };
    const { registry } = this.#ports;
    const { principal, reason } = await this.#ports.gate.admit({
      name: 'CreateToken',
      principal: request.principal,
      arguments: given,
      reason: request.reason,
      check: async (caller) => {
        // A process that has just become the leader may not have seen yet what the last one made and revoked.
        await registry.refresh();
        this.#check(caller, request);
      },
    });
    const { token, sha256 } = randomToken();
    const stored = { ...this.#storedOf(principal, request), sha256 };
    const forgetBefore = new Date((await this.#ports.time.now()) - keptDays * dayMilliseconds).toISOString();
    const forgotten = forgettableTokens(registry.list(), stored.createdAt, forgetBefore);
    await recordAccepted(
      this.#ports,
      { actor: principal.name, action: 'CreateToken', reason, arguments: given },
      { tokens: { put: [stored], forget: forgotten.map(({ id }) => id) } },
    );
    await this.#followChange();
    return { token, view: viewOf(stored) };
  }

  async #revoke(request: TokenRevocation): Promise<TokenView> {
    const { id } = request;
    const { registry, clock } = this.#ports;
    const { principal, reason, checked } = await this.#ports.gate.admit({
      name: 'RevokeToken',
      principal: request.principal,
      arguments: { id },
      reason: request.reason,
      check: async (caller) => {
        // As above.
        await registry.refresh();
        const all = registry.list();
        const ids = new Set(withDescendants(id, all));
        const valid = all.filter((each) => ids.has(each.id) && each.revokedAt === null);
        return { token: this.#find(caller, id), valid };
      },
    });
    const { token, valid } = checked;
    // Asked again, as where the answer was lost: nothing changes, and who did it and when is recorded already.
    if (token.revokedAt !== null) return viewOf(token);
    const given = { id, token: token.name };
    const revokedAt = clock.now();
    await recordAccepted(
      this.#ports,
      { actor: principal.name, action: 'RevokeToken', reason, arguments: given },
      { tokens: { put: valid.map((each) => ({ ...each, revokedAt })), forget: [] } },
    );
    await this.#followChange();
    return viewOf({ ...token, revokedAt });
  }

  /** It is carried out already: where the database is away now, the registry's next look sees it. */
  async #followChange(): Promise<void> {
    await this.#ports.registry.refresh().catch((error: unknown) => {
      if (!(error instanceof AdapterError)) throw error;
    });
  }

  #find(caller: Principal, id: string): StoredToken {
    const found = this.#ports.registry.list().find((token) => token.id === id);
    if (found !== undefined && isVisible(caller, found)) return found;
    throw new QueryError('UnknownToken', `no token has the id ${id}`);
  }

  #storedOf(principal: Principal, { name, grants, expires }: TokenRequest): Omit<StoredToken, 'sha256'> {
    const owner = ownerOf(principal);
    return {
      id: randomUUID(),
      name: `${owner}/${name}`,
      owner,
      parent: principal.token?.id ?? null,
      grants: grants.map(({ role, namespaces }) => ({ role, namespaces: [...namespaces] })),
      email: principal.email ?? null,
      forgeLogin: principal.forgeLogin ?? null,
      createdAt: this.#ports.clock.now(),
      expiresAt: this.#expiryOf(principal, expires),
      revokedAt: null,
      lastUsedAt: null,
    };
  }

  #check(caller: Principal, { name, grants, expires }: TokenRequest): void {
    this.#requireValid(caller);
    const count = grants.reduce((sum, { namespaces }) => sum + namespaces.length, 0);
    if (count > maximumNamespaces)
      throw new QueryError('BadArgument', `grants name ${count} namespaces, at most ${maximumNamespaces}`);
    if (grants.length === 0) throw new QueryError('BadArgument', 'a token without grants may do nothing');
    for (const { role, namespaces } of grants) {
      const beyond = namespaces.find((pattern) => !mayGrant(caller, role, pattern));
      if (beyond === undefined) continue;
      throw new QueryError(
        'Forbidden',
        `${caller.name} does not have role ${role} in ${beyond}, and cannot give it`,
      );
    }
    // Who may not is told no more than that.
    this.#expiryOf(caller, expires);
    this.#requireRoom(ownerOf(caller), name);
  }

  /** It was let in before; meanwhile its token may have been revoked. */
  #requireValid({ token }: Principal): void {
    if (token === undefined) return;
    const found = this.#ports.registry.list().find(({ id }) => id === token.id);
    if (found?.revokedAt === null) return;
    throw new QueryError('Forbidden', 'the token that this one would be made with is revoked');
  }

  #requireRoom(owner: string, name: string): void {
    const now = this.#ports.clock.now();
    const all = this.#ports.registry.list();
    const valid = all.filter(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt > now);
    const own = valid.filter((token) => token.owner === owner);
    if (own.some((token) => token.name === `${owner}/${name}`))
      throw new QueryError('BadName', `${owner} has a token ${name}; revoke it first`);
    if (own.length >= maximumTokensOfOwner || valid.length >= maximumTokens) {
      const bound = `${maximumTokensOfOwner} tokens of one owner, ${maximumTokens} in all`;
      throw new QueryError('TooManyTokens', `${bound} may be valid at a time; revoke some first`);
    }
    const since = new Date(Date.parse(now) - hourMilliseconds).toISOString();
    const made = all.filter((token) => token.owner === owner && token.createdAt > since);
    if (made.length < maximumMadeHourly) return;
    throw new QueryError('TooManyTokens', `one owner makes ${maximumMadeHourly} tokens within an hour`);
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** In UTC. */
  #expiryOf({ token }: Principal, expires: string): string {
    const instant = parseInstant(expires);
    const now = Date.parse(this.#ports.clock.now());
    const bound = now + this.#ports.maximumDays * dayMilliseconds;
    const last = token === undefined ? bound : Math.min(bound, Date.parse(token.expiresAt));
    const time =
      instant === undefined ? Number.NaN : instant.seconds * 1_000 + Math.floor(instant.nanos / 1e6);
    if (time > now && time <= last) return new Date(time).toISOString();
    const setting = 'auth.maximumTokenDays';
    const value = this.#ports.maximumDays;
    const isOfToken = last < bound;
    const why = isOfToken ? 'when the token that asks expires' : `${setting} is ${value}`;
    const end = new Date(last).toISOString();
    const form = `a time (RFC 3339 with its zone) after now and not after ${end}: ${why}`;
    throw new QueryError('BadExpiry', `expires is ${JSON.stringify(expires)}; it wants ${form}`, {
      bound: { last: end, ...(isOfToken ? { setting: null, value: null } : { setting, value }) },
    });
  }
}

function isVisible(caller: Principal, { owner }: StoredToken): boolean {
  return owner === ownerOf(caller) || mayAct(caller, 'admin', null);
}

function viewOf(token: StoredToken): TokenView {
  const { id, name, owner, grants, email, forgeLogin, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  return { id, name, owner, grants, email, forgeLogin, createdAt, expiresAt, revokedAt, lastUsedAt };
}

function withDescendants(id: string, tokens: readonly StoredToken[]): readonly string[] {
  const children = tokens.filter(({ parent }) => parent === id);
  return [id, ...children.flatMap((child) => withDescendants(child.id, tokens))];
}

/** `operator:shop,shop-*;viewer:*` */
export function grantsText(grants: readonly Grant[]): string {
  return grants.map(({ role, namespaces }) => `${role}:${namespaces.join(',')}`).join(';');
}
