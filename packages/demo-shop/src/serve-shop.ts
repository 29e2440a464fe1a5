import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { bundlePage } from './bundle-page.ts'
import { issueToken, sendNotification } from './call-api.ts'
import type { ShopConfig } from './config.ts'

const maxBodyBytes = 64 * 1024

/** Serves `/demo/inbox` and what its page calls; ends on SIGTERM, and when the process that started it has ended. */
export async function serveShop(config: ShopConfig): Promise<void> {
  const files = await pageFiles(config)
  const calls = new Map([
    ['/demo/token', issueToken],
    ['/demo/send', sendNotification],
  ])
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop')
    const file = files.get(pathname)
    const call = calls.get(pathname)
    if (pathname === '/') return void response.writeHead(302, { location: '/demo/inbox' }).end()
    if (request.method === 'GET' && file) return void response.writeHead(200, file.headers).end(file.content)
    if (request.method !== 'POST' || !call) return void response.writeHead(404).end()
    // Pages of other origins cannot send JSON without asking first.
    if (request.headers['content-type'] !== 'application/json') return void response.writeHead(415).end()
    const { status, body } = await call(config, JSON.parse(await readBody(request)))
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error) => {
      console.error(JSON.stringify({ level: 40, time: Date.now(), msg: String(error) }))
      if (!response.headersSent) response.writeHead(502)
      response.end()
    })
  })
  server.listen(config.port, config.host)
  const stop = () => {
    server.close()
    server.closeAllConnections()
    if (process.connected) process.disconnect()
  }
  for (const occasion of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(occasion, stop)
}

interface PageFile {
  headers: Record<string, string>
  content: string | Uint8Array
}

async function pageFiles({ apiUrl, userId }: ShopConfig): Promise<Map<string, PageFile>> {
  const { script, style } = await bundlePage()
  const html = await readFile(new URL('inbox-page/index.html', import.meta.url), 'utf8')
  const page = html.replace('{{api_url}}', encodeURI(apiUrl)).replace('{{user_id}}', encodeURIComponent(userId))
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${apiUrl}; img-src 'self' data: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  const file = (type: string, content: string | Uint8Array): PageFile => ({
    headers: {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': policy,
    },
    content,
  })
  const ok = file('application/json', '{"status":"ok"}')
  return new Map([
    ['/healthz', ok],
    ['/readyz', ok],
    ['/demo/inbox', file('text/html; charset=utf-8', page)],
    ['/demo/inbox.js', file('text/javascript; charset=utf-8', script)],
    ['/demo/inbox.css', file('text/css; charset=utf-8', style)],
  ])
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) throw new Error('the body is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
