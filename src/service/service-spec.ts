// What every service manager is told, whatever it is called.
import { shown } from '../language/printable.ts'
import { ServiceError } from './service-error.ts'

export interface ServiceSpec {
  /** Absolute paths: `node` and the program, or one binary that is both. */
  readonly program: readonly [string, ...string[]]
  /** The config directory, absolute. */
  readonly directory: string
  /** Whether it is another than the default, and so has to be named. */
  readonly isDirectoryChosen: boolean
  /** Whether the manager can show the service another view of the files: that takes a user namespace, which some kernels refuse. */
  readonly hasOwnView: boolean
}

/** What the service runs. */
export function commandOf({ program }: ServiceSpec): readonly [string, ...string[]] {
  return [...program, 'listen']
}

/**
 * A file of a service is read by another program, by rules of its own: what would end a line or a quotation there is not written.
 * @throws {ServiceError} `unsuitable-path`
 */
export function requireSuitable(paths: readonly string[], forbidden: RegExp): void {
  const bad = paths.find((path) => forbidden.test(path))
  if (bad === undefined) return
  throw new ServiceError(
    'unsuitable-path',
    `the path ${shown(bad)} cannot be written into a service`,
    'move it to a path of usual characters',
  )
}
