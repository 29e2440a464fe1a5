import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSandbox, readConfig, type Sandbox } from '@notify/carrier-sandbox'
import { newId } from '@notify/contracts'
import { createLogger, Problem } from '@notify/service-kit'
import {
  type Callback,
  type CallbackToken,
  type Claim,
  type Endpoint,
  type ReceiverDefinition,
  type ReceivingAccount,
  type Report,
  receivers,
} from '../../src/receiving.ts'
import { type DomainIdentity, type Registration, type SendingCarrier, sendingCarriers } from '../../src/sending.ts'
import { type CarrierFixture, type Credentials, contents, recipientOf, type Wanted } from './fixture.ts'

/** A callback as it came. */
export type CapturedCallback = Pick<Callback, 'body' | 'headers' | 'url'>

/** A provider with the credentials of an account at the stand-in. */
export interface TestAccount {
  id: `prov_${string}`
  credentials: Credentials
}

/** The stand-in of one carrier, and a receiver of its callbacks that verifies them as the service does. */
export interface World {
  publicUrl: string
  carrier: SendingCarrier
  sandbox: Sandbox
  accounts: [TestAccount, TestAccount]
  captured: CapturedCallback[]
  /** The reports of the callbacks of the first account. */
  reports: Report[]
  /** Faults of callbacks that were refused. */
  faults: unknown[]
  send(to: Wanted, options?: SendOptions): Promise<Sent>
  check(account: TestAccount, apiUrl?: string, timeoutMs?: number): ReturnType<NonNullable<SendingCarrier['check']>>
  /** Registers a domain at the first account, or removes it. */
  syncDomain(
    identity: DomainIdentity,
    apiUrl?: string,
    note?: (known: DomainIdentity['known']) => Promise<void>,
  ): Promise<Registration | undefined>
  /** Verifies and reads a callback with the accounts that its claim finds among these. */
  receive(callback: CapturedCallback, accounts?: readonly TestAccount[]): Promise<readonly Report[]>
  stop(): Promise<void>
}

export interface SendOptions {
  account?: TestAccount
  apiUrl?: string
  timeoutMs?: number
  mode?: 'live' | 'test'
  revision?: number
  fields?: object
}

type Sent = Awaited<ReturnType<ReturnType<SendingCarrier['createSender']>['send']>> & { correlation: Correlation }

interface Correlation {
  notificationId: string
  attemptId: string
}

/** Nobody waits for it where the carrier answers, however busy the machine is. */
const patienceMs = 60_000
const { log } = createLogger('carriers', 'silent')

export async function startWorld(fixture: CarrierFixture): Promise<World> {
  const { kind } = fixture
  const carrier = sendingCarriers[kind]!
  const captured: CapturedCallback[] = []
  const reports: Report[] = []
  const faults: unknown[] = []
  const server = createServer(async (request, response) => {
    const callback = await readCallback(request)
    captured.push(callback)
    try {
      reports.push(...(await world.receive(callback)))
      response.writeHead(200).end()
    } catch (error) {
      faults.push(error)
      response.writeHead(400).end()
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ids = [newId('prov'), newId('prov')] as const
  const sandbox = await createSandbox(
    readConfig({
      PORT: '0',
      DNS_PORT: '0',
      CARRIER_DELAY_MS: '1',
      TWILIO_ACCOUNTS: `AC${'9'.repeat(32)}:unused-token-of-nobody`,
      ...fixture.sandbox?.(publicUrl, ids),
    }),
  )
  const connect = async (nth: 0 | 1): Promise<TestAccount> => {
    const id = ids[nth]
    const path = carrier.callbackOf?.({})?.path.replace(':kind', kind).replace(':provider_id', id) ?? ''
    return { id, credentials: await fixture.connect({ sandboxUrl: sandbox.url, callbackUrl: publicUrl + path, nth }) }
  }
  const accounts: [TestAccount, TestAccount] = [await connect(0), await connect(1)]
  const sendingEnvironment = (apiUrl = sandbox.url) => fixture.sending?.(apiUrl) ?? { CARRIER_STAND_IN_URL: apiUrl }
  const receiver = receivers[kind]
  const state = receiver?.start({
    publicUrl,
    environment: (fixture.receiving?.(sandbox.url) ?? {}) as never,
    log,
  }) as never
  const senders = new Map<string, ReturnType<SendingCarrier['createSender']>>()

  const bodies = new Map<string, string>()
  const requireOneBody = ({ accountId, token, digest }: CallbackToken) => {
    const [key, body] = [`${accountId} ${token}`, digest.toString('hex')]
    if ((bodies.get(key) ?? body) !== body) throw new Problem('invalid_signature', 'The token came with another body')
    bodies.set(key, body)
  }

  const world: World = {
    publicUrl,
    carrier,
    sandbox,
    accounts,
    captured,
    reports,
    faults,
    async send(
      to,
      {
        account = accounts[0],
        apiUrl,
        timeoutMs = patienceMs,
        mode = fixture.mode ?? 'live',
        revision = 1,
        fields,
      } = {},
    ) {
      const key = `${apiUrl} ${timeoutMs}`
      const options = { timeoutMs, maxConnections: 2, publicUrl, sandboxUrl: sandbox.url }
      const sender =
        senders.get(key) ?? carrier.createSender({ ...options, environment: sendingEnvironment(apiUrl) } as never)
      senders.set(key, sender)
      const correlation = { notificationId: newId('notif'), attemptId: newId('att') }
      const content = { ...contents[carrier.channel as keyof typeof contents], ...fixture.message }
      const message = {
        to: recipientOf(carrier, to),
        ...content,
        mode,
        traceparent: undefined,
        ...correlation,
        ...fields,
      }
      const credentials = carrier.credentials.parse(account.credentials)
      const answer = await sender.send({ id: account.id, revision, credentials } as never, message as never)
      return { ...answer, correlation }
    },
    check: ({ credentials }, apiUrl, timeoutMs = patienceMs) =>
      carrier.check!(carrier.credentials.parse(credentials) as never, {
        timeoutMs,
        environment: sendingEnvironment(apiUrl) as never,
      }),
    syncDomain: async (identity, apiUrl, note) =>
      carrier.identities!.sync(carrier.credentials.parse(accounts[0].credentials) as never, identity, {
        timeoutMs: patienceMs,
        environment: sendingEnvironment(apiUrl) as never,
        note,
      }),
    async receive(callback, known = accounts) {
      const { endpoint, params } = endpointOf(receiver!, callback.url)
      const claim = endpoint.open(state, { ...callback, params })
      const { reports: read, token } = await claim.receive(claimed(receiver!, claim.of, known), async (of) =>
        claimed(receiver!, of, known),
      )
      if (token) requireOneBody(token)
      return read
    },
    async stop() {
      for (const sender of senders.values()) sender.close()
      await sandbox.stop()
      server.closeAllConnections()
      server.close()
    },
  }
  return world
}

/** Repeats a send with a short limit, which may end on a busy machine before there is a connection: then nothing was taken. */
export async function untilConnected(send: () => Promise<Sent>): Promise<Sent> {
  const sent = await send()
  return sent.code === 'ENOTCONN' || sent.code === 'UND_ERR_CONNECT_TIMEOUT' ? untilConnected(send) : sent
}

async function readCallback(request: IncomingMessage): Promise<CapturedCallback> {
  const body = Buffer.concat(await request.toArray())
  return { body, headers: request.headers as IncomingHttpHeaders, url: request.url ?? '' }
}

/** The endpoint of an address, and the parameters in it. */
function endpointOf(
  { endpoints }: ReceiverDefinition,
  url: string,
): { endpoint: Endpoint<never>; params: Credentials } {
  const parts = url.split('?')[0]!.split('/')
  for (const endpoint of endpoints) {
    const pattern = endpoint.contract.path.split('/')
    const fits =
      pattern.length === parts.length && pattern.every((part, at) => part.startsWith(':') || part === parts[at])
    if (!fits || endpoint.contract.method !== 'POST') continue
    const names = pattern.flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), parts[at]!]] : []))
    return { endpoint, params: Object.fromEntries(names) }
  }
  throw new Error(`no endpoint has the address ${url}`)
}

/** The accounts of a claim, as the service finds them. */
function claimed({ keep }: ReceiverDefinition, of: Claim['of'], known: readonly TestAccount[]): ReceivingAccount[] {
  return known
    .map(({ id, credentials }): ReceivingAccount => {
      const { secret = null, sender = null, topicArns = [], ...kept } = keep.parse(credentials)
      const { accountId = null, parentId = null, verifyToken = null } = kept
      const ids = { id, tenantId: `ten_${id.slice(5)}` as const, accountId, parentId }
      return { ...ids, verifyToken, secret, sender, topicArns }
    })
    .filter(({ id, accountId = null, parentId = null }) => {
      if ('providerId' in of) return id === of.providerId
      if ('accountId' in of) return accountId === of.accountId
      return of.accountIds.includes(accountId ?? '') || of.parentIds.includes(parentId ?? '')
    })
}
