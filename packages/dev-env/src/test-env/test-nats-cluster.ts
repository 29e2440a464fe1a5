import { join } from 'node:path'
import type { NatsUser } from '@notify/contracts'
import { natsUrl, startNats } from '../infrastructure/nats.ts'
import type { Server } from '../infrastructure/server.ts'
import { startReaper } from '../stack/reaper.ts'
import type { State } from '../state/state.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'

interface TestNatsClusterOptions {
  /** Three for clients, three for routes. */
  ports: readonly number[]
  folder: string
  state: State
}

export interface TestNatsCluster {
  /** NATS_URL with all servers, and the credentials of a user. */
  url(user: NatsUser): string
  readonly servers: readonly Server[]
  /** Cuts a server off from the other two; its clients stay connected to it. */
  partition(index: number): Promise<void>
  heal(): Promise<void>
  stop(): Promise<void>
}

const indices = [0, 1, 2]

/** Starts three servers whose routes to each other lead through proxies. */
export async function startTestNatsCluster({ ports, folder, state }: TestNatsClusterOptions): Promise<TestNatsCluster> {
  const reaper = startReaper()
  const routes = new Map<string, FaultProxy>()
  for (const from of indices) {
    for (const to of indices.filter((index) => index !== from)) {
      routes.set(`${from}${to}`, await startFaultProxy(() => `nats://127.0.0.1:${ports[3 + to]}`))
    }
  }
  const addresses = (from: number) =>
    [...routes].flatMap(([key, proxy]) => (key.startsWith(`${from}`) ? proxy.via('nats://127.0.0.1:1') : []))
  const start = (index: number) =>
    startNats({
      port: ports[index]!,
      dataDir: join(folder, `nats-${index}`),
      logFile: join(folder, `nats-${index}.log`),
      state,
      serverName: `nats-${index}`,
      settings: [
        // Otherwise servers would tell each other, and clients, of addresses without a proxy.
        'cluster {',
        `  name: test, listen: "127.0.0.1:${ports[3 + index]}", no_advertise: true, advertise: "127.0.0.1:9"`,
        `  routes: ${JSON.stringify(addresses(index))}`,
        '}',
      ],
      onStart: (pid) => reaper.add('server', pid),
      onEnd: (pid) => reaper.forget(pid),
    })
  const servers = await Promise.all(indices.map(start))
  const linksOf = (index: number) => [...routes].flatMap(([key, proxy]) => (key.includes(`${index}`) ? proxy : []))
  return {
    url: (user) => indices.map((index) => natsUrl(ports[index]!, state, user)).join(','),
    servers,
    async partition(index) {
      await Promise.all(linksOf(index).map((proxy) => proxy.fail()))
    },
    async heal() {
      await Promise.all([...routes.values()].map((proxy) => proxy.recover()))
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop(5000)))
      await Promise.all([...routes.values()].map((proxy) => proxy.stop()))
      reaper.dismiss()
    },
  }
}
