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

/**
 * Connects to Redis without waiting: commands fail at once while disconnected, and each replica counts on its own.
 * @throws ConfigError for a CA without TLS
 */
export function connectRedis({ log, lifecycle, health }: Kit, config: RedisConfig): Redis {
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
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
  })
  let fault: 'silent' | 'refused' | undefined
  redis.on('error', (error: Error) => {
    // The client listens for one error of a connection. TLS may emit a second one, which would end the process if it were
    // not handled.
    redis.stream?.off('error', ignore).on('error', ignore)
    const found = isRefusal(error) ? 'refused' : 'silent'
    if (found === fault) return
    fault = found
    if (found === 'silent')
      log.warn({ err: error }, 'Redis does not respond: each replica counts rate limits on its own')
    else
      log.error(
        { reason: error.message },
        'Redis refuses the login in REDIS_URL: each replica counts rate limits on its own',
      )
  })
  redis.on('ready', () => {
    if (fault) log.info('Redis responds again')
    fault = undefined
  })
  health.prefer('redis', () => {
    if (redis.status !== 'ready') throw new Error(redis.status)
  })
  lifecycle.onStop('redis', () => redis.disconnect())
  return redis
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
