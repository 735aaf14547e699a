/** Why the service could not be set up, asked or removed. */
export type ServiceErrorCode =
  /** The service manager is not there, or does not answer this user. */
  | 'no-manager'
  /** A step of it failed. */
  | 'manager-failed'
  /** A path that the service's file cannot hold. */
  | 'unsuitable-path'
  /** Root is not who should trade. */
  | 'is-root'
  | 'not-installed'
  /** hookline has no service for this system. */
  | 'unsupported-system'

export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly code: ServiceErrorCode
  /** What to do next, for people. */
  readonly hint: string
  constructor(code: ServiceErrorCode, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}
