// `hookline login`, `logout` and `whoami`: the prompt's own commands, with the options of a shell.
import type { Command } from 'commander'
import type { Argument } from '../language/chain.ts'
import { runOneShot } from './one-shot.ts'
import { quoted, shellLine, word } from './shell-line.ts'

interface LoginOptions {
  readonly issuer?: string
  readonly clientId?: string
  readonly keys?: string
  /** commander's name for what `--no-browser` turns off. */
  readonly browser: boolean
  readonly json?: boolean
}

export function addSignInCommands(program: Command, setExitCode: (code: number) => void): void {
  const run = async (name: string, args: readonly Argument[], { json = false }: { readonly json?: boolean }) =>
    setExitCode(await runOneShot(shellLine(name, args), { json }))
  const option = (name: string, value: string | undefined): readonly Argument[] =>
    value === undefined ? [] : [word(name), quoted(value)]

  program
    .command('login')
    .description('sign in with an OpenID provider, which identifies you to the web app')
    .option('--issuer <url>', 'the address of the provider; default: auth.issuer of config.json')
    .option('--client-id <id>', 'what hookline is registered as there; default: auth.clientId, else hookline')
    .option('--keys <where>', 'where its tokens are kept: file (default), keychain, vault')
    .option('--no-browser', 'open none')
    .option('--json', 'one JSON object per line')
    .action((options: LoginOptions) => {
      const { issuer, clientId, keys, browser } = options
      const named = [...option('--issuer', issuer), ...option('--client-id', clientId), ...option('--keys', keys)]
      return run('login', [...named, ...(browser ? [] : [word('--no-browser')])], options)
    })
  program
    .command('logout')
    .description('sign out: remove the tokens here and revoke them at the provider')
    .option('--json', 'one JSON object per line')
    .action((options: { readonly json?: boolean }) => run('logout', [], options))
  program
    .command('whoami')
    .description('identity, provider and expiry of the sign-in')
    .option('--json', 'one JSON object per line')
    .action((options: { readonly json?: boolean }) => run('whoami', [], options))
}
