// `config.json`: flags, focus and addresses, written by people. Defaults are applied on reading and never written.
import { join } from 'node:path'
import * as z from 'zod/mini'
import { checkedBy } from './json-fault.ts'
import { createJsonFile, type FileState, stateOf } from './json-file.ts'
import { latestDerived } from './latest-derived.ts'

export interface ListenerFlags {
  readonly enabled: boolean
  readonly accountSync: boolean
  readonly remoteExec: boolean
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
  /** Of the stored sign-in (`auth.email`); empty when not signed in (behaviour 28). */
  readonly email: string
  /** Default: all true, no `allowedOrigins`. */
  readonly listener: ListenerFlags
}

export interface ConfigStore extends FileState {
  /**
   * The file as it is now. While it is bad the last good content serves; when it was bad from the start, the three flags
   * read false and no origin is allowed: a file meant to forbid something must not permit it by a typing mistake.
   */
  read(): Config
  /** As `read()`, with one stat per event-loop turn. */
  readOncePerTurn(): Config
  /** Keeps the focus. Unknown fields and unset defaults stay as they are in the file. @throws {StoreError} */
  focus(change: { readonly account?: string; readonly symbol?: string }): Promise<void>
}

const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text)

const fileSchema = z.looseObject({
  defaultAccount: z.exactOptional(z.string()),
  defaultSymbol: z.exactOptional(z.string()),
  webUrl: z.exactOptional(z.string().check(z.refine(isHttpUrl, 'must be a URL that begins with http:// or https://'))),
  auth: z.exactOptional(z.looseObject({ email: z.exactOptional(z.string()) })),
  listener: z.exactOptional(
    z.looseObject({
      enabled: z.exactOptional(z.boolean()),
      accountSync: z.exactOptional(z.boolean()),
      remoteExec: z.exactOptional(z.boolean()),
      allowedOrigins: z.exactOptional(z.array(z.string())),
    }),
  ),
})

type ConfigFile = z.infer<typeof fileSchema>

function withDefaults({ defaultAccount, defaultSymbol, webUrl, auth, listener }: ConfigFile): Config {
  return {
    defaultAccount: defaultAccount ?? 'paper',
    defaultSymbol: defaultSymbol ?? 'BTCUSDT',
    webUrl: webUrl ?? 'http://127.0.0.1:53220',
    email: auth?.email ?? '',
    listener: {
      enabled: listener?.enabled ?? true,
      accountSync: listener?.accountSync ?? true,
      remoteExec: listener?.remoteExec ?? true,
      allowedOrigins: listener?.allowedOrigins,
    },
  }
}

const closed: Config = {
  ...withDefaults({}),
  listener: { enabled: false, accountSync: false, remoteExec: false, allowedOrigins: [] },
}

export function openConfigStore(directory: string): ConfigStore {
  const file = createJsonFile<ConfigFile>({
    path: join(directory, 'config.json'),
    parse: checkedBy(fileSchema),
    defaults: {},
  })
  const configOf = latestDerived(withDefaults)
  const serve = (content: ConfigFile): Config => (file.unusable() ? closed : configOf(content))
  return {
    read: () => serve(file.read()),
    readOncePerTurn: () => serve(file.readOncePerTurn()),
    ...stateOf(file),
    async focus({ account, symbol }) {
      await file.update((content) => {
        const { defaultAccount, defaultSymbol } = withDefaults(content)
        const changes = {
          ...(account !== undefined && account !== defaultAccount && { defaultAccount: account }),
          ...(symbol !== undefined && symbol !== defaultSymbol && { defaultSymbol: symbol }),
        }
        return Object.keys(changes).length === 0 ? content : { ...content, ...changes }
      })
    },
  }
}
