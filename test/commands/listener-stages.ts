// Examples about the listener and its clients.
import type { SessionOptions } from '../../harness/commands/command-session.ts'
import type { ExampleStage } from './example-stage.ts'

const ID = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'

const waiting: SessionOptions = {
  clients: {
    connected: () => new Map(),
    pending: () => [{ clientId: ID, label: 'my tab', origin: 'http://localhost:53220' }],
    decide: async () => true,
  },
}
export const LISTENER_STAGES: Readonly<Record<string, ExampleStage>> = {
  listener: { prints: [/state +listening/, /address +127.0.0.1:53219/, /pid +4711/] },
  switch: { prints: [/remoteExec +on/, /accountSync +on/, /enabled +on/] },
  'switch off remoteExec': { prints: [/^warn remoteExec is off; `switch on remoteExec` in a terminal/] },
  'switch off accountSync': { prints: [/^warn accountSync is off/] },
  'switch on remoteExec': { before: ['switch off remoteExec'], prints: [/^success remoteExec is on/] },
  clients: { before: [`clients trust ${ID}`], prints: [new RegExp(ID)] },
  'clients grant 3f9c2a71 trade --per-order $100 --per-day $300 --accounts paper --until 7d': {
    before: [`clients trust ${ID}`],
    after: ['clients'],
    prints: [/^success client .* may trade: \$100\.00 an order, \$300\.00 a day \(UTC\), accounts paper, until /],
  },
  'clients grant 3f9c2a71 look': { before: [`clients trust ${ID}`], prints: [/^success client .* may look: until /] },
  'clients revoke 3f9c2a71': { before: [`clients trust ${ID}`], prints: [/^success revoked /] },
  'clients revoke --all': { before: [`clients trust ${ID}`], prints: [/^success revoked 1 client/] },
  [`clients trust ${ID}`]: { prints: [/^success .*http:\/\/127.0.0.1:53220/] },
  [`clients trust ${ID} --origin http://localhost:53220 --label "my tab"`]: {
    prints: [/my tab.*http:\/\/localhost:53220/],
  },
  'approve 3f9c2a71': { options: waiting, prints: [/^success /] },
  'approve 3f9c2a71 propose': { options: waiting, prints: [/^success .*: it may propose$/] },
  proposals: { prints: [/^info no proposals yet/] },
  'deny --all for 1h': { prints: [/^success denied 0 proposals, and all that come until /] },
  'deny 3f9c2a71': { options: waiting, prints: [/^success /] },
}
