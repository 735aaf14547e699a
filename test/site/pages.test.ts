// The site before it is built: every paper is on it once, its links lead somewhere, and its reference has what the program has.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { leadLinks, llmsText, papersOf, readSections } from '../../site/pages.ts'
import { commandPage, filesPage, framePage, framesOf } from '../../site/reference.ts'
import { commands } from '../../src/commands/catalogue.ts'
import { isFamily } from '../../src/commands/kit/resolve.ts'
import { clientFrame, serverFrame } from '../../src/protocol/frames.ts'
import { SWITCHES } from '../../src/stores/stops.ts'

const HELPS = [{ path: 'listen', text: 'Usage: hookline listen' }]
const sections = readSections('.', HELPS)
const pages = sections.flatMap((section) => section.pages)
const paths = new Set(pages.map(({ path }) => path))

describe('the site', () => {
  it('has every paper of the repository once, and a title for each page', () => {
    const papers = pages.map(({ path }) => path).filter((path) => !path.startsWith('reference/'))
    expect(papers.toSorted()).toEqual([...papersOf('.')].toSorted())
    expect(pages.filter(({ title }) => title === '')).toEqual([])
  })

  const start = { path: 'index.md', title: 'hookline', markdown: readFileSync('site/index.md', 'utf8') }

  it.each([start, ...pages].map((page) => [page.path, page] as const))(
    '%s has links that lead to pages or files',
    (_path, page) => {
      const { markdown, images } = leadLinks(page, { root: '.', pages: paths, repository: '' })
      expect(markdown).not.toMatch(/^[^`\n]*<a id=[^>]*><\/a>[^`\n]*$(?<!\|)/m)
      expect(images.filter((image) => !image.startsWith('docs/'))).toEqual([])
    },
  )

  it('leads a link to a file of the sources to the repository, where that is known, and else nowhere', () => {
    const page = {
      path: 'docs/x.md',
      title: 'x',
      markdown: 'See [the source](../src/cli/main.ts) and [more](json.md#errors).\n',
    }
    const led = (repository: string) => leadLinks(page, { root: '.', pages: paths, repository }).markdown
    expect(led('')).toBe('See the source and [more](/docs/json.md#errors).\n')
    expect(led('https://code.example/h')).toContain('(https://code.example/h/blob/main/src/cli/main.ts)')
  })

  it('refuses a link to a file that does not exist', () => {
    const page = { path: 'docs/x.md', title: 'x', markdown: '[gone](gone.md)' }
    expect(() => leadLinks(page, { root: '.', pages: paths, repository: '' })).toThrow('docs/x.md links to gone.md')
  })

  it('leaves fenced blocks as they are', () => {
    const markdown = 'Text.\n\n```text\n[a](gone.md)\n<!-- kept -->\n```\n'
    const page = { path: 'docs/x.md', title: 'x', markdown }
    expect(leadLinks(page, { root: '.', pages: paths, repository: '' }).markdown).toBe(markdown)
  })

  it('lists its pages for programs, each with its address and its first sentence', () => {
    const text = llmsText(sections, '/hookline/')
    for (const path of paths) expect(text).toContain(`(/hookline/${path}): `)
    expect(text).toContain(
      '[Your first order](/hookline/docs/guides/first-order.md): On the account `paper`: nothing here costs money.',
    )
  })
})

describe('the reference', () => {
  it('has every command and form, with its usage and its examples', () => {
    const text = [...new Set(commands.map(({ group }) => group))].map(commandPage).join('\n')
    for (const command of commands) {
      for (const form of isFamily(command) ? command.forms : [command]) {
        const path = isFamily(command) ? `${command.name} ${form.name}` : form.name
        expect(text).toContain(`# ${path}\n`)
        for (const { line } of form.examples) expect(text).toContain(line.replaceAll('|', '\\|'))
      }
    }
  })

  it('has every frame of both sides, with its required fields', () => {
    const text = framePage()
    const frames = [...framesOf(clientFrame), ...framesOf(serverFrame)]
    expect(frames.length).toBeGreaterThan(50)
    for (const { name, required = [] } of frames) {
      const [, section = ''] = text.split(`\n### ${name}\n`)
      const [own = ''] = section.split('\n#')
      for (const field of required.filter((each) => each !== 't')) expect(own).toContain(`| \`${field}\` | yes |`)
    }
  })

  it('has every switch of config.json, and the files of the directory', () => {
    const text = filesPage(readFileSync('docs/behaviour.md', 'utf8'))
    for (const name of SWITCHES) expect(text).toContain(`\`listener.${name}\``)
    expect(text).toContain('`orders.jsonl`')
  })
})
