import { type ServiceProcess, type Stack, serviceProcesses, TestEnv } from '@notify/dev-env'
import { type Balancer, startBalancer } from '@notify/test-kit/balancer'
import { type Replica, type ReplicaProcess, startReplica, startReplicas } from '@notify/test-kit/processes'

const names: readonly ServiceProcess[] = serviceProcesses.filter((name) => name !== 'dispatch-sender')

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

/** The whole system in one process, with a balancer for each service at its usual address. */
export interface Balanced {
  env: TestEnv
  balancers: ReadonlyMap<ServiceProcess, Balancer>
  stop(): Promise<void>
}

export async function startBalanced(): Promise<Balanced> {
  const balancers = new Map<ServiceProcess, Balancer>()
  const variables = names.map((name): [ServiceProcess, Record<string, string>] => [name, {}])
  let starting: Promise<unknown> = Promise.resolve()
  const env = await TestEnv.start(undefined, {
    env: Object.fromEntries(variables),
    onStack(stack) {
      for (const [name, own] of variables) own.PORT = String(portOf(stack, 'new', name))
      starting = Promise.all(
        names.map(async (name) => {
          const balancer = await startBalancer(stack.ports.process[name])
          balancer.add(portOf(stack, 'new', name))
          balancers.set(name, balancer)
        }),
      )
    },
  })
  await starting
  return {
    env,
    balancers,
    async stop() {
      await env.stop()
      for (const balancer of balancers.values()) balancer.stop()
    },
  }
}

/** @param drainDelay of the old processes */
export async function startReplicated(drainDelay: string): Promise<Replicated> {
  const { env, balancers, stop } = await startBalanced()
  const old = await startReplicas(
    env,
    Object.fromEntries(
      names.map((name) => [name, { PORT: String(portOf(env.stack, 'old', name)), DRAIN_DELAY: drainDelay }]),
    ),
  )
  for (const [name, balancer] of balancers) {
    balancer.add(portOf(env.stack, 'old', name))
    balancer.remove(portOf(env.stack, 'new', name))
  }
  return {
    env,
    old,
    async replace() {
      for (const [name, balancer] of balancers) balancer.add(portOf(env.stack, 'new', name))
      setTimeout(() => {
        for (const [name, balancer] of balancers) balancer.remove(portOf(env.stack, 'old', name))
      }, forgottenMs)
      await old.end('SIGTERM')
    },
    async stop() {
      await old.end('SIGKILL')
      await stop()
    },
  }
}

/** One more process of a service, which gets connections from its balancer. */
export interface BalancedReplica extends Replica {
  /** Ends it as Kubernetes does: new connections still come for a while. */
  leave(): Promise<void>
}

export async function joinReplica(
  { env, balancers }: Balanced,
  name: ServiceProcess,
  drainDelay: string,
): Promise<BalancedReplica> {
  const replica = await startReplica(env, name, { DRAIN_DELAY: drainDelay })
  const port = Number(new URL(replica.url).port)
  balancers.get(name)?.add(port)
  return {
    ...replica,
    async leave() {
      setTimeout(() => balancers.get(name)?.remove(port), forgottenMs)
      await replica.end('SIGTERM')
    },
  }
}

/** A port of the stack's block that nothing else uses. */
function portOf({ ports }: Stack, which: 'new' | 'old', name: ServiceProcess): number {
  return ports.process.gateway + { new: 30, old: 40 }[which] + names.indexOf(name)
}
