import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { openConfigStore } from '../../src/stores/config.ts'
import { isAllowedOrigin, originPolicy, parseOrigin } from '../../src/trust/allowed-origins.ts'

function policyOf(content?: unknown) {
  const directory = tempDirectory()
  if (content !== undefined) writeFileSync(join(directory, 'config.json'), JSON.stringify(content))
  return originPolicy(openConfigStore(directory).read())
}

const listOf = (allowedOrigins: unknown) => policyOf({ listener: { allowedOrigins } })

test.each([
  ['http://127.0.0.1:53220', 'http://127.0.0.1:53220'],
  ['HTTPS://App.Test:443', 'https://app.test'],
  ['http://[::1]:80', 'http://[::1]'],
  ['http://app.test/', undefined],
  ['http://app.test?x', undefined],
  ['http://user@app.test', undefined],
  ['http://app.test:99999', undefined],
  ['app.test', undefined],
  ['ws://app.test', undefined],
  ['chrome-extension://abcdef', undefined],
  ['null', undefined],
  ['*', undefined],
  ['', undefined],
])('"%s" as an origin is %s', (text, origin) => {
  expect(parseOrigin(text)).toBe(origin)
})

test.each([
  [undefined, ['http://127.0.0.1:53220', 'http://localhost:53220']],
  [{ webUrl: 'http://localhost:8080/app' }, ['http://localhost:8080', 'http://127.0.0.1:8080']],
  [{ webUrl: 'https://app.test/x?y' }, ['https://app.test']],
])('without a list, webUrl and its twin are allowed: %j', (content, origins) => {
  expect([...policyOf(content).allowed]).toEqual(origins)
})

test('a list is taken as it is, in its order, and nothing besides', () => {
  const policy = listOf(['https://b.test', 'https://A.test:443'])
  expect([...policy.allowed]).toEqual(['https://b.test', 'https://a.test'])
  expect(isAllowedOrigin(policy, 'https://a.test')).toBe(true)
  for (const other of [
    'http://127.0.0.1:53220',
    'https://a.test:443',
    'https://A.test',
    'HTTPS://a.test',
    'http://a.test',
    'https://a.test.evil.test',
    'https://x.a.test',
    'null',
  ]) {
    expect(isAllowedOrigin(policy, other)).toBe(false)
  }
})

test('one mistyped entry refuses everybody and is named', () => {
  const policy = listOf(['https://a.test', '*', 'b.test'])
  expect(policy).toEqual({ allowed: new Set(), mistyped: ['*', 'b.test'] })
})

test('an empty list allows nobody', () => {
  expect(listOf([])).toEqual({ allowed: new Set(), mistyped: [] })
})
