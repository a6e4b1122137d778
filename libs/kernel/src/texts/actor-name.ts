/**
 * Who did something, or the field manager that wrote, for people: the controller, which the ledger has as `plimsoll`, by its
 * name. Scripts are given what the ledger has.
 */
export function actorName(actor: string): string {
  return actor === 'plimsoll' ? 'Plimsoll' : actor;
}
