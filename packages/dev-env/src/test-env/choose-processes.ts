import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceName } from '@notify/contracts'
import { type NodeProcess, processesOf, serviceProcesses } from '../stack/process-names.ts'
import { fileOf } from '../stack/process-table.ts'
import type { StackOptions } from '../stack/stack-options.ts'

export interface ProcessOptions extends Partial<Pick<StackOptions, 'entries'>> {
  /** Starts the demo shop as well: the pages of a customer's application. */
  withDemoShop?: boolean
  /** Starts dispatch-sender as well, as `npm start` does. Without it dispatch-worker sends all lanes. */
  withSender?: boolean
}

/** The processes of these services (default: all that have a source), and the stand-ins that they need. */
export function chooseTestProcesses(
  services: readonly ServiceName[] | undefined,
  root: string,
  { entries, withDemoShop, withSender }: ProcessOptions,
): NodeProcess[] {
  const exists = (name: NodeProcess) => existsSync(join(root, entries?.[name] ?? fileOf(name)))
  const chosen: NodeProcess[] = (services ? services.flatMap(processesOf) : serviceProcesses.filter(exists)).filter(
    (name) => withSender || name !== 'dispatch-sender',
  )
  const needs = (...names: ServiceName[]) =>
    names.some((name) => processesOf(name).some((process) => chosen.includes(process)))
  if (needs('gateway', 'dispatch', 'callbacks', 'webhook-delivery')) chosen.push('carrier-sandbox')
  if (needs('gateway')) chosen.push('identity-provider')
  if (withDemoShop) chosen.push('demo-shop')
  return chosen
}
