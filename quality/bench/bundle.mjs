// A TypeScript program of this folder as one file, made like the product's.
import { build } from 'esbuild'

/** @param {string} entry in this repository @param {string} outfile */
export async function bundle(entry, outfile) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire as bannerRequire } from 'node:module'; const require = bannerRequire(import.meta.url)",
    },
    logLevel: 'warning',
  })
  return outfile
}
