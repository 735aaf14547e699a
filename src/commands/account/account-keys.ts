// `account keys`: the keys of an account move from one source to another. They are in the new place, and read back from it, before they leave the
// old one.
import type { Argument } from '../../language/chain.ts'
import { LanguageError } from '../../language/language-error.ts'
import { printable } from '../../language/printable.ts'
import { KEY_SOURCES, type KeySource } from '../../protocol/rows.ts'
import { type AccountRow, hasCredentials, hasPlainKeys } from '../../stores/accounts.ts'
import type { CommandContext, CommandForm } from '../kit/command.ts'
import { CommandError, describeRefusal, isRefusal } from '../kit/errors.ts'
import { takeOption } from '../kit/read-arguments.ts'
import { whereKeysAre } from './account-add.ts'
import { requireAccount } from './account-name.ts'
import { describeKeys } from './account-words.ts'
import { prepareVault } from './dialog.ts'

type Need = 'accounts' | 'credentials' | 'terminal'

export const keys: CommandForm<Need> = {
  name: 'keys',
  usage: '<name> --to vault|keychain|file|environment',
  summary: 'keep the keys of an account somewhere else',
  where: 'trusted',
  asks: true,
  examples: [
    { line: 'account keys main --to keychain', meaning: "to the system's keychain, and out of where they were" },
    { line: 'account keys main --to vault', meaning: 'to the encrypted vault' },
  ],
  complete: ({ words, accounts }) => (words.length === 0 ? accounts : words.at(-1) === '--to' ? KEY_SOURCES : ['--to']),
  async run(context, args) {
    const { rest, value } = takeOption(args, '--to', 'where to keep the keys')
    const name = requireAccount(context.ports.accounts, rest)
    const source = readSource(rest, value)
    const row = context.ports.accounts.find(name) as AccountRow
    if (!hasCredentials(row)) {
      throw new CommandError('no-credentials', `account ${printable(name, 40)} has no keys`, {
        hint: '`account` lists them',
      })
    }
    if (!hasPlainKeys(row) && row.credentials?.from === source) {
      await eraseLeft(context, row)
      return context.out.info(`${printable(name, 40)}: ${whereKeysAre(row.credentials)} already`)
    }
    await move(context, row, source)
  },
}

function readSource(args: readonly Argument[], value: string | undefined): KeySource {
  const source = KEY_SOURCES.find((each) => each === value)
  if (source !== undefined) return source
  throw new LanguageError(
    'bad-argument',
    'choose where to keep the keys',
    args.at(-1)?.column ?? 1,
    `use --to ${KEY_SOURCES.join('|')}`,
  )
}

async function move(context: CommandContext<Need>, row: AccountRow, source: KeySource): Promise<void> {
  const { accounts, credentials } = context.ports
  const { name, exchange } = row
  // Both ways need it: to read what it has, and to put something in.
  const isOfVault = source === 'vault' || (!hasPlainKeys(row) && row.credentials?.from === 'vault')
  if (source === 'keychain') await credentials.testKeychain()
  const vault = isOfVault ? await prepareVault(context) : undefined
  await vault?.opened
  const found = await credentials.resolveKeys(row)
  await vault?.make()
  const to = await credentials.write({ name, exchange }, found, source)
  if ((await accounts.moveKeys([{ row, to }])).length === 0) {
    await credentials.remove({ name, exchange }, to)
    throw new CommandError('changed-meanwhile', `the keys of ${printable(name, 40)} were changed meanwhile`, {
      hint: 'try again',
    })
  }
  await context.audit('account keys', { name, from: describeKeys(row), to: source })
  await removeOld(context, row)
  context.out.success(`${printable(name, 40)}: ${whereKeysAre(to)}`)
}

/** An earlier move may have ended between the two places. */
async function eraseLeft({ ports, out }: CommandContext<Need>, row: AccountRow): Promise<void> {
  for (const left of ports.credentials.leftFiles([row]).filter(({ name }) => name === row.name)) {
    if (await ports.credentials.eraseLeft(left)) out.success(`erased ${printable(left.path, 300)}`)
    else out.warn(`${printable(left.path, 300)} has other keys than those: remove it yourself`)
  }
}

async function removeOld({ ports, out }: CommandContext<Need>, row: AccountRow): Promise<void> {
  if (row.credentials === undefined) return
  const { from } = row.credentials
  try {
    const isGone = await ports.credentials.remove(row, row.credentials)
    if (!isGone && from !== 'vault') out.warn(`they are in the ${from} too: remove them there`)
  } catch (error) {
    if (!isRefusal(error)) throw error
    out.warn(`they are in the ${from} too: ${describeRefusal(error)}`)
  }
}
