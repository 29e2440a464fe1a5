import { commonConfig, type RouteEntry, route, type StreamEntry, serveHttp } from '@notify/service-kit'
import { createTestKit } from '@notify/test-kit/kit'
import { z } from 'zod'
import { getStats } from './contracts.ts'

const { HOST, DOCS_URL, PRINCIPAL_JWKS, TRUSTED_PROXIES } = commonConfig
const Config = z.object({ HOST, DOCS_URL, PRINCIPAL_JWKS, TRUSTED_PROXIES })

interface Options extends Pick<Parameters<typeof serveHttp>[1], 'door' | 'extend'> {
  /** How many requests for a list are being answered. */
  answering?(): number
}

/** Serves as a separate process: reports the port to its parent, drains on SIGTERM, exits when nothing is open. */
export async function serve(
  routes: readonly (RouteEntry<object> | StreamEntry<object>)[],
  { answering = () => 0, ...options }: Options,
) {
  const kit = createTestKit('inbox-stream')
  const reasons = ['client', 'service', 'upstream', 'slow', 'stalled', 'drain']
  const stats = route(getStats, () => ({
    open: kit.gauged('http_server_open_streams'),
    buffered: kit.gauged('http_server_stream_buffered_bytes'),
    rss: process.memoryUsage().rss,
    closed: reasons.filter((reason) => kit.counted('http_server_streams_closed_total', { reason }) > 0),
    answering: answering(),
  }))
  const config = Config.parse({ HOST: '127.0.0.1', PRINCIPAL_JWKS: '{"keys":[]}' })
  await serveHttp(kit, {
    config: { ...config, PORT: 0 },
    context: {},
    routes: [...routes, stats],
    streams: JSON.parse(process.env.STREAM_LIMITS ?? '{}'),
    ...options,
  })
  process.on('SIGTERM', async () => {
    await kit.stop()
    process.disconnect()
  })
  process.on('disconnect', () => process.exit())
  process.send!({ port: kit.lines.find(({ msg }) => msg === 'listening')!.port })
}
