import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoProcess } from './demo-process.ts';

/** Asks the demo's API with the token that it prints. @throws Error where it answers with errors, or refuses an action */
export async function askDemo<T>({ url, token }: DemoProcess, query: string): Promise<T> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await answer.json()) as {
    readonly data: T;
    readonly errors?: readonly unknown[];
  };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  if (Object.values(data as Readonly<Record<string, unknown>>).some(isRefusal))
    throw new Error(`${query}: ${JSON.stringify(data)}`);
  return data;
}

function isRefusal(value: unknown): boolean {
  return (value as { readonly __typename?: unknown } | null)?.__typename === 'ActionRefusal';
}

/** A token of the demo's administrator, for an hour, that may do no more than a role in namespaces. */
export async function demoToken(
  demo: DemoProcess,
  { role, namespaces }: { readonly role: string; readonly namespaces: readonly string[] },
): Promise<string> {
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const grant = `{role: ${role}, namespaces: ${JSON.stringify(namespaces)}}`;
  const query = `mutation { createToken(name: "${role}-${Date.now()}", grants: [${grant}], expires: "${expires}", reason: "a test") { ... on CreatedToken { secret } } }`;
  const { createToken } = await askDemo<{ readonly createToken: { readonly secret: string } }>(demo, query);
  return createToken.secret;
}

/** The commit of the demo's repository that is in force. */
export async function commitInForce(demo: DemoProcess): Promise<string> {
  const { sources } = await askDemo<{
    readonly sources: readonly [{ readonly commit: { readonly hash: string } }];
  }>(demo, '{ sources { commit { hash } } }');
  return sources[0].commit.hash;
}

/** A file of the demo's repository. */
export function demoFile({ repository }: DemoProcess, path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

/** Paths and texts; null removes a file. */
type Files = Readonly<Record<string, string | null>>;

/** Commits files to the demo's repository, as another person than the demo's own does. */
export function commitToDemo({ repository }: DemoProcess, message: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    if (text === null) rmSync(join(repository, path));
    else writeFileSync(join(repository, path), text);
  }
  const author = ['-c', 'user.name=Robin Example', '-c', 'user.email=robin@example.com'];
  execFileSync('git', ['-C', repository, 'add', '--all']);
  execFileSync('git', ['-C', repository, ...author, 'commit', '--quiet', '--message', message]);
}

/** As {@link commitToDemo}, and has it looked at: it has been judged when this resolves. */
export async function bringToDemo(demo: DemoProcess, message: string, files: Files): Promise<void> {
  commitToDemo(demo, message, files);
  await askDemo(demo, 'mutation { syncNow(source: "policies") { __typename } }');
}
