// `config.json`: flags, focus and addresses, written by people. Defaults are applied on reading and never written.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { $ZodError } from 'zod/v4/core'
import { doubledKeys, nearName, type SetAside } from './json-decode.ts'
import { createJsonFile, type FileState, latestDerived, stateOf } from './json-file.ts'
import { type MetricsSettings, NO_METRICS, readMetricsSettings } from './metrics.ts'
import { NO_NOTICES, type NoticeSettings, type ReadSetting, readNoticeSettings } from './notices.ts'
import { type StopStore, SWITCHES, type Switch } from './stops.ts'
import { StoreError, type StoreProblem } from './store-error.ts'

// The kill switches of config.json (behaviours 22, 108). Any doubt about what its writer meant turns a switch off: a name that is
// nearly its name, a value that is not true or false, a name that is there twice. Other settings fall back to their defaults.

export type Switches = Readonly<Record<Switch, boolean>>

/** Each by its name. */
export function switchesBy(isOn: (name: Switch) => boolean): Switches {
  return Object.fromEntries(SWITCHES.map((name) => [name, isOn(name)])) as Record<Switch, boolean>
}

export const ALL_ON = switchesBy(() => true)
const ALL_OFF = switchesBy(() => false)

type Fields = Readonly<Record<string, unknown>>

/** What `listener` may hold. */
const IN_LISTENER = [...SWITCHES, 'allowedOrigins'] as const

/**
 * Reads the switches of a file that has them nowhere twice.
 * @param isNewer a newer hookline wrote the file: a switch that is not there may have another name by now, and counts as off
 * @param setAside is notified of each doubt
 */
function readSwitches(content: Fields, isNewer: boolean, setAside: SetAside): Switches {
  const doubt = (path: readonly string[], message: string) => setAside(faultAt(path, message), 'switch')
  const isOff = { ...nearAtTop(content, doubt) }
  const { listener = {} } = content
  if (!isFields(listener)) {
    doubt(['listener'], 'must be an object, so every switch counts as off')
    return ALL_OFF
  }
  for (const [name, near] of strangersIn(listener)) {
    const path = ['listener', name]
    if (near === undefined) setAside(faultAt(path, 'is not a setting'), 'setting')
    else if (near === 'allowedOrigins') setAside(faultAt(path, 'is probably meant to be allowedOrigins'), 'setting')
    else {
      isOff[near] = true
      doubt(path, `is probably meant to be ${near}, which counts as off`)
    }
  }
  const read = (name: Switch): boolean => {
    const value = listener[name]
    if (value === undefined && !isNewer) return isOff[name] !== true
    if (typeof value === 'boolean') return value && isOff[name] !== true
    doubt(['listener', name], 'must be true or false, and counts as off')
    return false
  }
  return switchesBy(read)
}

/** @throws {$ZodError} a switch, or what holds the switches, is in the text twice: which one is meant? */
function refuseDoubled(text: string): void {
  const path = doubledKeys(text).find(([top = '', ...rest]) => {
    return rest.length === 0 ? nearAtTopOf(top) !== undefined || top === 'listener' : top === 'listener'
  })
  if (path !== undefined) throw faultAt(path, 'appears twice')
}

/** Switches that are named, or nearly so, where they do not count. */
function nearAtTop(
  content: Fields,
  doubt: (path: readonly string[], message: string) => void,
): { [name in Switch]?: true } {
  const off: { [name in Switch]?: true } = {}
  for (const name of Object.keys(content)) {
    const near = nearAtTopOf(name)
    if (near === undefined) continue
    const meant = near === 'listener' ? 'listener, so every switch counts' : `${near} in listener, which counts`
    doubt([name], `is probably meant to be ${meant} as off`)
    for (const each of near === 'listener' ? SWITCHES : [near]) off[each] = true
  }
  return off
}

/** `remoteExec`, `listener.remoteExec`, `Listener` at the top of the file. */
function nearAtTopOf(name: string): Switch | 'listener' | undefined {
  if (name === 'listener') return undefined
  const bare = name.replace(/^listener[^\p{L}\p{N}]+/iu, '')
  return SWITCHES.find((each) => each === bare) ?? nearName(bare, SWITCHES) ?? nearName(name, ['listener'])
}

function* strangersIn(listener: Fields): Generator<readonly [string, Switch | 'allowedOrigins' | undefined]> {
  for (const name of Object.keys(listener)) {
    if ((IN_LISTENER as readonly string[]).includes(name)) continue
    yield [name, nearSwitch(name) ?? nearName(name, ['allowedOrigins'])]
  }
}

function nearSwitch(name: string): Switch | undefined {
  // The opposite of `enabled`, and what many programs call it.
  return /^disabled?$/i.test(name) ? 'enabled' : nearName(name, SWITCHES, { alsoLonger: true })
}

const origins = z.array(z.string())

/** @returns undefined: not set. What is not a list of texts refuses every origin. */
function readAllowedOrigins({ listener }: Fields, setAside: SetAside): readonly string[] | undefined {
  if (!isFields(listener) || listener.allowedOrigins === undefined) return undefined
  const { success, error, data } = origins.safeParse(listener.allowedOrigins)
  if (success) return data
  const [issue] = error.issues
  const path = ['listener', 'allowedOrigins', ...(issue?.path ?? [])]
  const expected = issue?.path.length === 0 ? 'an array' : 'a string'
  setAside(faultAt(path, `must be ${expected}; every web page is refused`), 'setting')
  return []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function faultAt(path: readonly PropertyKey[], message: string): $ZodError {
  return new $ZodError([{ code: 'custom', path: [...path], message, input: undefined }])
}

interface ListenerFlags extends Switches {
  /** As written in config.json; undefined: the default derived from `webUrl` (behaviour 9). */
  readonly allowedOrigins: readonly string[] | undefined
}

/** `config.json` with the defaults applied. */
export interface Config {
  /** Default `paper`. */
  readonly defaultAccount: string
  /** Default `BTCUSDT`. */
  readonly defaultSymbol: string
  /** An http or https URL; default `http://127.0.0.1:53220`. */
  readonly webUrl: string
  /** Where `login` goes unless told otherwise. */
  readonly auth: { readonly issuer?: string; readonly clientId?: string }
  /** Default: all true, no `allowedOrigins`. */
  readonly listener: ListenerFlags
  /** Whether hookline serves its console, and pages of it may ask; default true, false where in doubt. */
  readonly web: { readonly enabled: boolean }
  /** Where notices are sent; default: nowhere but to the terminal. */
  readonly notices: NoticeSettings
  /** Where figures of this process are served; default: nowhere. */
  readonly metrics: MetricsSettings
}

export interface ConfigStore extends FileState {
  /**
   * The file as it is now. A setting that cannot be used has its default. A switch in any doubt reads false: a file meant to forbid
   * something must not permit it by a typing mistake. While the file as a whole is bad or gone, its last good content serves for
   * 0.8 s; after that, and at once where it was bad from the start, every switch reads false and no origin is allowed.
   */
  read(): Config
  /** As `read()`, with one stat per event-loop turn. */
  readOncePerTurn(): Config
  /**
   * Writes a switch. One that is turned off is off in this process at once, and is written as soon as it can be. The rest of the file stays as it is; one that is gone is made again with the switches as they last were.
   * @throws {StoreError}
   */
  turn(name: Switch, isOn: boolean): Promise<void>
  /**
   * Keeps the focus. Unknown fields and unset defaults stay as they are in the file. A file that is gone is made again with the switches
   * as they last were. @throws {StoreError}
   */
  focus(change: { readonly account?: string; readonly symbol?: string }): Promise<void>
  /** Keeps where `login` went. The rest of `auth` stays as it is in the file. @throws {StoreError} */
  keepIssuer(auth: { readonly issuer: string; readonly clientId: string }): Promise<void>
  /** Changes `notices` as it is in the file. A file that is gone is made again, as by `focus`. @throws {StoreError} */
  changeNotices(change: (notices: unknown) => Readonly<Record<string, unknown>>): Promise<void>
}

const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

const text = z.string()
const webUrl = z.string().check(z.refine(isHttpUrl, 'must be a URL that begins with http:// or https://'))

const DEFAULTS: Config = {
  defaultAccount: 'paper',
  defaultSymbol: 'BTCUSDT',
  webUrl: 'http://127.0.0.1:53220',
  auth: {},
  listener: { ...ALL_ON, allowedOrigins: undefined },
  web: { enabled: true },
  notices: NO_NOTICES,
  metrics: NO_METRICS,
}

const CLOSED: ListenerFlags = { ...ALL_OFF, allowedOrigins: [] }
const VERSION = 1

/** @throws {$ZodError} nothing of it can be used */
function readConfig(content: Fields, setAside: SetAside): Config {
  const setting = <T>(path: readonly string[], schema: z.ZodMiniType<T>, value: unknown, fallback: T): T => {
    if (value === undefined) return fallback
    const { success, error, data } = schema.safeParse(value)
    if (success) return data
    const issues = error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }))
    setAside(new $ZodError(issues), 'setting')
    return fallback
  }
  const auth = setting(['auth'], z.looseObject({}), content.auth, {})
  const isNewer = typeof content.version === 'number' && content.version > VERSION
  return {
    defaultAccount: setting(['defaultAccount'], text, content.defaultAccount, DEFAULTS.defaultAccount),
    defaultSymbol: setting(['defaultSymbol'], text, content.defaultSymbol, DEFAULTS.defaultSymbol),
    webUrl: setting(['webUrl'], webUrl, content.webUrl, DEFAULTS.webUrl),
    auth: readAuth(auth, setting, setAside),
    listener: {
      ...readSwitches(content, isNewer, setAside),
      allowedOrigins:
        isFields(content.listener) || content.listener === undefined ? readAllowedOrigins(content, setAside) : [],
    },
    web: { enabled: readWebEnabled(content.web, setAside) },
    notices: readNoticeSettings(content.notices, setting),
    metrics: readMetricsSettings(content.metrics, (path, message) => setAside(faultAt(path, message), 'setting')),
  }
}

/** A program that is forbidden must not be started by a typing mistake. */
function readWebEnabled(web: unknown, setAside: SetAside): boolean {
  if (web === undefined) return true
  const value = isFields(web) ? (web.enabled ?? (Object.keys(web).length === 0 ? true : undefined)) : undefined
  if (typeof value === 'boolean') return value
  const message = 'must be `{"enabled": true}` or `{"enabled": false}`, and counts as off'
  setAside(faultAt(['web'], message), 'setting')
  return false
}

function readAuth(
  { issuer, clientId, email }: Readonly<Record<string, unknown>>,
  setting: ReadSetting,
  setAside: SetAside,
): Config['auth'] {
  // Earlier versions showed to pages what was written there by hand.
  if (email !== undefined) {
    const message = 'is not read any more: `hookline login` knows the address, verified'
    setAside(faultAt(['auth', 'email'], message), 'setting')
  }
  const read = {
    issuer: setting(['auth', 'issuer'], text, issuer, ''),
    clientId: setting(['auth', 'clientId'], text, clientId, ''),
  }
  return {
    ...(read.issuer === '' ? {} : { issuer: read.issuer }),
    ...(read.clientId === '' ? {} : { clientId: read.clientId }),
  }
}

function goneAt(path: string): StoreProblem {
  const message =
    'is gone, so every switch counts as off: put it back, or type `symbol` with a symbol, which writes it again as it was'
  return { kind: 'switch', path, message }
}

/** @throws {StoreError} `invalid-value` */
function withSwitch(content: Fields, name: Switch, isOn: boolean): Fields {
  const { listener = {} } = content
  if (isFields(listener)) return { ...content, listener: { ...listener, [name]: isOn } }
  throw new StoreError('invalid-value', '`listener` in config.json must be an object; every switch counts as off', {
    hint: 'correct the file',
  })
}

function withIssuer(content: Fields, issuer: string, clientId: string): Fields {
  const auth = isFields(content.auth) ? content.auth : {}
  return auth.issuer === issuer && auth.clientId === clientId
    ? content
    : { ...content, auth: { ...auth, issuer, clientId } }
}

/** @param stops told of each switch that is turned off */
export function openConfigStore(directory: string, stops?: Pick<StopStore, 'issueStop'>): ConfigStore {
  const path = join(directory, 'config.json')
  const meaningOf = new WeakMap<Fields, Config>()
  const none: Fields = {}
  /** As the file last said, before it was bad or gone. */
  let lastGood = none
  const file = createJsonFile<Fields>({
    path,
    parse(value, setAside, source) {
      if (!isFields(value)) throw faultAt([], 'must be an object')
      if (source !== undefined) refuseDoubled(source)
      meaningOf.set(value, readConfig(value, setAside))
      return value
    },
    defaults: none,
  })

  /** What holds here and is not in the file yet was never parsed. */
  const meaning = (content: Fields): Config => {
    if (content === none) return DEFAULTS
    const known = meaningOf.get(content) ?? readConfig(content, () => {})
    meaningOf.set(content, known)
    return known
  }
  const closedOf = latestDerived(
    (config: Config): Config => ({
      ...config,
      listener: CLOSED,
      web: config === DEFAULTS ? { enabled: false } : config.web,
    }),
  )
  const serve = (content: Fields): Config => {
    if (content !== none) lastGood = content
    return file.doubt() === undefined ? meaning(content) : closedOf(meaning(lastGood))
  }

  /** A file that is gone is made again. */
  const asItWas = (content: Fields): Fields => (content === none && file.doubt() === 'gone' ? lastGood : content)

  async function change(edit: (content: Fields) => Fields): Promise<void> {
    serve(file.read())
    await file.update((content) => edit(asItWas(content)))
  }

  const gone = goneAt(path)
  const withGone = latestDerived((problems: readonly StoreProblem[]) => [gone, ...problems])
  const problems = () => (file.doubt() === 'gone' ? withGone(file.problems()) : file.problems())

  return {
    read: () => serve(file.read()),
    readOncePerTurn: () => serve(file.readOncePerTurn()),
    ...stateOf(file),
    problems,
    async turn(name, isOn) {
      file.release(name)
      if (isOn) return change((content) => withSwitch(content, name, true))
      serve(file.read())
      const issued = name === 'accountSync' ? undefined : stops?.issueStop(name)
      // Whichever of the two cannot be written holds here, and is told.
      const off = file.restrict((content) => withSwitch(asItWas(content), name, false), { key: name })
      for (const each of await Promise.allSettled([issued, off])) if (each.status === 'rejected') throw each.reason
    },
    async focus({ account, symbol }) {
      serve(file.read())
      await file.update((content) => {
        const { defaultAccount, defaultSymbol } = meaning(content)
        const changes = {
          ...(account !== undefined && account !== defaultAccount && { defaultAccount: account }),
          ...(symbol !== undefined && symbol !== defaultSymbol && { defaultSymbol: symbol }),
        }
        if (asItWas(content) !== content) return { ...lastGood, ...changes }
        return Object.keys(changes).length === 0 ? content : { ...content, ...changes }
      })
    },
    keepIssuer: ({ issuer, clientId }) => change((content) => withIssuer(content, issuer, clientId)),
    changeNotices: (edit) => change((content) => ({ ...content, notices: edit(content.notices) })),
  }
}
