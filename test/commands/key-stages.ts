// The stages of examples about accounts with keys, and the vault.
import type { SessionOptions } from '../../harness/commands/command-session.ts'
import { keychainInMemory } from '../../harness/credentials/keychain-in-memory.ts'
import { Keychain } from '../../src/credentials/keychain.ts'
import type { ExampleStage } from './example-stages.ts'

const keychain = keychainInMemory()

/** A person who answers everything alike. */
const WITH_KEYS: SessionOptions = {
  terminal: {
    askHidden: async () => 'a long answer',
    ask: async () => '',
    clear: () => {},
    history: () => [],
    quit: () => {},
  },
  keychain: new Keychain(async () => keychain),
}

const WITH_MAIN = { options: WITH_KEYS, before: ['account add main binance linear'] }

const PROVEN: ExampleStage = {
  options: {
    terminal: { ...WITH_KEYS.terminal, confirm: async () => true },
    async proveAccount(_row, { onFact, symbol, only = 'a stop' }) {
      const fact = { about: only, what: `on ${symbol}`, verdict: 'holds', tookMs: 1 } as const
      onFact(fact, 1, 1)
      return { facts: [fact], isWhole: true, files: ['report.json', 'recording.jsonl'] }
    },
  } as SessionOptions,
  before: ['account add practice paper'],
  prints: [
    /^print 1\/1 holds a stop on BTCUSDT$/m,
    /^print report +report.json$/m,
    /^success everything tried on paper holds$/m,
  ],
}

export const KEY_STAGES: Readonly<Record<string, ExampleStage>> = {
  'account add main binance linear': {
    options: WITH_KEYS,
    after: ['account'],
    prints: [/^info checked: /m, /^success added account main on binance linear;/m, /main +binance linear +vault/],
  },
  'account check': { prints: [/^print paper: paper; keys: none$/m, /^success account paper is ready to trade$/m] },
  'account check main': {
    ...WITH_MAIN,
    prints: [/^print main: binance linear; keys: vault$/m, /^print latency +\d+ ms$/m],
  },
  'account prove practice --demo': PROVEN,
  'account prove practice --demo --only "a stop"': PROVEN,
  'account prove practice --demo --symbol ETHUSDT --yes': {
    ...PROVEN,
    prints: [/^print 1\/1 holds a stop on ETHUSDT$/m, /^success everything tried on paper holds$/m],
  },
  'account balances': { prints: [/paper +USDT +\$10,000.00/, /all practice +USDT +\$10,000.00/] },
  'account keys main --to keychain': {
    ...WITH_MAIN,
    prints: [/^success main: its keys are in the system's keychain$/],
  },
  'account keys main --to vault': {
    ...WITH_MAIN,
    before: [...WITH_MAIN.before, 'account keys main --to keychain'],
    prints: [/^success main: its keys are in the vault$/],
  },
  vault: { ...WITH_MAIN, prints: [/^print the vault is unlocked; it keeps the keys of main$/] },
  'vault unlock': {
    options: WITH_KEYS,
    prints: [/^success made the vault; it is unlocked$/m],
  },
  'vault unlock --for 60m': {
    options: WITH_KEYS,
    after: ['vault'],
    prints: [/^success made the vault; it is unlocked until /m, /^print the vault is unlocked until [-0-9: ]+ UTC; /m],
  },
  'account add practice paper --prices binance:linear': {
    after: ['account'],
    prints: [/^success added account practice on paper at prices of binance:linear;/m, /practice +paper at prices of /],
  },
  'vault lock': { ...WITH_MAIN, after: ['vault'], prints: [/1 account disconnected/, /the vault is locked; it keeps/] },
  'vault change': { ...WITH_MAIN, prints: [/^success the vault has a new passphrase/] },
}
