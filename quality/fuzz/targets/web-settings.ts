// `web-settings.json`: check-ins and the listener that each device trusts.
import { webSettings } from '../../../src/protocol/web-api.ts'
import { openWebSettings, type StoredWebSettings } from '../../../src/stores/web-settings.ts'
import { settingsAnswer } from '../../../src/web-server/web-app.ts'
import { storeTarget, UUID } from '../store-target.ts'
import { type OpenTarget, promise } from '../target.ts'

const said = { at: 1_773_239_400_000, listenerId: UUID, version: '0.1.0' }
const OURS = 'fuzz'

interface Content {
  readonly cli?: { readonly checkins?: { readonly win32?: unknown } }
  readonly trustedListenerIds?: Readonly<Record<string, string>>
}

export const open: OpenTarget = () =>
  storeTarget({
    fileName: 'web-settings.json',
    open(directory) {
      const store = openWebSettings(directory, () => 1)
      return {
        read: store.read,
        problem: store.problem,
        problems: store.problems,
        async write() {
          await store.checkIn('win32', { listenerId: UUID, version: '1' })
          await store.trust({ [OURS]: UUID })
          await store.trust({ [OURS]: null })
        },
      }
    },
    seeds: [
      { cli: { checkins: { linux: said, darwin: { ...said, note: 'mine' } } }, trustedListenerIds: { laptop: UUID } },
      { trustedListenerIds: {} },
      {},
    ],
    words: [
      'cli',
      'checkins',
      'win32',
      'linux',
      ...Object.keys(said),
      'trustedListenerIds',
      'laptop',
      OURS,
      '__proto__',
    ],
    forget: ({ cli = {}, trustedListenerIds = {}, ...rest }: Content) => {
      const { checkins: { win32: _, ...checkins } = {}, ...others } = cli
      const { [OURS]: _ours, ...trusted } = trustedListenerIds
      return [Object.entries(rest), others, checkins, Object.entries(trusted)]
    },
    check(store) {
      const settings = store.read() as StoredWebSettings
      promise(webSettings.safeParse(settingsAnswer(settings)).success, 'a page can read what a good file holds')
      for (const [, id] of Object.entries(settings.trustedListenerIds)) {
        promise(/^[0-9a-f-]{36}$/i.test(id), 'a listener that is trusted has a UUID')
      }
    },
  })
