import { readFile } from 'node:fs/promises'
import { docsPage, type Entry, type Section } from './frame.ts'
import type { Page } from './page.ts'

const file = new URL('../../../../content/guides.json', import.meta.url)

export interface Guide {
  name: string
  title: string
  html: string
}

/** The guides, the quick start first. `npm run generate` writes them from the documents of the repository. */
export const readGuides = async (): Promise<Guide[]> => JSON.parse(await readFile(file, 'utf8')) as Guide[]

export const entryOf = ({ name, title }: Guide, at: number): Entry => ({
  path: at === 0 ? '/docs' : `/docs/guides/${name}`,
  title,
})

/** The page of each guide by its name. */
export function guidePages(guides: readonly Guide[], sections: readonly Section[]): Map<string, Page> {
  return new Map(guides.map((guide, at) => [guide.name, docsPage(sections, entryOf(guide, at), guide.html)]))
}
