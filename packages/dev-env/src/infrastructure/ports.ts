import { createServer, type Server } from 'node:net'
import {
  type ProcessName,
  processNames,
  type ServiceProcess,
  serverProcesses,
  serviceProcesses,
} from '../stack/process-names.ts'
import { codeOf, StartupError } from '../startup-error.ts'

export interface Ports {
  /** One port for each process, from the base upwards. */
  process: Record<ProcessName, number>
  /** The ports of `GET /metrics`, from base + 20 upwards. */
  metrics: Record<ServiceProcess, number>
  /** The carrier sandbox's DNS server, UDP and TCP. */
  dns: number
  /** The carrier sandbox's HTTPS receiver of webhooks. */
  receiver: number
}

/** The ports follow each other in this order; append new ones, so that the others stay. */
const inOrder = [
  ...serviceProcesses.filter((name) => name !== 'dispatch-sender'),
  'carrier-sandbox',
  'identity-provider',
  ...serverProcesses,
  'dns',
  'receiver',
  'demo-shop',
  'dispatch-sender',
] as const
const metricsOffset = 20
const blockSize = 50

/** The ports of a stack whose gateway listens on `base`. */
export function portsFrom(base: number): Ports {
  if (!Number.isInteger(base) || base < 1 || base > 65_535 - blockSize) {
    throw new StartupError(
      `PORT_BASE must be a port number from 1 to ${65_535 - blockSize}, for example PORT_BASE=9080`,
    )
  }
  const numbered = <N extends string>(names: readonly N[], from: number) =>
    Object.fromEntries(names.map((name, i) => [name, from + i])) as Record<N, number>
  const { dns, receiver, ...process } = numbered(inOrder, base)
  return { process, metrics: numbered(serviceProcesses, base + metricsOffset), dns, receiver }
}

/**
 * Makes sure that nothing listens on the ports of these processes.
 * @throws StartupError naming the first port that is taken, what it was for, and the way out
 */
export async function requireFreePorts(ports: Ports, processes: Iterable<ProcessName>): Promise<void> {
  for (const process of processes) {
    const wanted = [[ports.process[process], process]] as [number, string][]
    const metrics = ports.metrics[process as ServiceProcess]
    if (metrics !== undefined) wanted.push([metrics, `the metrics of ${process}`])
    if (process === 'carrier-sandbox') {
      wanted.push([ports.dns, `the DNS server of ${process}`], [ports.receiver, `the webhook receiver of ${process}`])
    }
    for (const [port, purpose] of wanted) {
      const listener = await listen(port)
      if (!listener) {
        throw new StartupError(
          `port ${port}, wanted for ${purpose}, is taken: stop what listens there, or move all ports: PORT_BASE=${otherBase(ports)} npm start`,
        )
      }
      await close(listener)
    }
  }
}

function otherBase(ports: Ports): number {
  const base = ports.process.gateway
  return base === 9080 ? 10_080 : 9080
}

/** Ports of our own for a stack of a test; `release` gives them back. */
export interface PortBlock {
  base: number
  release: () => Promise<void>
}

const blocks = { first: 12_000, count: 400 }

/** Ports of single servers in tests: above all blocks, and like them below the ports of outgoing connections. */
export const singlePorts = { first: blocks.first + blocks.count * blockSize, count: 768 }

/**
 * Reserves a block of free ports. The reservation is a listening socket on the block's last port, so two tests that run
 * at the same moment never get the same block. The blocks lie below the ports that systems give to outgoing connections:
 * one of those could take a port between our look and the process's start.
 */
export async function reservePortBlock(): Promise<PortBlock> {
  const start = Math.floor(Math.random() * blocks.count)
  for (let i = 0; i < blocks.count; i++) {
    const base = blocks.first + ((start + i) % blocks.count) * blockSize
    const guard = await listen(base + blockSize - 1)
    if (!guard) continue
    guard.unref()
    if (await allFree(base)) return { base, release: () => close(guard) }
    await close(guard)
  }
  throw new StartupError(`no block of ${blockSize} free ports between ${blocks.first} and ${singlePorts.first}`)
}

async function allFree(base: number): Promise<boolean> {
  const ports = portsFrom(base)
  try {
    await requireFreePorts(ports, processNames)
    return true
  } catch {
    return false
  }
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE') resolve(undefined)
      else if (codeOf(error) === 'EACCES')
        reject(new StartupError(`port ${port} may only be used by root: choose a higher one, PORT_BASE=9080 npm start`))
      else reject(error)
    })
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
