import { dnsLabel, dnsLabelMaximum, dnsSubdomain, dnsSubdomainMaximum } from '../schema/parts.ts';

/** Kubernetes' rules for names. Each returns what is wrong with a text, or `undefined`. */

const dnsLabelPattern = new RegExp(dnsLabel);
const dnsSubdomainPattern = new RegExp(dnsSubdomain);
const qualifiedPart = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const qualifiedPartMaximum = 63;

/** A part of a URL: the names of kinds, objects and metrics. */
export function pathSegmentFault(text: string): string | undefined {
  if (text === '.' || text === '..') return `must not be ${text}`;
  if (text.includes('/')) return 'must not contain /';
  return text.includes('%') ? 'must not contain %' : undefined;
}

export function dnsLabelFault(text: string): string | undefined {
  if (text.length > dnsLabelMaximum)
    return `must have at most ${dnsLabelMaximum} characters, has ${text.length}`;
  if (dnsLabelPattern.test(text)) return undefined;
  return 'must consist of lower case letters, digits and -, and begin and end with a letter or digit';
}

export function dnsSubdomainFault(text: string): string | undefined {
  if (text.length > dnsSubdomainMaximum)
    return `must have at most ${dnsSubdomainMaximum} characters, has ${text.length}`;
  if (dnsSubdomainPattern.test(text)) return undefined;
  return 'must consist of lower case letters, digits, - and ., and each part must begin and end with a letter or digit';
}

/** As a name that a suffix is added to: it may end in a dash. */
export function generatedNameFault(text: string): string | undefined {
  return dnsSubdomainFault(text.endsWith('-') && text.length > 1 ? `${text.slice(0, -2)}a` : text);
}

/** `[DNS subdomain/]name`: keys of labels and annotations, finalizers. */
export function qualifiedNameFault(text: string): string | undefined {
  const slash = text.indexOf('/');
  const prefix = slash < 0 ? undefined : text.slice(0, slash);
  const name = slash < 0 ? text : text.slice(slash + 1);
  if (name.includes('/')) return 'must have at most one /';
  const prefixFault = prefix === undefined ? undefined : dnsSubdomainFault(prefix);
  if (prefixFault !== undefined) return `must have a DNS subdomain before the /: it ${prefixFault}`;
  return name === '' ? 'must have a name part' : qualifiedPartFault(name);
}

export function labelValueFault(text: string): string | undefined {
  return text === '' ? undefined : qualifiedPartFault(text);
}

function qualifiedPartFault(text: string): string | undefined {
  if (text.length > qualifiedPartMaximum)
    return `must have at most ${qualifiedPartMaximum} characters, has ${text.length}`;
  if (qualifiedPart.test(text)) return undefined;
  return 'must consist of letters, digits, -, _ and ., and begin and end with a letter or digit';
}
