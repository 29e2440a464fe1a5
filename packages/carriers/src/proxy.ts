import { Agent, EnvHttpProxyAgent } from 'undici'

/**
 * Options of Node's agents that follow HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment. Read when an agent is made.
 * SMTP has no part in it: the address of a mail server is judged when it is connected, and a proxy would look it up itself.
 */
export const throughProxy = (): { proxyEnv: NodeJS.ProcessEnv } => ({ proxyEnv: process.env })

/** An agent of undici that follows the same variables. */
export function agentThroughProxy(options: Agent.Options): Agent | EnvHttpProxyAgent {
  const [httpProxy, httpsProxy, noProxy] = ['http_proxy', 'https_proxy', 'no_proxy'].map(
    (name) => process.env[name] ?? process.env[name.toUpperCase()],
  )
  if (!httpProxy && !httpsProxy) return new Agent(options)
  return new EnvHttpProxyAgent({
    ...options,
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    ...(noProxy && { noProxy }),
  })
}
