// Bundles a target with the code of src/ that it tests into one script and runs that in this process, so that V8 tells its coverage
// under one name. Packages stay outside: their blocks are not what is looked for.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { compileFunction } from 'node:vm'
import { build } from 'esbuild'
import { CoverageMap, modulesIn, startCoverage } from './coverage.ts'
import type { OpenTarget, Target } from './target.ts'

type Look = Parameters<CoverageMap['add']>[0]

export interface LoadedTarget {
  readonly name: string
  readonly target: Target
  /** The coverage of src/ since the last call. */
  takeCoverage(): Look | Promise<Look>
  createMap(): CoverageMap
  /** Kept inputs, one per file. */
  readonly corpus: readonly string[]
  close(): Promise<void>
}

export interface LoadOptions {
  /** The project's folder. */
  readonly root: string
  /** Another target file than `quality/fuzz/targets/<name>.ts`, and the folder whose coverage counts; default `src/`. */
  readonly file?: string
  readonly measured?: string
}

export function targetNames(root: string): string[] {
  return readdirSync(join(root, 'quality/fuzz/targets')).map((file) => file.replace(/\.ts$/, ''))
}

export async function loadTarget(
  name: string,
  { root, file = `quality/fuzz/targets/${name}.ts`, measured = 'src/' }: LoadOptions,
): Promise<LoadedTarget> {
  const code = await bundle(resolve(root, file), root)
  const url = `fuzz:${name}`
  const coverage = startCoverage(url)
  const { open } = evaluate(code, url, root) as { open: OpenTarget }
  const target = await open()
  // What runs elsewhere is the built program.
  const measuredCode = target.takeCoverage === undefined ? code : readFileSync(join(root, 'dist/main.cjs'), 'utf8')
  const isMeasured = modulesIn(measuredCode, measured)
  const take = target.takeCoverage ?? coverage.take
  await take()
  return {
    name,
    target,
    takeCoverage: take,
    createMap: () => new CoverageMap(isMeasured),
    corpus: corpusOf(name, root),
    async close() {
      await target.close?.()
      coverage.stop()
    },
  }
}

async function bundle(entry: string, root: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    packages: 'external',
    // `import()` would look for packages beside a script that is in no folder.
    supported: { 'dynamic-import': false },
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}

function evaluate(code: string, url: string, root: string): unknown {
  const made = { exports: {} }
  const run = compileFunction(code, ['require', 'module', 'exports'], { filename: url })
  run(createRequire(join(root, 'package.json')), made, made.exports)
  return made.exports
}

/** In the order of their names. Each file is one input as a JSON string: some are no text. */
function corpusOf(name: string, root: string): string[] {
  const folder = join(root, 'quality/fuzz/corpus', name)
  try {
    return readdirSync(folder)
      .sort()
      .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as string)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
