import { z } from 'zod'
import { createHttpClient, type HttpClient } from '../http-client.ts'
import type { CarrierTemplate, SenderOptions } from '../sender.ts'
import type { MetaCredentials } from './credentials.ts'
import type { MetaEnvironment } from './environment.ts'
import { readContent } from './template-content.ts'

const pageSize = 200
/** After an answer that was too large, and thus cut off: a template with a carousel may have 40 KB. */
const smallPageSize = 25
const mostPages = 800

const Page = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      language: z.string(),
      status: z.string(),
      category: z.string(),
      components: z.array(z.unknown()).optional().catch(undefined),
      quality_score: z.object({ score: z.string() }).optional().catch(undefined),
    }),
  ),
  paging: z
    .object({ cursors: z.object({ after: z.string().optional() }).optional(), next: z.string().optional() })
    .optional(),
})

type Options = Pick<SenderOptions<MetaEnvironment>, 'timeoutMs' | 'environment'>

/** Lists the message templates of a business account. @throws Error with the carrier's answer */
export async function listTemplates(
  credentials: MetaCredentials,
  { timeoutMs, environment }: Options,
): Promise<CarrierTemplate[]> {
  const client = createHttpClient({ timeoutMs, maxConnections: 1 })
  const path = `${environment.META_API_URL}/${environment.META_API_VERSION}/${credentials.business_account_id}/message_templates`
  const templates: CarrierTemplate[] = []
  try {
    let after: string | undefined
    let size = pageSize
    for (let count = 0; count < mostPages; count++) {
      const page = await readPage(client, path, credentials.access_token, {
        limit: String(size),
        ...(after && { after }),
      })
      if (page === 'unreadable' && size > smallPageSize) {
        size = smallPageSize
        continue
      }
      if (page === 'unreadable') throw new Error(`The answer with ${size} templates is too large, or not JSON`)
      templates.push(...page.data.map(templateOf))
      after = page.paging?.next === undefined ? undefined : page.paging.cursors?.after
      if (after === undefined) return templates
    }
    throw new Error(`The templates of the account have more than ${mostPages} pages`)
  } finally {
    client.close()
  }
}

interface Range {
  limit: string
  after?: string
}

async function readPage(client: HttpClient, path: string, accessToken: string, range: Range) {
  const query = new URLSearchParams({ fields: 'name,language,status,category,quality_score,components', ...range })
  const { status, body } = await client.call({
    method: 'GET',
    url: `${path}?${query}`,
    headers: { authorization: `Bearer ${accessToken}` },
  })
  const page = Page.safeParse(body)
  if (status === 200 && page.success) return page.data
  if (status === 200 && body === undefined) return 'unreadable'
  const { code } = (body as { error?: { code?: unknown } } | undefined)?.error ?? {}
  throw new Error(`The carrier answered ${status}${typeof code === 'number' ? ` with error ${code}` : ''}`)
}

function templateOf(given: z.output<typeof Page>['data'][number]): CarrierTemplate {
  const { name, language, status, category, quality_score, components } = given
  return {
    name,
    language,
    status: status.toLowerCase(),
    category: category.toLowerCase(),
    quality: quality_score?.score.toLowerCase() ?? null,
    content: components ? readContent(components) : null,
  }
}
