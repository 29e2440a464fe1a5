import type { Door } from '@notify/service-kit'
import type { Express } from 'express'
import { errorPages } from './error-pages.ts'
import { docsPage, type Section } from './frame.ts'
import { entryOf, guidePages, readGuides } from './guide-pages.ts'
import type { OpenApi } from './openapi.ts'
import { type Page, servePages } from './page.ts'
import { areaPage, areasOf, overviewPage, referencePath } from './reference-pages.ts'
import { readOpenApi, serveOpenApi } from './serve-openapi.ts'

/** Serves the OpenAPI file and, at `/docs`, the quick start, guides, the API reference and the pages of the error codes. */
export async function serveDocs(): Promise<(app: Express, door: Door) => void> {
  const [guides, file] = await Promise.all([readGuides(), readOpenApi()])
  const openApi = JSON.parse(file.toString()) as OpenApi
  const [quickStart, ...others] = guides.map(entryOf)
  const sections: Section[] = [
    { title: 'Guides', entries: [quickStart!, ...others] },
    {
      title: 'API',
      entries: [
        { path: referencePath, title: 'API reference' },
        ...areasOf(openApi),
        { path: '/docs/errors', title: 'Errors' },
      ],
    },
  ]
  const serve = await serveOpenApi(file)
  return (app, door) => {
    serve(app, door)
    serveAll(app, door, { guides: guidePages(guides, sections), openApi, sections })
  }
}

interface Pages {
  guides: Map<string, Page>
  openApi: OpenApi
  sections: readonly Section[]
}

function serveAll(app: Express, door: Door, { guides, openApi, sections }: Pages): void {
  const missing = {
    ...docsPage(sections, { path: '', title: 'No such page' }, '<h1>There is no such page</h1>'),
    status: 404,
  }
  const [start = missing] = guides.values()
  servePages(app, door, '/docs', () => start)
  servePages(app, door, '/docs/guides/:name', ({ name = '' }) => guides.get(name) ?? missing)
  const overview = overviewPage(openApi, sections)
  servePages(app, door, referencePath, () => overview)
  const areas = new Map<string, Page>(areasOf(openApi).map(({ title }) => [title, areaPage(openApi, sections, title)]))
  servePages(app, door, `${referencePath}/:area`, ({ area = '' }) => areas.get(area) ?? missing)
  const errors = errorPages(sections)
  servePages(app, door, '/docs/errors', () => errors.list)
  servePages(app, door, '/docs/errors/:code', ({ code = '' }) => errors.pageOf(code))
}
