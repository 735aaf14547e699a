// What `hookline/client` publishes; everything else may change without notice.

export type { ProposalRow } from '../protocol/desk-frames.ts'
export type {
  AccountRow,
  BookRow,
  CandleRow,
  CloseReason,
  CompletionRow,
  CopierStateRow,
  CrossTradeConfig,
  EquityPoint,
  EquityRow,
  FillRow,
  Frame,
  GuardRow,
  HookRow,
  MarketRow,
  PnlRow,
  Portfolio,
  RunOrderRow,
  RunRow,
  ServerFrame,
  TapeRow,
  TaskRow,
  TickerRow,
  Topic,
} from '../protocol/frames.ts'
export type { Preview } from '../protocol/preview.ts'
export type { AskedGrant } from '../protocol/rows.ts'
export {
  type AutoConnectFacts,
  CHECKIN_FRESH_MS,
  type DeviceFacts,
  type HostPlatform,
  hostPlatformOf,
  shouldProbe,
} from './auto-connect.ts'
export {
  type Change,
  type ClientOptions,
  createHooklineClient,
  type ExecOptions,
  type HooklineClient,
  LISTENER_WS_URL,
  type Mutations,
  type Nudges,
  pageNudges,
  type Unread,
} from './client.ts'
export { type ClientIdOptions, storedClientId } from './client-id.ts'
export {
  type ClientKeys,
  type KeyPairLike,
  keysOf,
  newKeyPair,
  type StoredKeysOptions,
  storedKeys,
} from './client-keys.ts'
export type { WebSocketConstructor, WebSocketLike } from './connection.ts'
export type { ConnectionState, Interruption } from './connection-state.ts'
export { RETRY_LIMITS } from './connection-state.ts'
export { HEALTH_URL, type LoopbackAccess, type LoopbackPorts, probeLoopback } from './loopback-permission.ts'
export { ClientError, type ClientErrorCode, type Delivery } from './pending-calls.ts'
export { createMemoryPin, createStoredPin, type Pin, type PinStore } from './pinned-listener.ts'
export type { Random, Timers } from './pulse.ts'
export type { Answer, Question, Questions } from './questions.ts'
export { linesOf, type OutputLine, type RemoteRun, type RunResult } from './remote-run.ts'
export type { Watched, Watches } from './subscriptions.ts'
export type { TextStorage } from './text-storage.ts'
