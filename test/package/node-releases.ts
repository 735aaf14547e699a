// Other Nodes to run the package under: from the registry, where they are packages, and kept, so that they are fetched once.
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { TestContext } from 'vitest'
import { ROOT, read } from './lock-file.ts'
import { npmInstall } from './packed.ts'

/** What had to come from the registry, or why it did not. */
export type Obtained = { readonly path: string } | { readonly missing: string }

const [, FLOOR = ''] = /(\d+\.\d+)/.exec(JSON.parse(read('package.json')).engines.node) ?? []

/** The oldest that `engines` admits, and the newest; in CI the newest of each line that people run between them too. */
export const NODE_RELEASES: readonly string[] = [`${FLOOR}.0`, ...(process.env.CI ? ['20', '22', '24'] : []), '26']

const CACHE = join(ROOT, 'node_modules/.cache/hookline-nodes')
const PACKAGE = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const FETCH_MS = 80_000

/** @param wanted `22`, the running Node if it is of that line, or `20.19.0` @returns the folder of its `node` */
export async function fetchNode(wanted: string): Promise<Obtained> {
  if (process.versions.node.split('.', 1)[0] === wanted) return { path: dirname(process.execPath) }
  const folder = join(CACHE, wanted)
  const bin = join(folder, 'node_modules', PACKAGE, 'bin')
  if (await isNode(bin, wanted)) return { path: bin }
  // A fetch that was cut off may have left a part.
  rmSync(folder, { recursive: true, force: true })
  const why = await obtain(bin, () => npmInstall(folder, `${PACKAGE}@${wanted}`, FETCH_MS))
  return 'missing' in why || (await isNode(bin, wanted)) ? why : { missing: `${PACKAGE}@${wanted} does not run here` }
}

async function isNode(bin: string, wanted: string): Promise<boolean> {
  const answer = promisify(execFile)(join(bin, 'node'), ['--version'], { timeout: 10_000 })
  const version = await answer.then(
    ({ stdout }) => stdout.trim(),
    () => '',
  )
  return version === `v${wanted}` || version.startsWith(`v${wanted}.`)
}

/** @param path of what `get` brings */
export async function obtain(path: string, get: () => Promise<void>): Promise<Obtained> {
  try {
    await get()
    return { path }
  } catch (error) {
    const { message, stderr = '' } = error as Error & { stderr?: string }
    return { missing: (stderr || message).trim().replaceAll('\n', '; ') }
  }
}

/** Skips the test where it could not be had; in CI, where it must be, fails. */
export function need({ skip }: TestContext, obtained: Obtained | undefined): string {
  if (obtained && 'path' in obtained) return obtained.path
  const reason = `not to be had: ${obtained?.missing ?? 'nobody asked for it'}`
  if (process.env.CI) throw new Error(reason)
  return skip(reason)
}
