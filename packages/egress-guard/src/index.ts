export { type AllowList, nothingAllowed, parseAllowList, parseDevelopmentAllowList } from './allow-list.ts'
export { DestinationError, notAllowed, readDestination } from './destination.ts'
export { connectPublic, type PublicHost } from './dial.ts'
export {
  createEgress,
  type Egress,
  type EgressDownload,
  type EgressOptions,
  type EgressOutcome,
  type EgressRequest,
} from './egress.ts'
export { createHostResolver, type HostResolver } from './host-resolver.ts'
export { isPublicAddress } from './public-address.ts'
export { resolvePublic } from './resolve-public.ts'
