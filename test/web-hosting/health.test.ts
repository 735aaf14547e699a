import { expect, it, onTestFinished, vi } from 'vitest'
import { Askers } from '../../src/web-hosting/askers.ts'
import { createCookies } from '../../src/web-hosting/cookies.ts'
import type { Database } from '../../src/web-hosting/database.ts'
import { createHostedApp } from '../../src/web-hosting/hosted-app.ts'
import { readHostingOptions } from '../../src/web-hosting/hosting-options.ts'
import { Provider } from '../../src/web-hosting/provider.ts'
import { LateRefusals } from '../../src/web-server/connections.ts'

it('a load balancer that asks without end has the database asked once a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked: string[] = []
  const ask = async (text: string) => {
    asked.push(text)
    return []
  }
  const database: Database = { query: ask, transaction: async () => Promise.reject(new Error()), close: async () => {} }
  const options = readHostingOptions({
    issuer: 'https://id.example',
    publicUrl: 'https://console.example',
    databaseUrl: 'postgres://db.example/hookline',
    clientId: undefined,
    cliClientId: undefined,
    listen: undefined,
    clientSecret: undefined,
  })
  const app = createHostedApp({
    ...options,
    cookies: createCookies(true),
    askers: new Askers(options.trustedProxies),
    late: new LateRefusals(),
    database,
    provider: new Provider(options),
    assets: { find: async () => undefined },
    onRefused: () => {},
    onFailure: () => {},
  })
  const look = async () => (await app.request('/healthz')).status
  for (let count = 0; count < 50; count++) expect(await look()).toBe(200)
  expect(asked).toEqual(['SELECT 1'])
  vi.advanceTimersByTime(1_000)
  expect(await look()).toBe(200)
  expect(asked).toHaveLength(2)
})
