import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type Express } from 'express'
import { behaviours, emailBehaviours } from './behaviours.ts'
import { CallbackSender } from './callbacks/callback-sender.ts'
import { Delays } from './callbacks/delays.ts'
import { Reporter } from './callbacks/reporter.ts'
import { ConfigError, type SandboxConfig } from './config.ts'
import { builtInRecords } from './dns/built-in-records.ts'
import { dnsRoutes } from './dns/dns-routes.ts'
import { type DnsServer, startDnsServer } from './dns/dns-server.ts'
import { Zone } from './dns/zone.ts'
import { inboundRoutes } from './inbound/inbound-routes.ts'
import { MessageLog } from './messages/message-log.ts'
import { messageRoutes } from './messages/message-routes.ts'
import { metaRoutes } from './meta/routes.ts'
import { createTemplateBook } from './meta/template-book.ts'
import { templateRoutes } from './meta/template-routes.ts'
import { pageRoutes } from './page/page-routes.ts'
import { sendProblem } from './problem.ts'
import { ReceivedLog } from './receiver/received-log.ts'
import { receiverRoutes } from './receiver/receiver-routes.ts'
import { type Receiver, startReceiver } from './receiver/receiver-server.ts'
import { IdentityStore } from './ses/identity-store.ts'
import { sesRoutes } from './ses/routes.ts'
import { Sns } from './sns/sns.ts'
import { snsRoutes } from './sns/sns-routes.ts'
import { createAccountBook } from './stand-ins/account-book.ts'
import { accountRoutes } from './stand-ins/account-routes.ts'
import { standInRoutes } from './stand-ins/serve.ts'
import { standIns } from './stand-ins/table.ts'
import { twilioRoutes } from './twilio/routes.ts'

const bodyLimitBytes = 256 * 1024
/** SES accepts messages of 40 MiB; base64 adds a third. */
const emailLimitBytes = 56 * 1024 * 1024
const emailPaths = ['/ses', ...standIns.filter(({ takesFiles }) => takesFiles).map(({ name }) => `/${name}`)]
const stopGraceMs = 1_000
/** Longer than clients keep a connection, so that they never write on one that is being closed. */
const keepAliveTimeoutMs = 65_000

/** A running sandbox. */
export interface Sandbox {
  /** Where it listens, without a trailing slash; the carriers live below: `<url>/twilio`. */
  url: string
  /** `host:port` of the DNS server, UDP and TCP. */
  dnsAddress: string
  /** Where the HTTPS receiver of webhooks listens; undefined without a certificate. */
  receiverUrl: string | undefined
  /** Stops listening, cancels waiting callbacks, and gives those under way one second. */
  stop(): Promise<void>
}

/**
 * Starts the carriers' stand-ins on one port.
 * @throws ConfigError when it cannot listen there
 */
export async function createSandbox(config: SandboxConfig): Promise<Sandbox> {
  let url = config.publicUrl ?? ''
  const delays = new Delays()
  const sender = new CallbackSender(delays)
  const reporter = new Reporter(delays, config.callbackDelayMs)
  const log = new MessageLog(config.messageLogSize)
  const received = new ReceivedLog(config.messageLogSize, config.receiverSecrets)
  const zone = new Zone(builtInRecords(config.spfInclude))
  const sns = new Sns({ sender, delays, signatureVersion: config.snsSignatureVersion, baseUrl: () => url })
  const { sesTopicArn: topicArn, sesConfigurationSet: configurationSet } = config
  if (config.sesEventsUrl) sns.subscribe(topicArn, config.sesEventsUrl)
  const [account] = config.twilioAccounts
  const templates = createTemplateBook(config.metaNumbers)
  const accounts = createAccountBook()
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .use(emailPaths, express.raw({ type: () => true, limit: emailLimitBytes }))
    .use(express.raw({ type: () => true, limit: bodyLimitBytes }))
    .use('/twilio', twilioRoutes({ accounts: config.twilioAccounts, log, sender, reporter }))
    .use(
      '/ses',
      sesRoutes({
        accounts: config.sesAccounts,
        identities: new IdentityStore(zone),
        log,
        reporter,
        sns,
        topicArn,
        configurationSet,
      }),
    )
    .use('/meta', metaRoutes({ numbers: config.metaNumbers, templates, log, sender, reporter }))
    .use(standInRoutes({ accounts, log, sender, reporter, zone }))
    .use(accountRoutes(accounts))
    .use(templateRoutes({ numbers: config.metaNumbers, templates, sender }))
    .use('/sns', snsRoutes(sns, topicArn))
    .use(
      inboundRoutes({
        sender,
        account,
        number: config.twilioNumber,
        url: config.twilioInboundUrl,
        accounts,
        metaNumbers: config.metaNumbers,
      }),
    )
    .use(dnsRoutes(zone))
    .use(messageRoutes(log, config.messageLogSize))
    .use(receiverRoutes(received))
    .use(await pageRoutes())
    .get('/behaviours', (_req, res) => void res.json({ items: behaviours, emails: emailBehaviours }))
    .get(['/healthz', '/readyz'], (_req, res) => void res.json({ status: 'ok' }))
    .use((req, res) => sendProblem(res, 404, 'not_found', `There is no ${req.method} ${req.path}.`))
    .use(refuseBadRequest)
  const dns = await listenForDns(zone, config)
  const server = await listen(app, config).catch(async (error) => {
    await dns.stop()
    throw error
  })
  const receiver = await listenForWebhooks(received, config).catch(async (error) => {
    server.close()
    await dns.stop()
    throw error
  })
  url ||= urlOf(server)
  return {
    url: urlOf(server),
    dnsAddress: dns.address,
    receiverUrl: receiver?.url,
    stop: async () => {
      server.close()
      server.closeIdleConnections()
      delays.cancelAll()
      receiver?.stop()
      await Promise.all([sender.stop(stopGraceMs), dns.stop()])
      server.closeAllConnections()
    },
  }
}

const refuseBadRequest: ErrorRequestHandler = (error, _req, res, _next) => {
  const status = Number(error?.status)
  if (status === 413) return sendProblem(res, 413, 'payload_too_large', `A body may have ${error.limit} bytes.`)
  if (status >= 400 && status < 500) return sendProblem(res, status, 'bad_request', 'The request cannot be read.')
  console.error(error)
  sendProblem(res, 500, 'internal_error', 'The sandbox failed; its log says why.')
}

async function listenForDns(zone: Zone, { host, dnsPort }: SandboxConfig): Promise<DnsServer> {
  try {
    return await startDnsServer(zone, host, dnsPort)
  } catch (error) {
    throw unusable('DNS_PORT', host, dnsPort, error)
  }
}

async function listenForWebhooks(log: ReceivedLog, { host, receiver }: SandboxConfig): Promise<Receiver | undefined> {
  if (!receiver) return undefined
  try {
    return await startReceiver(log, { host, ...receiver })
  } catch (error) {
    throw unusable('RECEIVER_PORT', host, receiver.port, error)
  }
}

async function listen(app: Express, { host, port }: SandboxConfig): Promise<Server> {
  const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, app)
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw unusable('PORT', host, port, error)
  }
  return server
}

function unusable(portVariable: string, host: string, port: number, error: unknown): ConfigError {
  const { code } = error as NodeJS.ErrnoException
  const variable = code === 'EADDRINUSE' || code === 'EACCES' ? portVariable : 'HOST'
  return new ConfigError(`${variable} cannot be listened on: ${host}:${port} (${code})`)
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
