// The test program as one file that plain Node runs.
import { join } from 'node:path'
import { build } from 'esbuild'

/** @returns the path of the bundle */
export async function bundleProgram(directory: string): Promise<string> {
  const outfile = join(directory, 'program.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'program.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    // What is made for bundlers: jsonc-parser's other form cannot be bundled.
    mainFields: ['module', 'main'],
    format: 'esm',
    target: 'node20',
    banner: {
      js: "import{createRequire as hooklineRequire}from'node:module';const require=hooklineRequire(import.meta.url);",
    },
  })
  return outfile
}
