// What a web app gets when it bundles `hookline/client`.
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

const { outputFiles, metafile, warnings } = await build({
  entryPoints: [join(ROOT, 'src/client/public.ts')],
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  write: false,
  metafile: true,
  logLevel: 'silent',
})
const code = outputFiles[0]?.text ?? ''

describe('the bundle of hookline/client', () => {
  it('holds the client, its protocol, their base and zod, and nothing else', () => {
    const parts = new Set(Object.keys(metafile.inputs).map((path) => path.match(/^(src|node_modules)\/[^/]+/)?.[0]))
    expect([...parts].sort()).toEqual(['node_modules/zod', 'src/base', 'src/client', 'src/protocol'])
    expect(warnings).toEqual([])
  })

  it('names nothing of Node', () => {
    expect(code).not.toMatch(/node:|\brequire\(|\bprocess\.|\bBuffer\b/)
  })

  it('runs under a policy that forbids eval', () => {
    expect(code).not.toMatch(/\beval\(|\bnew Function\b|\bFunction\(/)
  })

  it('is under 79 kB', () => {
    expect(code.length).toBeGreaterThan(10_000)
    expect(code.length).toBeLessThan(79_000)
  })
})
