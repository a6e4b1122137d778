import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TestPostgres } from './postgres.ts';

/** What a proxy does to a connection, once. */
export type ProxyFault =
  /** Lets a COMMIT reach the server, and cuts the connection instead of passing its answer on. */
  | 'LoseCommitAnswer'
  /** Lets a COMMIT reach the server, and keeps its answer until it is asked for. */
  | 'DelayCommitAnswer'
  /** Cuts the connection before a COMMIT reaches the server. */
  | 'LoseCommit'
  /** Ends the connection right after the answer to BEGIN, as a server does that is shut down. */
  | 'EndAfterBegin'
  /** Cuts the connection before a query with this in its text reaches the server. */
  | { readonly cutBefore: string }
  /** From a message with this in its text on, the line carries nothing in either direction, not even its end. */
  | { readonly stallBefore: string };

/** A proxy on loopback between a client and a PostgreSQL server. */
export interface PostgresProxy {
  readonly port: number;
  /** The faults of the coming transactions, in order. */
  readonly faults: ProxyFault[];
  /** Passes on what was kept back, where the client still listens. */
  readonly deliverLate: () => void;
  /** Refuses connections, and cuts those there are, until it is called with false. */
  readonly cutOff: (isCutOff: boolean) => void;
  readonly stop: () => Promise<void>;
}

/** A simple query of the protocol: its type, its length, its text. */
function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const message = Buffer.alloc(5 + body.length);
  message.write('Q');
  message.writeInt32BE(4 + body.length, 1);
  body.copy(message, 5);
  return message;
}

const begin = simpleQuery('BEGIN');
const commit = simpleQuery('COMMIT');

/** What a server says to its clients before it ends. */
function shutdownMessage(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command'];
  const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`);
  const message = Buffer.alloc(5 + body.length);
  message.write('E');
  message.writeInt32BE(4 + body.length, 1);
  body.copy(message, 5);
  return message;
}

/** Starts a proxy in front of a server. */
export async function startPostgresProxy(
  server: Pick<TestPostgres, 'host' | 'port'>,
): Promise<PostgresProxy> {
  const faults: ProxyFault[] = [];
  const clients = new Set<Socket>();
  const late: (() => void)[] = [];
  let isCutOff = false;
  const proxy = createServer({ allowHalfOpen: true }, (client) => {
    if (isCutOff) {
      client.destroy();
      return;
    }
    clients.add(client);
    client.on('close', () => clients.delete(client));
    relay(client, connect(server.port, server.host), { faults, late });
  });
  return {
    port: await listen(proxy, server.host),
    faults,
    deliverLate: () => {
      for (const deliver of late.splice(0)) deliver();
    },
    cutOff: (cut) => {
      isCutOff = cut;
      if (cut) for (const client of clients) client.destroy();
    },
    stop: async () => {
      for (const client of clients) client.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

interface Disturbances {
  readonly faults: ProxyFault[];
  readonly late: (() => void)[];
}

function relay(client: Socket, server: Socket, { faults, late }: Disturbances): void {
  const cut = (): void => {
    client.destroy();
    server.destroy();
  };
  for (const socket of [client, server]) {
    socket.on('error', cut);
    socket.on('close', cut);
  }
  let fault: ProxyFault | null = null;
  let isStalled = false;
  client.on('end', () => {
    if (!isStalled) server.end();
  });
  client.on('data', (data: Buffer) => {
    if (isStalled) return;
    fault = faultOf(data, faults[0]);
    if (fault !== null) faults.shift();
    if (isStallFault(fault)) isStalled = true;
    else if (fault === 'LoseCommit' || (fault !== null && typeof fault === 'object')) cut();
    else server.write(data);
  });
  server.on('data', (data: Buffer) => {
    if (isStalled) return;
    if (fault === 'LoseCommitAnswer') {
      cut();
      return;
    }
    if (fault === 'DelayCommitAnswer') {
      late.push(() => {
        if (client.writable) client.write(data);
      });
      return;
    }
    if (fault === 'EndAfterBegin') return void client.end(Buffer.concat([data, shutdownMessage()]));
    client.write(data);
  });
}

function faultOf(data: Buffer, next: ProxyFault | undefined): ProxyFault | null {
  if (next === undefined) return null;
  if (typeof next === 'object')
    return data.includes('stallBefore' in next ? next.stallBefore : next.cutBefore) ? next : null;
  return data.equals(next === 'EndAfterBegin' ? begin : commit) ? next : null;
}

function isStallFault(fault: ProxyFault | null): boolean {
  return fault !== null && typeof fault === 'object' && 'stallBefore' in fault;
}

function listen(proxy: Server, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    proxy.once('error', reject);
    proxy.listen(0, host, () => {
      const address = proxy.address();
      if (address === null || typeof address === 'string') reject(new Error('no port'));
      else resolve(address.port);
    });
  });
}
