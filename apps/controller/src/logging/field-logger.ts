/** The part of the logger that most of the controller uses: texts are constant, and what varies is in the fields. */
export interface FieldLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
