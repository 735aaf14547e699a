// The container: what its file says, and, where a builder and the image of Node can be had, that it is built and listens.
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT, read } from './lock-file.ts'

const file = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const lines = file.split('\n').filter((line) => /^[A-Z]+ /.test(line))

describe('the Dockerfile', () => {
  it('takes a Node that the package admits, and runs no script of what it installs', () => {
    const bases = lines.flatMap((line) => /^FROM node:(\d+)-/.exec(line)?.[1] ?? [])
    const [, oldest = ''] = /(\d+)/.exec(JSON.parse(read('package.json')).engines.node) ?? []
    expect(bases.length).toBe(2)
    for (const base of bases) expect(Number(base)).toBeGreaterThanOrEqual(Number(oldest))
    for (const install of file.match(/npm (?:ci|install)[^\n&]*/g) ?? []) expect(install).toContain('--ignore-scripts')
  })

  it('runs the listener as a user, over a volume for all that hookline keeps', () => {
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')))
    expect(last).toEqual(expect.arrayContaining(['USER node', 'ENV HOOKLINE_CONFIG_DIR=/data', 'VOLUME /data']))
    expect(last).toEqual(expect.arrayContaining(['ENTRYPOINT ["hookline"]', 'CMD ["listen"]']))
    expect(file).not.toMatch(/^EXPOSE/m)
  })
})

function findBuilder(): { readonly tool: string } | { readonly missing: string } {
  const reasons: string[] = []
  for (const tool of ['docker', 'podman']) {
    const { status, error, stderr } = spawnSync(tool, ['info'], { encoding: 'utf8', timeout: 20_000 })
    if (status === 0) return { tool }
    reasons.push(`${tool}: ${error === undefined ? (stderr.trim().split('\n').at(-1) ?? '') : 'not installed'}`)
  }
  return { missing: reasons.join('; ') }
}

it('the container is built, and its listener answers', { timeout: 600_000 }, async ({ skip }) => {
  const builder = findBuilder()
  if ('missing' in builder) return skip(`no builder: ${builder.missing}`)
  const run = (...args: readonly string[]) =>
    promisify(execFile)(builder.tool, args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 })
  const [, base = ''] = /^FROM (\S+) AS/m.exec(file) ?? []
  const pulled = await run('pull', base).catch((error: Error) => error)
  if (pulled instanceof Error)
    return skip(`the image ${base} cannot be had: ${pulled.message.trim().split('\n').at(-1)}`)
  const image = `hookline-test-${process.pid}`
  await run('build', '--tag', image, '.')
  onTestFinished(() => void spawnSync(builder.tool, ['rmi', '--force', image]))
  const { stdout: id } = await run('run', '--detach', '--rm', '--network', 'none', image)
  onTestFinished(() => void spawnSync(builder.tool, ['kill', id.trim()]))
  const inside = (script: string) => run('exec', id.trim(), 'node', '-e', script)
  const health = `fetch('http://127.0.0.1:53219/health').then((r) => r.text()).then(console.log)`
  await expect
    .poll(() =>
      inside(health).then(
        ({ stdout }) => stdout,
        () => '',
      ),
    )
    .toContain('"ok":true')
  expect((await inside('console.log(process.getuid())')).stdout.trim()).not.toBe('0')
})
