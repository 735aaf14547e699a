// Questions whose answers are secrets: asked at a terminal without echo, or answered by the next lines of a pipe, in the order shown.
import { requireStrong } from '../../credentials/vault.ts'
import type { CommandContext } from '../kit/command.ts'
import { CommandError } from '../kit/errors.ts'
import { interrupted } from '../kit/running.ts'

/** @throws {CommandError} `no-terminal`, `cancelled`, `interrupted` */
export async function askSecret(context: CommandContext<'terminal'>, question: string): Promise<string> {
  const { terminal } = context.ports
  if (terminal === undefined) {
    throw new CommandError('no-terminal', 'keys and passphrases need an interactive terminal', {
      hint: 'type it where hookline has a terminal or a pipe',
    })
  }
  const { signal } = context
  let stop = (): void => {}
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(interrupted())
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([terminal.askHidden(question), stopped])
  } finally {
    signal.removeEventListener('abort', stop)
    stopped.catch(() => {})
  }
}

/** Asked for twice. @throws {CommandError} `passphrases-differ` @throws {CredentialsError} `weak-passphrase` */
export async function askNewPassphrase(context: CommandContext<'terminal'>): Promise<string> {
  const passphrase = await askSecret(context, 'new passphrase of the vault: ')
  requireStrong(passphrase)
  if ((await askSecret(context, 'the same again: ')) === passphrase) return passphrase
  throw new CommandError('passphrases-differ', 'the two passphrases differ; nothing was changed', { hint: 'try again' })
}

/** What the vault needs, asked for. */
interface PreparedVault {
  /** Rejects with `wrong-passphrase`. Opening takes a second: questions that follow are asked meanwhile, so that nobody types a key at the prompt. */
  readonly opened: Promise<void>
  /** Makes the vault, where there is none. */
  make(): Promise<void>
}

/** Changes nothing yet but that the vault is unlocked. @throws {CredentialsError} {StoreError} @throws as `askSecret` */
export async function prepareVault(context: CommandContext<'terminal' | 'credentials'>): Promise<PreparedVault> {
  const { vault } = context.ports.credentials
  const nothing = { opened: Promise.resolve(), make: async () => {} }
  const state = vault.state()
  if (state === 'unlocked') return nothing
  if (state === 'locked') {
    if (await vault.openByFile()) return nothing
    const opened = vault.unlock(await askSecret(context, 'passphrase of the vault: '))
    // It is told where it is waited for.
    opened.catch(() => {})
    return { ...nothing, opened }
  }
  if (vault.hasPassphraseFile()) return { ...nothing, make: async () => void (await vault.openByFile()) }
  context.out.info('keys are kept in an encrypted vault; its passphrase is needed to read or reset it')
  const passphrase = await askNewPassphrase(context)
  return { ...nothing, make: () => vault.create(passphrase) }
}
