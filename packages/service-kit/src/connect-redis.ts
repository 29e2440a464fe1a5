import { readFileSync } from 'node:fs'
import { Redis, type RedisOptions } from 'ioredis'
import { z } from 'zod'
import { ConfigError, readableFile } from './config.ts'
import type { Kit } from './kit.ts'

/** Variables of a service that counts limits in Redis. */
export const redisConfig = {
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .describe('Redis URL for rate limits, with user and password; rediss:// enables TLS'),
  REDIS_CA_FILE: readableFile()
    .optional()
    .describe("CA certificates, PEM, that verify Redis instead of the system's; with rediss://"),
}
type RedisConfig = z.output<z.ZodObject<typeof redisConfig>>

const ignore = () => {}

/** The longest interval of reconnections, and the only one while the address leads to a replica. */
const longestRetryMs = 1000

const faults = {
  silent: 'Redis does not respond',
  refused: 'Redis refuses the login in REDIS_URL',
  read_only: 'Redis is a replica, so REDIS_URL does not lead to the primary',
}

/**
 * Connects to Redis without waiting: commands fail at once while disconnected, and each replica counts on its own. After a
 * switchover the address may lead to the demoted server for a while: connects again until it leads to the primary.
 * @throws ConfigError for a CA without TLS
 */
export function connectRedis({ log, lifecycle, health }: Kit, config: RedisConfig): Redis {
  let fault: keyof typeof faults | undefined
  let isPrimary = false
  const report = (found: keyof typeof faults, error?: Error) => {
    if (found === fault) return
    fault = found
    const message = `${faults[found]}: each replica counts rate limits on its own`
    if (found === 'refused') log.error({ reason: error?.message }, message)
    else log.warn({ err: error }, message)
  }
  const redis = new Redis(config.REDIS_URL, {
    ...tlsOf(config),
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: 200,
    connectTimeout: 1000,
    // Otherwise timed-out commands would accumulate on a dead connection.
    socketTimeout: 1000,
    // The client waits this long when it disconnects, even if it is not connected.
    disconnectTimeout: 200,
    retryStrategy: (attempt) => (fault === 'read_only' ? longestRetryMs : Math.min(attempt * 100, longestRetryMs)),
    reconnectOnError(error) {
      // Before version 7 it stands within the error of a script.
      if (!/\bREADONLY\b/.test(error.message)) return false
      isPrimary = false
      report('read_only')
      return true
    },
  })
  redis.on('error', (error: Error) => {
    // The client listens for one error of a connection. TLS may emit a second one, which would end the process if it were
    // not handled.
    redis.stream?.off('error', ignore).on('error', ignore)
    report(isRefusal(error) ? 'refused' : 'silent', error)
  })
  redis.on('ready', async () => {
    isPrimary = !(await isReplica(redis))
    if (!isPrimary) {
      report('read_only')
      redis.disconnect(true)
    } else if (redis.status === 'ready') {
      if (fault) log.info('Redis responds again')
      fault = undefined
    }
  })
  health.prefer('redis', () => {
    if (redis.status !== 'ready' || !isPrimary) throw new Error(fault)
  })
  lifecycle.onStop('redis', () => redis.disconnect())
  return redis
}

/** False as well if Redis does not answer: the next write shows it then. */
async function isReplica(redis: Redis): Promise<boolean> {
  const [role] = await redis.role().catch(() => [])
  return role === 'slave'
}

function tlsOf({ REDIS_URL, REDIS_CA_FILE }: RedisConfig): Pick<RedisOptions, 'tls'> {
  if (REDIS_CA_FILE === undefined) return {}
  if (!REDIS_URL.startsWith('rediss:')) throw new ConfigError('REDIS_CA_FILE is set, but REDIS_URL is not rediss://')
  return { tls: { ca: readFileSync(REDIS_CA_FILE) } }
}

/** WRONGPASS and NOAUTH: Redis 6 and newer; `ERR invalid password`: older. NOPERM: missing permission. */
function isRefusal({ message }: Error): boolean {
  return /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid password)/.test(message)
}
