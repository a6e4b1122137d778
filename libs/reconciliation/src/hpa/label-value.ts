const labelValue = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** Whether a text can be the value of a label: 1 to 63 of `[A-Za-z0-9._-]`, alphanumeric at both ends. */
export function isLabelValue(text: string): boolean {
  return labelValue.test(text);
}
