import { readFileSync } from 'node:fs'
import { type Authenticator, type ConnectionOptions, credsAuthenticator } from '@nats-io/transport-node'
import { ConfigError, type commonConfig } from '@notify/service-kit'
import type { z } from 'zod'

type Variable = 'NATS_URL' | `NATS_${'USER' | 'PASSWORD' | 'TOKEN' | 'CREDS' | 'CA_FILE' | 'CERT_FILE' | 'KEY_FILE'}`
type NatsVariables = Pick<z.output<z.ZodObject<typeof commonConfig>>, Variable>

/** The addresses of NATS and the login of a process. */
export interface NatsLogin {
  /** `host:port`, without secrets. */
  servers: string[]
  /** The user name for the log; never a secret. */
  identity: string
  options: Pick<ConnectionOptions, 'user' | 'pass' | 'token' | 'authenticator' | 'tls'>
}

/**
 * Reads addresses and login of NATS from the variables: user and password or a token (in NATS_URL or in their own
 * variables), or a credentials file; TLS when an address is tls:// or a certificate is set.
 * @throws ConfigError in one line without secrets, when the variables contradict each other
 */
export function readNatsLogin(variables: NatsVariables): NatsLogin {
  const urls = variables.NATS_URL.split(',').map((text) => new URL(text))
  const found = [ofUrls(urls), ofUser(variables), ofToken(variables), ofCreds(variables)].filter(
    (login) => login !== undefined,
  )
  if (found.length > 1)
    throw new ConfigError(`NATS: several logins are set (${found.map(({ where }) => where).join(', ')}): keep one`)
  const { identity = 'nobody', options = {} } = found[0] ?? {}
  const tls = tlsOf(urls, variables)
  return {
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || defaultPort}`),
    identity,
    options: { ...options, ...(tls ? { tls } : {}) },
  }
}

const defaultPort = 4222

interface Login extends Pick<NatsLogin, 'identity' | 'options'> {
  where: string
}

function ofUrls(urls: readonly URL[]): Login | undefined {
  const logins = new Set(urls.filter(({ username }) => username !== '').map((url) => `${url.username}:${url.password}`))
  if (logins.size > 1) throw new ConfigError('NATS_URL: its addresses contain different logins')
  const [login] = logins
  if (login === undefined) return undefined
  const [user, pass] = login.split(':').map(decodeURIComponent) as [string, string]
  return pass === '' ? withToken(user, 'NATS_URL') : withPassword(user, pass, 'NATS_URL')
}

function ofUser({ NATS_USER, NATS_PASSWORD }: NatsVariables): Login | undefined {
  if (NATS_USER === undefined && NATS_PASSWORD === undefined) return undefined
  if (NATS_USER === undefined) throw new ConfigError('NATS_USER is not set, although NATS_PASSWORD is')
  if (NATS_PASSWORD === undefined) throw new ConfigError('NATS_PASSWORD is not set, although NATS_USER is')
  return withPassword(NATS_USER, NATS_PASSWORD, 'NATS_USER')
}

function ofToken({ NATS_TOKEN }: NatsVariables): Login | undefined {
  return NATS_TOKEN === undefined ? undefined : withToken(NATS_TOKEN, 'NATS_TOKEN')
}

/** Reads the file at each connection, so that renewed credentials take effect. */
function ofCreds({ NATS_CREDS }: NatsVariables): Login | undefined {
  if (NATS_CREDS === undefined) return undefined
  const login = credsAuthenticator(() => readFileSync(NATS_CREDS))
  try {
    login('nonce')
  } catch {
    throw new ConfigError(`NATS_CREDS: ${NATS_CREDS} is not a NATS credentials file`)
  }
  const identity = `the credentials in ${NATS_CREDS}`
  return { where: 'NATS_CREDS', identity, options: { authenticator: orNobody(login) } }
}

/** An error here would close the connection permanently; a missing login is refused and retried. */
function orNobody(login: Authenticator): Authenticator {
  return (nonce) => {
    try {
      return login(nonce)
    } catch {
      return undefined
    }
  }
}

function withPassword(user: string, pass: string, where: string): Login {
  return { where, identity: `user ${user}`, options: { user, pass } }
}

function withToken(token: string, where: string): Login {
  return { where, identity: 'a token', options: { token } }
}

function tlsOf(urls: readonly URL[], variables: NatsVariables): ConnectionOptions['tls'] | undefined {
  const { NATS_CA_FILE: caFile, NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile } = variables
  if (certFile === undefined && keyFile !== undefined)
    throw new ConfigError('NATS_CERT_FILE is not set, although NATS_KEY_FILE is')
  if (certFile !== undefined && keyFile === undefined)
    throw new ConfigError('NATS_KEY_FILE is not set, although NATS_CERT_FILE is')
  const wanted = urls.some(({ protocol }) => protocol === 'tls:') || caFile !== undefined || certFile !== undefined
  if (!wanted) return undefined
  return { ...(caFile ? { caFile } : {}), ...(certFile ? { certFile } : {}), ...(keyFile ? { keyFile } : {}) }
}
