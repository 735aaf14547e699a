// Runs TypeScript that uses the stores in a process of its own: bundled once, then started as plain Node.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const storesFolder = fileURLToPath(new URL('../../src/stores', import.meta.url))

/** Bundles `source`, whose imports are relative to src/stores, into `directory`. @returns the program's path */
export async function bundleChild(directory: string, source: string): Promise<string> {
  const outfile = join(directory, 'child.cjs')
  await build({
    stdin: { contents: source, resolveDir: storesFolder, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    // The main file of jsonc-parser hides its imports from bundlers.
    mainFields: ['module', 'main'],
  })
  chmodSync(outfile, 0o644)
  return outfile
}

export function startChild(program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  // Extra certificates would double the time to start.
  const { NODE_EXTRA_CA_CERTS, ...env } = process.env
  return spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'], ...options })
}

/** @returns what the program printed, once it has ended well */
export async function runChild(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = startChild(program, args, options)
  let printed = ''
  child.stdout?.on('data', (chunk) => {
    printed += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the child ended with ${code}`)
  return printed
}
