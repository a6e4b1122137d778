import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';

/** The version of this release, of its package.json; null: there is none to be read. */
export function ownVersion(): string | null {
  try {
    const file = findPackageJSON(import.meta.url) ?? '';
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: unknown };
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}
