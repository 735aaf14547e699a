// What `hookline/client` publishes; everything else may change without notice.

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
  TaskRow,
  TickerRow,
  Topic,
} from '../protocol/frames.ts'
export type { Preview } from '../protocol/preview.ts'
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
  createHooklineClient,
  type HooklineClient,
  type Mutations,
  type Unread,
} from './client.ts'
export { ClientError, type ClientErrorCode, type Delivery } from './client-error.ts'
export { type Claims, type ClientIdOptions, claimClientId, lockClaims } from './client-id.ts'
export { type ClientKeys, type KeyPairLike, keysOf, newKeyPair } from './client-keys.ts'
export { type ClientOptions, type ExecOptions, LISTENER_WS_URL } from './client-options.ts'
export type { ConnectionState, Interruption } from './connection-state.ts'
export { HEALTH_URL, type LoopbackAccess, type LoopbackPorts, probeLoopback } from './loopback-permission.ts'
export { type Nudges, pageNudges } from './nudges.ts'
export { createMemoryPin, createStoredPin, type Pin, type PinStore, type TextStorage } from './pinned-listener.ts'
export type { Answer, Question, Questions } from './questions.ts'
export { linesOf, type OutputLine, type RemoteRun, type RunResult } from './remote-run.ts'
export { RETRY_LIMITS } from './retry-delay.ts'
export type { WebSocketConstructor, WebSocketLike } from './socket.ts'
export { type StoredKeysOptions, storedKeys } from './stored-keys.ts'
export type { Random, Timers } from './timers.ts'
export type { Watched, Watches } from './watches.ts'
