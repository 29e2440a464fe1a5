import { createServer } from 'node:http'
import { readConfig } from './config.ts'
import { createProvider } from './provider.ts'
import { answerSignIn, isSignIn } from './sign-in.ts'

/** Serves the provider beside `/healthz` and `/readyz`; ends on SIGTERM, and when the process that started it has gone. */
export function serveIdentityProvider(env: NodeJS.ProcessEnv): void {
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
  const stop = () => {
    server.close()
    server.closeAllConnections()
    if (process.connected) process.disconnect()
  }
  for (const occasion of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(occasion, stop)
}
