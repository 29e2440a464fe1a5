import { type ServiceProcess, type Stack, serviceProcesses, TestEnv } from '@notify/dev-env'
import { type Balancer, startBalancer } from '@notify/test-kit/balancer'
import { type ReplicaProcess, startReplicas } from '@notify/test-kit/processes'

const names = serviceProcesses.filter((name) => name !== 'dispatch-sender')

/** The whole system twice, with a balancer for each service at its usual address. */
export interface Replicated {
  env: TestEnv
  /** The processes to be replaced; at first only they get connections. */
  old: ReplicaProcess
  /** Sends new connections also to the new processes, then stops the old ones, which still get new connections for a while. */
  replace(): Promise<void>
  stop(): Promise<void>
}

/** Time until an ending process gets no new connections. */
const forgottenMs = 1500

/** @param drainDelay of the old processes */
export async function startReplicated(drainDelay: string): Promise<Replicated> {
  const balancers: Balancer[] = []
  const variables = names.map((name): [ServiceProcess, Record<string, string>] => [name, {}])
  let starting: Promise<unknown> = Promise.resolve()
  const env = await TestEnv.start(undefined, {
    env: Object.fromEntries(variables),
    onStack(stack) {
      for (const [at, [, own]] of variables.entries()) own.PORT = String(portOf(stack, 'new', at))
      starting = Promise.all(
        names.map(async (name, at) => {
          balancers[at] = await startBalancer(stack.ports.process[name])
          balancers[at].add(portOf(stack, 'new', at))
        }),
      )
    },
  })
  await starting
  const each = (change: (balancer: Balancer, at: number) => void) => () => balancers.forEach(change)
  const old = await startReplicas(
    env,
    Object.fromEntries(
      names.map((name, at) => [name, { PORT: String(portOf(env.stack, 'old', at)), DRAIN_DELAY: drainDelay }]),
    ),
  )
  each((balancer, at) => {
    balancer.add(portOf(env.stack, 'old', at))
    balancer.remove(portOf(env.stack, 'new', at))
  })()
  return {
    env,
    old,
    async replace() {
      each((balancer, at) => balancer.add(portOf(env.stack, 'new', at)))()
      setTimeout(
        each((balancer, at) => balancer.remove(portOf(env.stack, 'old', at))),
        forgottenMs,
      )
      await old.end('SIGTERM')
    },
    async stop() {
      await old.end('SIGKILL')
      await env.stop()
      each((balancer) => balancer.stop())()
    },
  }
}

/** A port of the stack's block that nothing else uses. */
function portOf({ ports }: Stack, which: 'new' | 'old', at: number): number {
  return ports.process.gateway + { new: 30, old: 40 }[which] + at
}
