// What VitePress builds: the pages that build.mjs has staged. Nothing is fetched, when it is built or when it is read.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** How a command is used, without colours. */
const PLAIN = { name: 'usage', scopeName: 'text.usage', patterns: [], repository: {} }

const { HOOKLINE_SITE_STAGE: stage = '', HOOKLINE_SITE_OUT: outDir = '' } = process.env

export default {
  title: 'hookline',
  description: 'A trading command line that listens',
  lang: 'en',
  srcDir: stage,
  srcExclude: ['public/**'],
  outDir,
  cacheDir: join(stage, '.cache'),
  cleanUrls: false,
  // Anchors as the papers link to them. Text of a paper is never markup of the site.
  markdown: {
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    languages: [PLAIN],
    languageAlias: { hookline: 'sh' },
    config: keepAnchors,
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: JSON.parse(readFileSync(join(stage, 'sidebar.json'), 'utf8')),
    outline: [2, 3],
    nav: [
      { text: 'Start here', link: '/docs/guides/start-here' },
      { text: 'Commands', link: '/reference/commands' },
    ],
  },
}

/** The one element that papers write themselves: `<a id="17"></a>`, in cells of tables. @param {any} markdown of markdown-it */
function keepAnchors(markdown) {
  markdown.inline.ruler.before('text', 'anchor', (/** @type {any} */ state, /** @type {boolean} */ silent) => {
    const [found] = /^<a id="[\w-]+"><\/a>/.exec(state.src.slice(state.pos, state.pos + 80)) ?? []
    if (found === undefined) return false
    if (!silent) state.push('html_inline', '', 0).content = found
    state.pos += found.length
    return true
  })
}

/** As GitHub makes them. @param {string} heading */
function slugify(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}
