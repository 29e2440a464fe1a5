import { ConfigError, readConfig } from './config.ts'
import { createSandbox } from './sandbox.ts'

/**
 * Runs the sandbox until SIGTERM, SIGINT or the end of the parent's IPC channel, then stops it and lets the process end
 * by itself. A configuration that cannot work is one line on stderr and exit code 1.
 */
export async function runSandbox(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    const sandbox = await createSandbox(readConfig(env))
    const stopping = stopRequested()
    process.stdout.write(`carrier-sandbox listens on ${sandbox.url}, its DNS server on ${sandbox.dnsAddress}\n`)
    await stopping
    await sandbox.stop()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`carrier-sandbox: ${error.message}\n`)
    process.exitCode = 1
  }
}

/** The listeners go once one of them fired: a second signal ends the process, and the IPC channel no longer holds it. */
function stopRequested(): Promise<void> {
  const events = ['SIGTERM', 'SIGINT', 'disconnect'] as const
  return new Promise((resolve) => {
    const stop = () => {
      for (const event of events) process.off(event, stop)
      resolve()
    }
    for (const event of events) process.on(event, stop)
    // The parent left during the start.
    if (process.connected === false) stop()
  })
}
