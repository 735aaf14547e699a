// The kill switches of config.json (behaviours 22, 108). Any doubt about what its writer meant turns a switch off: a name that is
// nearly its name, a value that is not true or false, a name that is there twice. Other settings fall back to their defaults.
import * as z from 'zod/mini'
import { $ZodError } from 'zod/v4/core'
import { doubledKeys } from './doubled-keys.ts'
import type { SetAside } from './json-fault.ts'
import { nearName } from './near-name.ts'

export const SWITCHES = ['enabled', 'accountSync', 'remoteExec'] as const
export type Switch = (typeof SWITCHES)[number]
export type Switches = Readonly<Record<Switch, boolean>>

export const ALL_OFF: Switches = { enabled: false, accountSync: false, remoteExec: false }

/** What `listener` may hold. */
const IN_LISTENER = [...SWITCHES, 'allowedOrigins'] as const

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the switches of a file that has them nowhere twice.
 * @param isNewer a newer hookline wrote the file: a switch that is not there may have another name by now, and counts as off
 * @param setAside is told of each doubt
 */
export function readSwitches(content: Fields, isNewer: boolean, setAside: SetAside): Switches {
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
  return { enabled: read('enabled'), accountSync: read('accountSync'), remoteExec: read('remoteExec') }
}

/** @throws {$ZodError} a switch, or what holds the switches, is in the text twice: which one is meant? */
export function refuseDoubled(text: string): void {
  const path = doubledKeys(text).find(([top = '', ...rest]) => {
    return rest.length === 0 ? nearAtTopOf(top) !== undefined || top === 'listener' : top === 'listener'
  })
  if (path !== undefined) throw faultAt(path, 'is there twice')
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
export function readAllowedOrigins({ listener }: Fields, setAside: SetAside): readonly string[] | undefined {
  if (!isFields(listener) || listener.allowedOrigins === undefined) return undefined
  const { success, error, data } = origins.safeParse(listener.allowedOrigins)
  if (success) return data
  const [issue] = error.issues
  const path = ['listener', 'allowedOrigins', ...(issue?.path ?? [])]
  const expected = issue?.path.length === 0 ? 'an array' : 'a string'
  setAside(
    new $ZodError([
      { code: 'custom', path, message: `must be ${expected}; every web page is refused`, input: undefined },
    ]),
    'setting',
  )
  return []
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function faultAt(path: readonly string[], message: string): $ZodError {
  return new $ZodError([{ code: 'custom', path: [...path], message, input: undefined }])
}
