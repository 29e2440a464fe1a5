import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { anchorOf } from './markdown.ts'

const root = join(import.meta.dirname, '..')

/** The documents for callers that the gateway serves, in their order. */
const documents = {
  'quick-start': 'docs/quick-start.md',
  events: 'docs/events-and-providers.md',
  templates: 'docs/templates.md',
  email: 'docs/mail.md',
  languages: 'docs/languages.md',
  recipients: 'docs/recipients.md',
  broadcasts: 'docs/broadcasts.md',
  preferences: 'docs/preferences.md',
  webhooks: 'docs/webhooks.md',
  inbox: 'docs/inbox.md',
  node: 'packages/sdk/README.md',
} as const

export interface Guide {
  name: string
  title: string
  html: string
}

/** `content/guides.json`: the guides as HTML, so that the gateway needs no Markdown. */
export const guidesFile = (): string => `${JSON.stringify(Object.entries(documents).map(guideOf), null, 1)}\n`

function guideOf([name, path]: [string, string]): Guide {
  const source = readFileSync(join(root, path), 'utf8')
  const html = markedFor(path).parse(source, { async: false })
  const [, title = name] = /^# (.+)$/m.exec(source) ?? []
  return { name, title: name === 'node' ? 'Client for Node' : title, html }
}

/** Where a link of a document leads on the served pages; undefined for a file that is not served. */
function servedAt(document: string, href: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const target = normalize(join(dirname(document), path))
  if (target === 'content/openapi.json') return '/content/openapi.json'
  const found = Object.entries(documents).find(([, file]) => file === target)
  return found && `/docs/guides/${found[0]}${anchor === undefined ? '' : `#${anchor}`}`
}

function markedFor(document: string): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens)
        const address = servedAt(document, href)
        return address === undefined ? text : `<a href="${address}">${text}</a>`
      },
      image: () => '',
      html: () => '',
    },
  })
}
