import { join } from 'node:path'
import { run } from '@notify/service-kit'
import type { NodeProcess } from '../stack/process-names.ts'
import { isStandIn, type ServiceProcess, type StandIn, serviceOf } from '../stack/process-names.ts'

type Start = () => unknown

/** Loaded by their paths: a package depends on no service, and nothing depends on the stand-ins. */
const root = join(import.meta.dirname, '../../../..')
const load = (...path: string[]) => import(join(root, ...path))

/** What this process runs, by name, and the environment of each. */
const environments = JSON.parse(process.env.TOGETHER ?? '{}') as Record<NodeProcess, NodeJS.ProcessEnv>
delete process.env.TOGETHER

// Stand-ins need no server; services wait until ours are up, but are loaded meanwhile.
const services: Promise<Start>[] = []
for (const [name, env] of Object.entries(environments) as [NodeProcess, NodeJS.ProcessEnv][]) {
  if (isStandIn(name)) void loadStandIn(name, env).then((start) => start())
  else services.push(loadService(name, env))
}
process.once('message', async () => {
  for (const start of await Promise.all(services)) void start()
})

async function loadStandIn(name: StandIn, env: NodeJS.ProcessEnv): Promise<Start> {
  if (name === 'carrier-sandbox') {
    const { runSandbox } = await load('packages/carrier-sandbox/src/run.ts')
    return () => runSandbox(env)
  }
  const { serveIdentityProvider } = await load('packages/dev-env/src/identity-provider/serve.ts')
  return () => serveIdentityProvider(env)
}

async function loadService(process: ServiceProcess, env: NodeJS.ProcessEnv): Promise<Start> {
  const name = serviceOf(process)
  const { Config } = await load('services', name, 'src/config.ts')
  const { createService, commands } = await load('services', name, 'src/service.ts')
  return () => run({ name, config: Config, createService, commands }, env)
}
