import { canonicalJson, isJsonObject, type Json, type JsonObject } from '#kernel';

/** The items of a list by what they are, so that an item that was moved is the same; a second of its kind is `… #2`. */
export function itemKeys(list: string, items: readonly Json[]): ReadonlyMap<string, Json> {
  const byKey = new Map<string, Json>();
  for (const [index, item] of items.entries()) {
    const key = keyOf(list, item) ?? String(index);
    let free = key;
    for (let count = 2; byKey.has(free); count++) free = `${key} #${count}`;
    byKey.set(free, item);
  }
  return byKey;
}

function keyOf(list: string, item: Json): string | undefined {
  if (!isJsonObject(item)) return undefined;
  switch (list) {
    case 'metrics':
      return metricKey(item);
    case 'schedules':
    case 'freeze':
      return text(item['name']);
    case 'policies':
      return `${text(item['type'])} ${text(item['periodSeconds'])}s`;
    default:
      return undefined;
  }
}

/** `Resource cpu`, `ContainerResource cpu of app`, `External queue {"matchLabels":{…}}`, `Object hits of Ingress/web`. */
function metricKey(metric: JsonObject): string {
  const source = Object.values(metric).find(isJsonObject) ?? {};
  const { name, container, metric: identifier, describedObject, server, query } = source;
  const parts = [text(metric['type'])];
  if (isJsonObject(identifier)) {
    parts.push(text(identifier['name']));
    if (identifier['selector'] !== undefined) parts.push(canonicalJson(identifier['selector']));
  } else if (server !== undefined) {
    parts.push(`${text(server)}: ${text(query)}`);
  } else {
    parts.push(text(name));
  }
  if (container !== undefined) parts.push(`of ${text(container)}`);
  if (isJsonObject(describedObject))
    parts.push(`of ${text(describedObject['kind'])}/${text(describedObject['name'])}`);
  return parts.join(' ');
}

function text(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
