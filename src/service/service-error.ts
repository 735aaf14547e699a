import { CodedError } from '../base/coded-error.ts'

/** Why the service could not be set up, asked or removed. */
type ServiceErrorCode =
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

export class ServiceError extends CodedError<ServiceErrorCode> {
  override readonly name = 'ServiceError'
  declare readonly hint: string
  constructor(code: ServiceErrorCode, message: string, hint: string) {
    super(code, message, { hint })
  }
}
