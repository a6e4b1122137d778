import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Span {
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** A pass that came to an end, by whom, and when it was heard of. */
interface HeardPass {
  readonly policy: string;
  readonly replica: string;
  /** Milliseconds since 1970, by the clock of the test: the replicas' clocks are off. */
  readonly at: number;
}

/** So long a pass that has ended waits for others before it is told, by default of OpenTelemetry. */
export const toldAfterSeconds = 5;

/** Hears of every pass of several controllers, which send their traces here. */
export class WatchedPolicies {
  readonly #passes: HeardPass[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.#note(request.url ?? '', Buffer.concat(chunks).toString('utf8'));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<WatchedPolicies> {
    const watched = new WatchedPolicies();
    await new Promise<void>((resolve) => watched.#server.listen(0, '127.0.0.1', resolve));
    return watched;
  }

  /** The setting of a controller's traces. */
  tracesOf(replica: string): object {
    const { port } = this.#server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/${replica}`, samplePercent: 100 };
  }

  /** Who has carried policies out. */
  get replicas(): ReadonlySet<string> {
    return new Set(this.#passes.map(({ replica }) => replica));
  }

  /** For how long a policy was without a pass at longest, of the times that ended after a moment, in seconds. */
  longestGapSeconds(policy: string, since: number): number {
    const heard = this.#passes.flatMap((pass) => (pass.policy === policy ? [pass.at] : []));
    const times = [...heard, Date.now()];
    const gaps = times.flatMap((at, index) => (index === 0 || at < since ? [] : [at - times[index - 1]!]));
    return Math.max(0, ...gaps) / 1_000;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #note(path: string, text: string): void {
    const { resourceSpans } = JSON.parse(text) as Traces;
    const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    const at = Date.now();
    for (const { name, attributes } of spans) {
      if (name !== 'pass') continue;
      const values = new Map(attributes.map(({ key, value }) => [key, value.stringValue]));
      // One that failed has looked at nothing.
      const outcome = values.get('plimsoll.outcome');
      if (outcome === 'Failed' || outcome === 'Bug') continue;
      this.#passes.push({ policy: values.get('plimsoll.policy.name') ?? '', replica: path.slice(1), at });
    }
  }
}
