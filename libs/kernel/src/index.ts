export { AdapterError, type AdapterErrorFields } from './adapter-error.ts';
export { assertNever } from './assert-never.ts';
export { canonicalJson } from './canonical-json.ts';
export { isJsonObject, type Json, type JsonObject } from './json.ts';
export { err, ok, type Result } from './result.ts';
