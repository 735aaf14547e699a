/** Why an alert cannot fill the slots of its hook: a line for its sender. */
export class AlertError extends Error {
  override readonly name = 'AlertError'
}
