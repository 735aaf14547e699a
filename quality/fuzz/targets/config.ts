// `config.json`: flags, origins, addresses and focus.

import { openConfigStore } from '../../../src/stores/config.ts'
import { originPolicy } from '../../../src/trust/allowed-origins.ts'
import { type StoreUnderTest, storeTarget } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

const listener = { enabled: true, accountSync: false, remoteExec: true, allowedOrigins: ['https://good.com'] }

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'config.json',
    open: openStore,
    seeds: [
      { defaultAccount: 'paper', webUrl: 'https://good.com', auth: { email: 'a@b.test' }, listener, theme: 'dark' },
      { listener: { enabled: false } },
      {},
    ],
    words: ['listener', ...Object.keys(listener), 'defaultSymbol', 'auth', 'email', 'http://', 'null', 'localhost'],
    forget: ({ defaultSymbol: _, ...rest }: { defaultSymbol?: string }) => rest,
    check(store) {
      const { policy } = store.read() as ReturnType<typeof read>
      for (const origin of policy.allowed) promise(new URL(origin).origin === origin, 'an allowed origin is an origin')
      promise(policy.mistyped.length === 0 || policy.allowed.length === 0, 'a mistyped list allows nobody')
    },
  })

function openStore(directory: string): StoreUnderTest {
  const store = openConfigStore(directory)
  return {
    read: () => read(store),
    problem: store.problem,
    problems: store.problems,
    write: () => store.focus({ symbol: 'FUZZUSDT' }),
  }
}

function read(store: ReturnType<typeof openConfigStore>) {
  const config = store.read()
  const { allowed, mistyped } = originPolicy(config)
  promise(typeof config.listener.enabled === 'boolean', 'a flag is true or false')
  return { config, policy: { allowed: [...allowed], mistyped } }
}
