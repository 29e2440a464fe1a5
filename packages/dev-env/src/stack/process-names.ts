import type { ServiceName } from '@notify/contracts'

/**
 * The processes of the seven services. Dispatch runs as three: calls of carriers must not slow acceptance, nor a campaign
 * codes.
 */
export const serviceProcesses = [
  'gateway',
  'dispatch-api',
  'dispatch-worker',
  'otp',
  'consent',
  'inbox-stream',
  'callbacks',
  'webhook-delivery',
  'dispatch-sender',
] as const

/** Stand-ins for external systems: the carriers, the operators' identity provider and a customer's application. */
export const standInProcesses = ['carrier-sandbox', 'identity-provider', 'demo-shop'] as const

/** The servers that the services need. */
export const serverProcesses = ['postgres', 'nats', 'redis'] as const

export type ServiceProcess = (typeof serviceProcesses)[number]
export type StandIn = (typeof standInProcesses)[number]
/** A Node process of the stack. */
export type NodeProcess = ServiceProcess | StandIn
export type ServerProcess = (typeof serverProcesses)[number]
/** Any process of the stack. */
export type ProcessName = NodeProcess | ServerProcess

/** Every process. */
export const processNames: readonly ProcessName[] = [...serviceProcesses, ...standInProcesses, ...serverProcesses]

/** Whether the process is a stand-in for an external system. */
export function isStandIn(process: NodeProcess): process is StandIn {
  return (standInProcesses as readonly string[]).includes(process)
}

/** The service that a process belongs to. */
export function serviceOf(process: ServiceProcess): ServiceName {
  return process.startsWith('dispatch-') ? 'dispatch' : (process as ServiceName)
}

/** The processes that a service runs as. */
export function processesOf(service: ServiceName): ServiceProcess[] {
  return serviceProcesses.filter((name) => serviceOf(name) === service)
}
