export interface ShopConfig {
  host: string
  port: number
  /** Address of the notification API, for this server and for browsers. */
  apiUrl: string
  apiKey: string
  /** Whose inbox the page shows by default. */
  userId: string
}

/** Reads PORT, API_URL, API_KEY, USER_ID and HOST (default 127.0.0.1). @throws Error for one that is missing */
export function readConfig(env: NodeJS.ProcessEnv): ShopConfig {
  const required = (name: string) => {
    const value = env[name]
    if (!value) throw new Error(`${name} is missing`)
    return value
  }
  return {
    host: env.HOST ?? '127.0.0.1',
    port: Number(required('PORT')),
    apiUrl: required('API_URL'),
    apiKey: required('API_KEY'),
    userId: required('USER_ID'),
  }
}
