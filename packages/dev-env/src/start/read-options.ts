import { StartupError } from '../startup-error.ts'

export interface StartOptions {
  portBase: number
  reset: boolean
  postgresUrl?: string
  natsUrl?: string
  redisUrl?: string
}

/**
 * Reads `npm start -- --reset` and the environment: PORT_BASE (default 8080), RESET=1, and POSTGRES_URL, NATS_URL,
 * REDIS_URL to use servers that already run.
 */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): StartOptions {
  const unknown = args.find((arg) => arg !== '--reset')
  if (unknown)
    throw new StartupError(`unknown option ${unknown}: there is only --reset, which removes the data of earlier starts`)
  const text = env.PORT_BASE || '8080'
  if (!/^\d+$/.test(text))
    throw new StartupError(`PORT_BASE is "${text}": it must be a port number, for example PORT_BASE=9080`)
  return {
    portBase: Number(text),
    reset: args.includes('--reset') || env.RESET === '1',
    ...(env.POSTGRES_URL ? { postgresUrl: env.POSTGRES_URL } : {}),
    ...(env.NATS_URL ? { natsUrl: env.NATS_URL } : {}),
    ...(env.REDIS_URL ? { redisUrl: env.REDIS_URL } : {}),
  }
}
