import { createServer } from 'node:http'
import { readConfig } from './config.ts'
import { createProvider } from './provider.ts'
import { answerSignIn, isSignIn } from './sign-in.ts'

/**
 * Serves the provider beside `/healthz` and `/readyz` until SIGTERM, SIGINT or the end of the parent's IPC channel, then
 * stops it and lets the process end by itself.
 */
export async function serveIdentityProvider(env: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(env)
  const provider = createProvider(config)
  const report = (_ctx: unknown, error: Error) =>
    console.error(JSON.stringify({ level: 50, time: Date.now(), msg: error.message }))
  provider.on('server_error', report)
  const handle = provider.callback()
  const server = createServer((request, response) => {
    if (request.url === '/healthz' || request.url === '/readyz') {
      response.setHeader('content-type', 'application/json').end('{"status":"ok"}')
    } else if (isSignIn(request)) void answerSignIn(provider, config, request, response)
    else void handle(request, response)
  })
  server.listen(config.port, config.host)
  await new Promise((resolve) => {
    for (const occasion of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(occasion, resolve)
  })
  server.close()
  server.closeAllConnections()
}
