import type { RouteEntry } from '@notify/service-kit'
import type { Context } from './context.ts'

export const routes: readonly RouteEntry<Context>[] = []
