import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { behaviours } from './behaviours.ts'
import { CallbackSender } from './callbacks/callback-sender.ts'
import { Delays } from './callbacks/delays.ts'
import { ConfigError, type SandboxConfig } from './config.ts'
import { MessageLog } from './messages/message-log.ts'
import { messageRoutes } from './messages/message-routes.ts'
import { pageRoutes } from './page/page-routes.ts'
import { sendProblem } from './problem.ts'
import { twilioRoutes } from './twilio/routes.ts'

const bodyLimitBytes = 256 * 1024
const stopGraceMs = 1_000
/** Longer than clients keep a connection, so that they never write on one that is just being closed. */
const keepAliveTimeoutMs = 65_000

/** A running sandbox. */
export interface Sandbox {
  /** Where it listens, without a trailing slash; the carriers live below: `<url>/twilio`. */
  url: string
  /** Stops listening, cancels callbacks that wait, and gives those under way a second. */
  stop(): Promise<void>
}

/**
 * Starts the carriers' stand-ins on one port.
 * @throws ConfigError when it cannot listen there
 */
export async function createSandbox(config: SandboxConfig): Promise<Sandbox> {
  const delays = new Delays()
  const sender = new CallbackSender(delays)
  const log = new MessageLog(config.messageLogSize)
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .use(express.raw({ type: () => true, limit: bodyLimitBytes }))
    .use('/twilio', twilioRoutes({ ...config, accounts: config.twilioAccounts, log, sender, delays }))
    .use(messageRoutes(log, config.messageLogSize))
    .use(await pageRoutes())
    .get('/behaviours', (_req, res) => void res.json({ items: behaviours }))
    .get(['/healthz', '/readyz'], (_req, res) => void res.json({ status: 'ok' }))
    .use((req, res) => sendProblem(res, 404, 'not_found', `There is no ${req.method} ${req.path}.`))
    .use(refuseBadRequest)
  const server = await listen(app, config)
  return {
    url: urlOf(server),
    stop: async () => {
      server.close()
      server.closeIdleConnections()
      delays.cancelAll()
      await sender.stop(stopGraceMs)
      server.closeAllConnections()
    },
  }
}

const refuseBadRequest: ErrorRequestHandler = (error, _req, res, _next) => {
  const status = Number(error?.status)
  if (status === 413) return sendProblem(res, 413, 'payload_too_large', `A body may have ${bodyLimitBytes} bytes.`)
  if (status >= 400 && status < 500) return sendProblem(res, status, 'bad_request', 'The request cannot be read.')
  console.error(error)
  sendProblem(res, 500, 'internal_error', 'The sandbox failed; its log says why.')
}

async function listen(app: Express, { host, port }: SandboxConfig): Promise<Server> {
  const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, app)
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const variable = code === 'EADDRINUSE' || code === 'EACCES' ? 'PORT' : 'HOST'
    throw new ConfigError(`${variable} cannot be listened on: ${host}:${port} (${code})`)
  }
  return server
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
