// `hookline hook … --json`: the shapes that scripts rely on.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, run } from '../../harness/process/hookline.ts'

const HEX = /^[0-9a-f]{32}$/

async function hookJson(directory: string, ...args: string[]): Promise<{ row: unknown; code: number | null }> {
  const { stdout, code } = await run(directory, ['hook', ...args, '--json'])
  return { row: JSON.parse(stdout), code }
}

describe('hookline hook --json', () => {
  it('creates a hook and prints how to fire it', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'dip', 'buy $250 BTCUSDT stop -2%')
    expect(hook).toEqual({
      id: expect.stringMatching(HEX),
      name: 'dip',
      command: 'buy $250 BTCUSDT stop -2%',
      createdAt: expect.any(Number),
      url: `http://127.0.0.1:53219/hook/${hook.id}`,
      token: expect.stringMatching(HEX),
      curl: `curl -sS -w '\\n' -X POST -H 'X-Hook-Token: ${hook.token}' ${hook.url}`,
    })
  })

  it('pins a hook to an account', async () => {
    expect(await hookJson(tempDirectory(), 'create', 'dip', 'echo ok', '--account', 'paper')).toMatchObject({
      row: { account: 'paper' },
      code: 0,
    })
  })

  it('lists hooks without their tokens', async () => {
    const directory = tempDirectory()
    expect(await hookJson(directory, 'list')).toEqual({ row: [], code: 0 })
    const { id, name } = await createHook(directory, 'dip', 'echo ok')
    const row = { id, name, command: 'echo ok', createdAt: expect.any(Number) }
    expect(await hookJson(directory, 'list')).toEqual({ row: [row], code: 0 })
    expect(await hookJson(directory)).toEqual({ row: [row], code: 0 })
  })

  it('shows a hook by a prefix of its id', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'dip', 'echo ok')
    expect(await hookJson(directory, 'show', hook.id.slice(0, 8))).toEqual({ row: hook, code: 0 })
  })

  it('rotates the token and keeps the address', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'dip', 'echo ok')
    const { row } = await hookJson(directory, 'rotate', hook.id)
    expect(row).toMatchObject({ id: hook.id, url: hook.url, token: expect.stringMatching(HEX) })
    expect((row as { token: string }).token).not.toBe(hook.token)
  })

  it('replays a hook to the same bytes each time: one object, as at the prompt', async () => {
    const directory = tempDirectory()
    const from = Date.parse('2026-01-01T00:00:00Z')
    const closes = Array.from({ length: 60 }, (_, index) => (100 + 10 * Math.sin(index / 3)).toFixed(1))
    const rows = closes.map((close, index) =>
      [from + index * 60_000, close, Number(close) + 1, Number(close) - 1, close, 1].join(),
    )
    const candles = join(directory, 'candles.csv')
    writeFileSync(candles, ['time,open,high,low,close,volume', ...rows].join('\n'))
    const args = ['hook', 'replay', 'buy $100 BTCUSDT', '--when', 'close(1m) > 100', '--candles', candles, '--json']
    const [first, second] = [await run(directory, args), await run(directory, args)]
    expect(first.code, first.stderr).toBe(0)
    expect(JSON.parse(first.stdout)).toMatchObject({ type: 'hook-replay', bars: 60, fires: expect.any(Array) })
    expect(second.stdout).toBe(first.stdout)
  })

  it('tests a hook with the body of an alert, and fails where the fire would', async () => {
    const directory = tempDirectory()
    await createHook(directory, 'alert', 'buy {size:usd<=500} BTCUSDT stop -2%')
    const tested = await run(directory, ['hook', 'test', 'alert', '{"size":250}', '--json'])
    expect(tested.code).toBe(0)
    const rows = tested.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const preview = rows.find(({ type }) => type === 'preview')
    expect(preview).toMatchObject({
      type: 'preview',
      hook: 'alert',
      ok: true,
      values: { size: '250' },
      orders: [{ symbol: 'BTCUSDT', side: 'buy', type: 'market', stop: {} }],
    })
    expect(rows.at(-1)).toMatchObject({ type: 'result', success: true })
    expect((await run(directory, ['hook', 'test', 'alert', 'size=501'])).code).toBe(1)
    expect((await run(directory, ['hook', 'test', 'alert', 'size=250'])).stdout).toContain('BTCUSDT')
    const logs = await run(directory, ['hook', 'logs', 'alert', '--limit', '3'])
    expect(logs).toMatchObject({ code: 0, stdout: expect.stringContaining('has not run yet') })
    expect(readFileSync(join(directory, 'runs.jsonl'), 'utf8')).not.toContain('"source":"hook"')
  })

  it('revokes one hook, then all others', async () => {
    const directory = tempDirectory()
    const { id, token } = await createHook(directory, 'one', 'echo ok')
    await createHook(directory, 'two', 'echo ok')
    const revoked = await hookJson(directory, 'revoke', id)
    expect(revoked).toMatchObject({ row: { id, name: 'one' }, code: 0 })
    expect(JSON.stringify(revoked)).not.toContain(token)
    expect(await hookJson(directory, 'revoke', '--all')).toEqual({ row: { revoked: 1 }, code: 0 })
    expect(await hookJson(directory, 'list')).toEqual({ row: [], code: 0 })
  })

  it('escapes what could steer a terminal', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'dip', 'echo ok')
    const path = join(directory, 'hooks.json')
    const name = 'e\u001b[31m\u009b2J\u202e'
    writeFileSync(path, readFileSync(path, 'utf8').replace('"dip"', JSON.stringify(name)))
    const { stdout } = await run(directory, ['hook', 'list', '--json'])
    expect(stdout).not.toMatch(/[\u001b\u009b\u202e]/)
    expect(JSON.parse(stdout)).toMatchObject([{ id: hook.id, name }])
  })

  it.each([
    ['a short prefix', ['show', '1234'], 'prefix-too-short'],
    ['an id of no hook', ['rotate', '0123456789'], 'not-found'],
    ['a body that does not parse', ['create', 'x', 'repeat 2 (echo ok'], 'unclosed-group'],
    ['a body with an unknown command', ['create', 'x', 'bogus'], 'bad-argument'],
    ['an account that is not there', ['create', 'x', 'echo ok', '--account', 'nobody'], 'unknown-account'],
  ])('tells of %s by code and ends with 1', async (_what, args, errorCode) => {
    const { row, code } = await hookJson(tempDirectory(), ...args)
    expect(row).toEqual({ error: expect.objectContaining({ code: errorCode, message: expect.any(String) }) })
    expect(code).toBe(1)
  })

  it('refuses a second hook of the same name', async () => {
    const directory = tempDirectory()
    await createHook(directory, 'dip', 'echo ok')
    expect(await hookJson(directory, 'create', 'dip', 'echo ok')).toMatchObject({
      row: { error: { code: 'already-exists' } },
      code: 1,
    })
  })
})

describe('hookline hook as text', () => {
  it('prints what the REPL prints', async () => {
    const directory = tempDirectory()
    const created = await run(directory, ['hook', 'create', 'dip', 'echo ok'])
    expect(created).toMatchObject({ stdout: expect.stringContaining('curl -sS'), stderr: '', code: 0 })
    const listed = await run(directory, ['hook', 'list'])
    expect(listed.stdout).toMatch(/^[0-9a-f]{32} +dip +<hidden> /m)
    const refused = await run(directory, ['hook', 'show', '1234'])
    expect(refused).toMatchObject({ stdout: '', stderr: expect.stringMatching(/^error: /), code: 1 })
  })
})
