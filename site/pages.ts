// The pages of the site: which papers are on it, under which heading, and their Markdown as VitePress takes it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { COMMAND_PAGES, commandIndex, commandPage, filesPage, framePage, type Help, shellPage } from './reference.ts'

export interface Page {
  /** In the site, as in the repository where it is a paper: `docs/alerts.md`. */
  readonly path: string
  readonly title: string
  readonly markdown: string
}

export interface Section {
  readonly title: string
  readonly pages: readonly Page[]
}

const GUIDES = [
  'start-here',
  'first-order',
  'first-alert',
  'real-exchange',
  'tradingview',
  'protect',
  'tasks',
  'copy',
  'desk',
  'service',
  'recover',
] as const

/** Path and the words of the sidebar. */
const PAPERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Using: {
    'docs/recipes.md': 'Recipes',
    'docs/paper.md': 'Practice money',
    'docs/accounts.md': 'Accounts on exchanges',
    'docs/alerts.md': 'Alerts through a proxy',
    'docs/notices.md': 'Notices and the phone',
    'docs/cross-trade.md': 'Copying in depth',
    'docs/agents.md': 'Agents',
    'docs/service.md': 'Day and night',
    'docs/sign-in.md': 'Signing in',
    'docs/browsers.md': 'Browsers',
    'docs/hosting.md': 'A console for many',
    'docs/tax.md': 'Tax export',
  },
  'How it is made': {
    'docs/behaviour.md': 'Behaviour',
    'SECURITY.md': 'Security',
    'ARCHITECTURE.md': 'Architecture',
    'CONTRIBUTING.md': 'Contributing',
    'docs/measured.md': 'What was measured',
    'docs/profiles.md': 'Where the time goes',
    'docs/platforms.md': 'Platforms',
    'docs/releasing.md': 'Releasing',
    'CHANGELOG.md': 'Changelog',
    'CODE_OF_CONDUCT.md': 'Code of conduct',
    'AGENTS.md': 'For programs that work on it',
    'conformance/README.md': 'Cases for other clients',
    'examples/README.md': 'Examples',
  },
}

const titleOf = (markdown: string) => /^# (.+)$/m.exec(markdown)?.[1] ?? ''

/**
 * Every page by its section, links not yet led anywhere.
 * @param root the repository @param helps what the built program prints
 */
export function readSections(root: string, helps: readonly Help[]): readonly Section[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const paper = (path: string, title: string): Page => ({ path, title, markdown: read(path) })
  const made = (slug: string, title: string, markdown: string): Page => ({
    path: `reference/${slug}.md`,
    title,
    markdown,
  })
  return [
    {
      title: 'Guides',
      pages: GUIDES.map((guide) => {
        const path = `docs/guides/${guide}.md`
        return paper(path, titleOf(read(path)))
      }),
    },
    {
      title: 'Reference',
      pages: [
        made('commands', 'Commands', commandIndex()),
        ...COMMAND_PAGES.map(({ slug, title, group }) => made(`commands-${slug}`, title, commandPage(group))),
        made('shell', 'In the shell', shellPage(helps)),
        made('files', 'Settings and files', filesPage(read('docs/behaviour.md'))),
        paper('docs/json.md', 'JSON output'),
        paper('PROTOCOL.md', 'Protocol'),
        made('frames', 'Frames', framePage()),
      ],
    },
    ...Object.entries(PAPERS).map(([title, papers]) => ({
      title,
      pages: Object.entries(papers).map(([path, words]) => paper(path, words)),
    })),
  ]
}

/** Papers of the repository that belong to the site: every one, except what stands for the start page there. */
export function papersOf(root: string): readonly string[] {
  const folders = ['', 'docs', 'docs/guides', 'examples', 'conformance']
  return folders
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('.md') && path !== 'README.md')
}

interface Surroundings {
  readonly root: string
  /** Paths of all pages. */
  readonly pages: ReadonlySet<string>
  /** Its address, empty while the owner has not named one: a link to a file that is not a page is plain text then. */
  readonly repository: string
}

/**
 * A page's Markdown with its links led to pages of the site, or to the repository where they name another file.
 * @returns also the files that the page shows, from the repository's root
 * @throws a link leads to no file
 */
export function leadLinks(
  { path, markdown }: Page,
  surroundings: Surroundings,
): { readonly markdown: string; readonly images: readonly string[] } {
  const images: string[] = []
  const lead = (whole: string, mark: string, words: string, target: string): string => {
    if (/^(?:[a-z]+:|#)/.test(target)) return whole
    const [file = '', anchor] = target.split('#')
    const meant = normalize(join(dirname(path), file)).replaceAll('\\', '/')
    if (mark === '!') {
      images.push(meant)
      return whole
    }
    // The start page takes its place, without its headings.
    if (meant === 'README.md') return `[${words}](/)`
    const place = placeOf(meant, surroundings)
    if (place === undefined) throw new Error(`${path} links to ${target}, which does not exist`)
    return place === '' ? words : `[${words}](${place}${anchor === undefined ? '' : `#${anchor}`})`
  }
  const led = outsideCode(markdown, (text) => withoutHtml(text).replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, lead))
  return { markdown: led, images }
}

/** @returns empty: no place that a reader of the site could go to; undefined: no file */
function placeOf(file: string, { root, pages, repository }: Surroundings): string | undefined {
  const page = [file, `${file.replace(/\/$/, '')}/README.md`].find((each) => pages.has(each))
  if (page !== undefined) return `/${page}`
  if (file.startsWith('reference/') || !existsSync(join(root, file))) return undefined
  return repository === '' ? '' : `${repository}/blob/main/${file}`
}

/** The anchors of the papers as VitePress writes them; comments are for those who edit. The site takes no HTML. */
function withoutHtml(text: string): string {
  return text.replaceAll(/^(#+) <a id="([^"]+)"><\/a>(.*)$/gm, '$1 $3 {#$2}').replaceAll(/^<!--.*?-->\n?/gms, '')
}

/** Changes the prose of a text, and leaves fenced blocks as they are. */
function outsideCode(markdown: string, change: (prose: string) => string): string {
  return markdown
    .split(/(^ *```[\s\S]*?^ *```$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('')
}

/** llms.txt: each page with its address and first sentence. @param base begins and ends with a slash */
export function llmsText(sections: readonly Section[], base: string): string {
  return [
    '# hookline',
    '> A trading command line that listens: orders typed by intent, webhooks and an approved web page that run the same commands on your own machine.',
    ...sections.flatMap(({ title, pages }) => [
      `## ${title}`,
      pages.map((page) => `- [${page.title}](${base}${page.path}): ${firstSentence(page.markdown)}`).join('\n'),
    ]),
    '',
  ].join('\n\n')
}

function firstSentence(markdown: string): string {
  const paragraph = markdown.split(/\n{2,}/).find((each) => /^[A-Z`*]/.test(each)) ?? ''
  const plain = paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain
}
