// Our end of the process that edits the registry beside hookline.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import type { Hook } from '../../../src/stores/hooks.ts'

export type EditorRequest =
  | { readonly op: 'create'; readonly name: string; readonly command: string }
  | { readonly op: 'rotate' | 'revoke'; readonly id: string }

export type EditorReply = { readonly hook: Hook } | { readonly error: string }

/** Bundles the program. @returns its path */
export async function bundleHookEditor(directory: string): Promise<string> {
  const outfile = join(directory, 'hook-editor.cjs')
  const entry = join(import.meta.dirname, 'hook-editor-program.ts')
  // The main file of jsonc-parser hides its imports from bundlers.
  const mainFields = ['module', 'main']
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'cjs', mainFields })
  return outfile
}

export class HookEditor {
  readonly #program: string
  readonly #directory: string
  #child: ChildProcess | undefined
  #underWay: Promise<unknown> = Promise.resolve()

  constructor(program: string, directory: string) {
    this.#program = program
    this.#directory = directory
    onTestFinished(() => this.kill())
  }

  /** One edit. Rejects when the process dies first: then it may or may not have happened. */
  ask(request: EditorRequest): Promise<EditorReply> {
    const reply = this.#ask(request)
    this.#underWay = reply.catch(() => {})
    return reply
  }

  /** Resolves once no edit is under way. */
  async idle(): Promise<void> {
    await this.#underWay
  }

  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.signalCode !== null || child.exitCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  #ask(request: EditorRequest): Promise<EditorReply> {
    this.#child ??= fork(this.#program, [this.#directory], { env: { PATH: process.env.PATH } })
    const child = this.#child
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        child.off('message', replied).off('exit', died)
        settle()
      }
      const replied = (reply: unknown) => done(() => resolve(reply as EditorReply))
      const died = () => done(() => reject(new Error('the editor died')))
      child.on('message', replied).on('exit', died)
      child.send(request)
    })
  }
}
