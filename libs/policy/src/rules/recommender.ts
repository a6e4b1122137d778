import type { RecommenderSpec, RecommenderTls } from '../model/effective-policy.ts';
import type { Fields } from '../reading/fields.ts';
import { hasPlaceholder, placeholderLeft } from '../reading/placeholder.ts';
import type { QuantityForm } from '../reading/quantities.ts';
import { showValue } from '../reading/show-value.ts';
import { fieldsOf } from '../schema/parts.ts';
import { recommenderSchema, tlsSchema } from '../schema/watermark-pod-autoscaler.ts';
import { type Marks, readMarks } from './marks.ts';

const recommenderFields = fieldsOf(recommenderSchema);
const tlsFields = fieldsOf(tlsSchema);
const urlPattern = /^https?:\/\/([^\s/?#@]+)(?:[/?#]\S*)?$/i;

/** How to read a recommender. */
export interface RecommenderRule {
  readonly form: QuantityForm;
  /** Hosts that the configuration knows; absent: any, on trust. */
  readonly hosts?: ReadonlySet<string> | undefined;
}

/** Reads `spec.recommender`: an http(s) URL without user, of a configured host, and both marks. */
export function readRecommender(spec: Fields, rule: RecommenderRule): RecommenderSpec | undefined {
  const fields = spec.map('recommender', recommenderFields);
  if (fields === undefined) return undefined;
  const url = readUrl(fields, rule);
  const targetType = fields.string('targetType') ?? '';
  const settings = fields.stringMap('settings', rule.form === 'Whole' ? 'Absent' : 'Empty') ?? {};
  const tls = readTls(fields);
  const marks = readBothMarks(fields, rule);
  if (url === undefined || marks === undefined) return undefined;
  return { url, targetType, ...marks, settings, ...(tls !== undefined && { tls }) };
}

function readBothMarks(fields: Fields, rule: RecommenderRule): Marks['milli'] | undefined {
  const names = ['lowWatermark', 'highWatermark'] as const;
  const missing = names.filter((name) => !fields.requires(name));
  // One that is there is looked at all the same.
  const marks = missing.length === names.length ? undefined : readMarks(fields, rule.form);
  return missing.length === 0 ? marks?.milli : undefined;
}

function readUrl(fields: Fields, rule: RecommenderRule): string | undefined {
  const url = fields.requiredString('url');
  if (url === undefined) return undefined;
  if (hasPlaceholder(url)) {
    fields.report('url', placeholderLeft('url', url));
    return undefined;
  }
  const host = urlPattern.exec(url)?.[1];
  if (host === undefined) {
    const message = `url must be an http or https URL without a user, is ${showValue(url)}`;
    fields.report('url', { code: 'InvalidValue', message });
    return undefined;
  }
  if (rule.hosts === undefined || rule.hosts.has(host.toLowerCase())) return url;
  const message = `url names ${showValue(host)}, which is no recommender of the configuration`;
  const hint = rule.hosts.size === 0 ? 'none is configured' : `configured are ${[...rule.hosts].join(', ')}`;
  fields.report('url', { code: 'NotSupported', message, hint });
  return undefined;
}

function readTls(parent: Fields): RecommenderTls | undefined {
  const fields = parent.map('tlsConfig', tlsFields);
  if (fields === undefined) return undefined;
  const tls: Record<string, string | boolean> = {};
  for (const name of ['caFile', 'certFile', 'keyFile', 'serverName']) {
    const text = fields.string(name);
    if (text !== undefined && text !== '') tls[name] = text;
  }
  for (const name of ['minVersion', 'maxVersion'] as const) {
    const version = fields.word(name, tlsSchema.properties[name].enum);
    if (version !== undefined) tls[name] = version;
  }
  const insecureSkipVerify = fields.boolean('insecureSkipVerify');
  return insecureSkipVerify === undefined ? tls : { ...tls, insecureSkipVerify };
}
