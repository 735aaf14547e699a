// The single binary, built once for all who ask, as `scripts/build-binary.mjs` does it.
import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { BINARY } from './built-hookline.mjs'

const ROOT = dirname(dirname(BINARY))
/** A download of 40 MB, and a copy of 150 MB. */
const BUILD_MS = 240_000

export type BuiltBinary = { readonly path: string } | { readonly missing: string }

/** @returns where it is, or why there is none */
export async function buildBinary(
  target: 'linux-x64' | 'linux-arm64' | 'win-x64' | 'darwin-arm64',
): Promise<BuiltBinary> {
  const path = join(ROOT, `dist-binary/hookline-${target}`)
  if (isFresh(path)) return { path }
  try {
    const args = ['scripts/build-binary.mjs', '--target', target, '--out', path]
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: BUILD_MS })
    return { path }
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string }
    return { missing: (stderr || message).trim().split('\n').slice(-3).join('; ') }
  }
}

function isFresh(path: string): boolean {
  const sources = ['dist/main.cjs', 'scripts/binary-main.cjs', 'scripts/build-binary.mjs']
  const made = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return sources.every((source) => statSync(join(ROOT, source)).mtimeMs < made)
}
