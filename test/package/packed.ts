// The package as `npm publish` would send it.
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lockMachine } from '../../harness/process/machine-lock.ts'
import { ROOT } from './lock-file.ts'

const exec = promisify(execFile)

export interface PackedFile {
  /** Inside the package, with `/`. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly mode: number
}

export interface PackedPackage {
  /** Of the tarball. */
  readonly path: string
  /** Bytes of the tarball. */
  readonly size: number
  /** Bytes of all files together. */
  readonly unpackedSize: number
  readonly files: readonly PackedFile[]
}

/**
 * Packs what is built. `prepack` would build it all again, under the other tests' feet: of its two steps `npm test` has done the first,
 * and only the second is done here.
 *
 * @param directory where the tarball goes
 */
export async function packHookline(directory: string): Promise<PackedPackage> {
  mkdirSync(directory, { recursive: true })
  const { stdout } = await withDeclarations(() =>
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', directory], 60_000),
  )
  const [packed] = JSON.parse(stdout)
  return { ...packed, path: join(directory, packed.filename) }
}

/** @param pack while no other test makes the package's declarations anew */
export async function withDeclarations<T>(pack: () => Promise<T>): Promise<T> {
  const unlock = await lockMachine('dist/types')
  try {
    await exec(process.execPath, ['scripts/build-types.mjs'], { cwd: ROOT, timeout: 60_000 })
    return await pack()
  } finally {
    unlock()
  }
}

/** @param timeout in ms @throws with what npm said to `stderr` */
export function npm(args: readonly string[], timeout: number): Promise<{ stdout: string; stderr: string }> {
  return exec('npm', [...args, '--loglevel=error'], { cwd: ROOT, timeout, maxBuffer: 16 * 1024 * 1024 })
}

/** Installs one package into a folder of its own, from npm's cache where it can, and runs no script. @param timeout in ms */
export async function npmInstall(directory: string, spec: string, timeout: number): Promise<void> {
  mkdirSync(directory, { recursive: true })
  const careful = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  // npm's own patience outlasts that of a test.
  const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=1000']
  await npm(['install', spec, '--prefix', directory, '--omit=dev', ...careful, ...patience], timeout)
}
