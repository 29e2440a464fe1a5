import type { Kit } from '@notify/service-kit'
import { Redis } from 'ioredis'

/** Connects to Redis without ever waiting for it: a command fails at once while there is no connection. */
export function connectRedis({ log, lifecycle }: Kit, url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: 200,
    connectTimeout: 1000,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
  })
  let lost = false
  redis.on('error', (error: Error) => {
    if (!lost) log.warn({ err: error }, 'Redis does not answer: rate limits are counted locally')
    lost = true
  })
  redis.on('ready', () => {
    if (lost) log.info('Redis answers again')
    lost = false
  })
  lifecycle.onStop('redis', () => redis.disconnect())
  return redis
}
