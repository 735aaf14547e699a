// `web-settings.json`: the settings record of the web app (behaviours 118, 119): which kinds of machine hookline has checked
// in from, and which listener the console trusts on which device.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { checkedBy } from './json-decode.ts'
import { createJsonFile, type FileState, latestDerived, stateOf } from './json-file.ts'
import { StoreError } from './store-error.ts'

/** As `process.platform`. */
type CheckInPlatform = 'darwin' | 'win32' | 'linux'

interface StoredCheckIn {
  /** ms since the epoch. */
  readonly at: number
  /** A UUID. */
  readonly listenerId: string
  readonly version: string
}

/** Without the file's unknown fields. */
export interface StoredWebSettings {
  readonly cli: { readonly checkins: { readonly [platform in CheckInPlatform]?: StoredCheckIn } }
  /** By device key; UUIDs. */
  readonly trustedListenerIds: Readonly<Record<string, string>>
}

export interface WebSettingsStore extends FileState {
  /** As on disk now. While the file is bad the last good content serves; bad from the start, it is empty: no page connects by itself. */
  read(): StoredWebSettings
  /** Replaces what that platform said before. @throws {StoreError} */
  checkIn(platform: CheckInPlatform, result: Omit<StoredCheckIn, 'at'>): Promise<void>
  /**
   * Sets the id trusted on each device named; `null` forgets it.
   * @returns the settings as they are now
   * @throws {StoreError} `invalid-value`: no UUID, or over 256 devices
   */
  trust(changes: Readonly<Record<string, string | null>>): Promise<StoredWebSettings>
}

/** Any program on the machine may ask to add one, so there is an end to it. */
const MAX_DEVICES = 256

const listenerId = z.string().check(z.uuid('must be a UUID'))
const checkIn = z.looseObject({ at: z.number(), listenerId, version: z.string() })

const fileSchema = z.looseObject({
  cli: z.exactOptional(
    z.looseObject({
      checkins: z.exactOptional(
        z.looseObject({
          darwin: z.exactOptional(checkIn),
          win32: z.exactOptional(checkIn),
          linux: z.exactOptional(checkIn),
        }),
      ),
    }),
  ),
  trustedListenerIds: z.exactOptional(z.record(z.string(), listenerId)),
})

type SettingsFile = z.infer<typeof fileSchema>

export function openWebSettings(directory: string, now: () => number = Date.now): WebSettingsStore {
  const file = createJsonFile<SettingsFile>({
    path: join(directory, 'web-settings.json'),
    parse: parseSettings,
    defaults: {},
  })
  const settingsOf = latestDerived(knownFields)
  return {
    read: () => settingsOf(file.read()),
    async checkIn(platform, { listenerId, version }) {
      await file.update((content) => {
        const checkins = { ...content.cli?.checkins, [platform]: { at: now(), listenerId, version } }
        return { ...content, cli: { ...content.cli, checkins } }
      })
    },
    trust: async (changes) => settingsOf(await file.update((content) => withTrust(content, changes))),
    ...stateOf(file),
  }
}

const parseKnown = checkedBy(fileSchema)

function parseSettings(value: unknown): SettingsFile {
  const settings = parseKnown(value)
  // zod passes over `__proto__`, which it would leave unchecked; no console calls a device so.
  if (Object.hasOwn(settings.trustedListenerIds ?? {}, '__proto__')) {
    throw new Error('trustedListenerIds.__proto__ is not a device')
  }
  return settings
}

function withTrust(content: SettingsFile, changes: Readonly<Record<string, string | null>>): SettingsFile {
  const { trustedListenerIds: before = {} } = content
  const isNews = ([device, id]: [string, string | null]) =>
    id !== (Object.hasOwn(before, device) ? before[device] : null)
  if (!Object.entries(changes).some(isNews)) return content
  const after = Object.entries({ ...before, ...changes }).filter(([, id]) => id !== null)
  if (after.length > MAX_DEVICES) {
    throw new StoreError('invalid-value', `there are ${MAX_DEVICES} devices with a trusted listener already`, {
      hint: 'forget one first',
    })
  }
  return { ...content, trustedListenerIds: Object.fromEntries(after) as Record<string, string> }
}

/** Field by field, so that nothing unknown in the file leaves the process. */
function knownFields({ cli, trustedListenerIds }: SettingsFile): StoredWebSettings {
  const checkins: { [platform in CheckInPlatform]?: StoredCheckIn } = {}
  for (const platform of ['darwin', 'win32', 'linux'] as const) {
    const result = cli?.checkins?.[platform]
    if (result) checkins[platform] = { at: result.at, listenerId: result.listenerId, version: result.version }
  }
  return { cli: { checkins }, trustedListenerIds: { ...trustedListenerIds } }
}
