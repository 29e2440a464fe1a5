import { type ProcessName, serviceProcesses } from './process-names.ts'

const entryPoints: readonly ProcessName[] = ['gateway', 'callbacks']

/** The order of a stop: entry points first, data stores last. */
export const stopOrder: readonly (readonly ProcessName[])[] = [
  ...entryPoints.map((name) => [name]),
  serviceProcesses.filter((name) => !entryPoints.includes(name)),
  ['carrier-sandbox', 'identity-provider', 'demo-shop'],
  ['nats', 'redis'],
  ['postgres'],
]
