import {
  checkConsents as checkContract,
  createOptIn as createOptInContract,
  createOptOut as createOptOutContract,
  getOptIn as getContract,
  listOptIns as listContract,
} from '@notify/contracts'
import { type RouteEntry, route } from '@notify/service-kit'
import { checkConsents } from './checks/check-consents.ts'
import type { Context } from './context.ts'
import { createOptIn } from './opt-ins/create-opt-in.ts'
import { createOptOut } from './opt-ins/create-opt-out.ts'
import { getOptIn } from './opt-ins/get-opt-in.ts'
import { listOptIns } from './opt-ins/list-opt-ins.ts'

export const routes: readonly RouteEntry<Context>[] = [
  route(createOptInContract, createOptIn),
  route(listContract, listOptIns),
  route(getContract, getOptIn),
  route(createOptOutContract, createOptOut),
  route(checkContract, checkConsents),
]
