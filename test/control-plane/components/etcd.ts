import { join } from 'node:path';
import type { Component } from './component.ts';

const timeoutMilliseconds = 2_000;

/** The database. Nothing in it is worth an fsync, which is most of what etcd does with its time. */
export const etcd: Component = {
  name: 'etcd',
  arguments: ({ folder, ports }) => {
    const [client, peer] = [`http://127.0.0.1:${ports.etcd}`, `http://127.0.0.1:${ports['etcd-peer']}`];
    return [
      `--data-dir=${join(folder.state, 'etcd')}`,
      '--unsafe-no-fsync',
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--log-level=warn',
    ];
  },
  isReady: async ({ ports }) => {
    const response = await fetch(`http://127.0.0.1:${ports.etcd}/health`, {
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    return response.ok;
  },
};
