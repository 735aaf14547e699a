// Contents of files that no program of ours writes, and that the fuzzer found to be taken badly.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { initialState } from '../../src/exchanges/paper/state.ts'
import { PAPER_FORMAT } from '../../src/exchanges/paper/state-file.ts'
import { openConfigStore } from '../../src/stores/config.ts'
import { openCrossTrade } from '../../src/stores/cross-trade.ts'
import { openHookStore } from '../../src/stores/hooks.ts'
import { checkedBy, decodeJson } from '../../src/stores/json-decode.ts'
import { openPaperState } from '../../src/stores/paper-state.ts'
import { openTextMap } from '../../src/stores/rows.ts'
import { openTrustedClients } from '../../src/stores/trusted-clients.ts'
import { openWebSettings } from '../../src/stores/web-settings.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

function directoryWith(fileName: string, text: string): string {
  const directory = tempDirectory()
  writeFileSync(join(directory, fileName), text)
  return directory
}

describe('JSON nested deeper than a stack', () => {
  test('that is cut off is bad content, told in words for people', () => {
    const store = openConfigStore(directoryWith('config.json', '['.repeat(20_000)))
    expect(store.read().listener.enabled).toBe(false)
    expect(store.problem()?.message).toContain('is nested too deeply to show where')
  })

  test.each(['webUrl', 'allowedOrigins'])('in %s leaves that setting out, told in words for people', (name) => {
    const setting = `{"${name}": ${nested(20_000)}}`
    const text = name === 'webUrl' ? setting : `{"listener": ${setting}}`
    const store = openConfigStore(directoryWith('config.json', text))
    expect(store.read()).toMatchObject({ webUrl: 'http://127.0.0.1:53220', listener: { enabled: true } })
    expect(store.problems()[0]?.message).toContain('is nested too deeply to show where')
  })

  test.each(['['.repeat(20_000), `{"a": ${nested(20_000)}}`])('is a fault without a line, and never thrown', (text) => {
    const decoded = decodeJson(Buffer.from(text), checkedBy(z.object({ a: z.string() })))
    expect(decoded).toEqual({ fault: { message: expect.stringContaining('nested too deeply') } })
  })

  test('in a field that nobody knows is read, and refused where it would have to be written', async () => {
    const text = `{"theme": ${nested(20_000)}}`
    const directory = directoryWith('config.json', text)
    const store = openConfigStore(directory)
    expect(store.read().listener.enabled).toBe(true)
    await expect(store.focus({ symbol: 'ETHUSDT' })).rejects.toMatchObject({
      code: 'invalid-value',
      message: 'config.json is nested too deeply to be written',
    })
    expect(readFileSync(join(directory, 'config.json'), 'utf8')).toBe(text)
  })
})

describe('a field called __proto__', () => {
  test('holds a text like any other in vars.json, or the file is bad', () => {
    const map = openTextMap(directoryWith('vars.json', '{"__proto__": 5}'), 'vars.json')
    expect(Object.keys(map.read())).toEqual([])
    expect(map.problem()?.message).toBe('__proto__ must be a string')
  })

  test('trusts no listener in web-settings.json', () => {
    const store = openWebSettings(directoryWith('web-settings.json', '{"trustedListenerIds": {"__proto__": 1}}'))
    expect(Object.keys(store.read().trustedListenerIds)).toEqual([])
    expect(store.problem()?.message).toBe('trustedListenerIds.__proto__ is not a device')
  })

  test('is kept in paper-<account>.json, with all others in their order', async () => {
    const fresh = initialState({ seed: 's', balance: '1' })
    const text = JSON.stringify({ note: 'first', ...fresh }).replace('"note"', '"__proto__": {"a": 1}, "note"')
    const directory = directoryWith('paper-paper.json', text)
    const file = openPaperState(directory, 'paper', { ...PAPER_FORMAT, defaults: fresh })
    await file.update((state) => ({ ...state, fees: '1' }))
    const written = readFileSync(join(directory, 'paper-paper.json'), 'utf8')
    expect(Object.keys(JSON.parse(written))).toEqual(['__proto__', 'note', ...Object.keys(fresh), 'journal'])
    await file.update((state) => ({ ...state, fees: '2' }))
    const again = openPaperState(directory, 'paper', { ...PAPER_FORMAT, defaults: fresh }).read()
    expect(Object.keys(again)).toEqual(['__proto__', 'note', ...Object.keys(fresh), 'journal'])
    expect(again.fees).toBe('2')
  })
})

describe('a time', () => {
  const hook = { id: '0'.repeat(32), name: 'dip', secret: 'a'.repeat(32), command: 'buy $1' }
  const client = { clientId: 'tab', label: '', origin: 'https://good.com' }

  // A page refuses the whole topic for one of these.
  test.each([1.5, -1])('of %d is none of a hook, nor of an approval', (time) => {
    const hooks = openHookStore(directoryWith('hooks.json', JSON.stringify({ hooks: [{ ...hook, createdAt: time }] })))
    expect(hooks.list()).toEqual([])
    expect(hooks.problems()[0]?.message).toContain('hooks[0].createdAt')
    const text = JSON.stringify({ clients: [{ ...client, approvedAt: time }] })
    const clients = openTrustedClients(directoryWith('trusted-clients.json', text))
    expect(clients.list()).toEqual([])
    expect(clients.problems()[0]?.message).toContain('clients[0].approvedAt')
  })
})

describe('a cross-trade row that the wire could not carry', () => {
  const copier = { account: 'swing', weight: 1, mode: 'Market' }
  const row = {
    id: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93',
    enabled: true,
    masterAccount: 'paper',
    masterWeight: 1,
    copiers: [copier],
    updatedAt: 1,
  }
  const open = (changes: object) =>
    openCrossTrade(directoryWith('cross-trade.json', JSON.stringify({ configs: [{ ...row, ...changes }] })))

  test.each<[string, object]>([
    ['masterAccount', { masterAccount: '' }],
    ['masterAccount', { masterAccount: 'a'.repeat(65) }],
    ['masterSymbol', { masterSymbol: 'A'.repeat(65) }],
    ['copiers', { copiers: Array(101).fill(copier) }],
    ['copiers[0].account', { copiers: [{ ...copier, account: 'a'.repeat(65) }] }],
  ])('is set aside: its %s', (field, changes) => {
    const store = open(changes)
    expect(store.list()).toEqual([])
    expect(store.problems()[0]?.message).toContain(`configs[0].${field} `)
  })

  test('may be without a master account once it is deleted', () => {
    const store = open({ masterAccount: '', deletedAt: 2 })
    expect([store.problems(), store.all()]).toEqual([[], [expect.objectContaining({ deletedAt: 2 })]])
  })
})
