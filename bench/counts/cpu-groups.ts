import { serviceProcesses } from '@notify/dev-env'
import { roundTo } from '../statistics.ts'
import { type Counts, total } from './counts.ts'

const servers = ['postgres', 'nats', 'redis']
const isOurs = (name: string) => (serviceProcesses as readonly string[]).includes(name)

/** The sum of a counter over the processes of our services. */
export function ofServices(counts: Counts, kind: string): number {
  return sumOf(counts, kind, isOurs)
}

/** The sum over our services and the servers that they need, without the stand-ins and the bench itself. */
export function ofSystem(counts: Counts, kind: string): number {
  return sumOf(counts, kind, (name) => isOurs(name) || servers.includes(name))
}

/** CPU time in milliseconds of our services, of each server, of the stand-ins and of the bench. */
export function cpuMsByGroup(counts: Counts): Record<string, number> {
  const ms = (microseconds: number) => roundTo(microseconds / 1000, 3)
  const driver = counts.cpu_us?.['this bench'] ?? 0
  return {
    total: ms(total(counts, 'cpu_us')),
    ours: ms(ofServices(counts, 'cpu_us')),
    ...Object.fromEntries(servers.map((name) => [name, ms(counts.cpu_us?.[name] ?? 0)])),
    stand_ins: ms(total(counts, 'cpu_us') - ofSystem(counts, 'cpu_us') - driver),
    driver: ms(driver),
  }
}

function sumOf(counts: Counts, kind: string, isCounted: (name: string) => boolean): number {
  const counted = Object.entries(counts[kind] ?? {}).filter(([name]) => isCounted(name))
  return counted.reduce((sum, [, value]) => sum + value, 0)
}
