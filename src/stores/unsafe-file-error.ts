/** A name in the config directory leads to something that is not opened (behaviour 21). */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError'
  /** What to do next, for people. */
  readonly hint: string
  /** @param message what is wrong, after the file's name: `is not a regular file` */
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}
